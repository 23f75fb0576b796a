"""Pages of an audit name categories; rates of strata, exports, and reviews keep their keys."""

import csv
import io

import pytest

from raters.audits.drawing import GIVEN_FIELD
from raters.models.audits import words_of
from tests import cast
from tests.reports.audits.audited import delivery, drawn, label, opened
from tests.reports.audits.test_audit_pages import drawn_form, page_of

pytestmark = pytest.mark.django_db


def named_delivery():
    made = delivery()
    made.question.categories.filter(key="good").update(name="Well done")
    return made


def test_results_name_categories():
    made = named_delivery()
    audit = opened(made, n="20")
    label(audit)

    page = cast.signed_in(made.lead).get(page_of(audit))

    assert page.context["categories"] == ["Well done", "bad"]
    assert [row.name for row in page.context["confusion"]] == ["Well done", "bad"]
    given = next(table for table in page.context["tables"] if table.name == "Given label")
    assert {row.value for row in given.rows} == {"Well done", "bad"}


def test_reviewers_see_names_and_send_keys():
    made = named_delivery()
    audit = opened(made, n="20")
    label(audit, "bad", most=20)
    lead = cast.signed_in(made.lead)

    row = lead.get(page_of(audit, "review")).context["rows"][0]
    sent = {"verdict": "wrong", "seen": row.seen}
    lead.post(page_of(audit, "review", str(row.label.row.pk)), sent)

    assert (row.given, row.audited, row.seen) == ("Well done", "bad", "bad")
    assert audit.labels.get(pk=row.label.row.pk).verdict == "wrong"


def test_auditors_who_see_the_given_label_see_its_name():
    audit = drawn(named_delivery(), shows_given="on")

    shown = {
        part["value"]
        for item in audit.project.items.all()
        for part in item.content
        if part["name"] == GIVEN_FIELD
    }

    assert "Well done" in shown
    assert not any("good" in value for value in shown)


def test_a_preview_has_the_key_that_rates_are_entered_for_next_to_the_name():
    made = named_delivery()

    page = cast.signed_in(made.lead).post(
        f"/p/{made.project.slug}/audits/new/", drawn_form(made, stratify_by="given", n="20")
    )

    assert [(row.value, row.name) for row in page.context["strata"]] == [
        ("good", "Well done"),
        ("bad", "bad"),
    ]
    assert page.context["form"].fields["categories"].choices == [("good", "Well done"), ("bad", "bad")]


def test_exports_have_keys():
    made = named_delivery()
    audit = opened(made, n="20")
    label(audit)

    file = cast.signed_in(made.lead).get(page_of(audit) + "files/audit-labels.csv").content.decode()

    assert {row["audited"] for row in csv.DictReader(io.StringIO(file))} == {"good"}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("good", "Well done"),
        ("bad", "bad"),
        (["bad", "good"], "bad | Well done"),
        ([], "none of them"),
        (2.5, "2.5"),
    ],
)
def test_a_value_without_a_name_is_shown_by_its_key(value, words):
    assert words_of(value, {"good": "Well done"}) == words
