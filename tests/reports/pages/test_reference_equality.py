"""The test that all raters agree with the reference alike: the page of raters, and the API."""

import re

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from reports.agreement.intervals.pair_equality import kappas_equality
from reports.agreement.weights import weighting
from reports.results import against_reference
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.agreement.intervals.test_hotelling import pairs_with_first, ratings_of
from tests.reports.looking import led_by, text_of

RATINGS = ratings_of(5, n_items=60, n_raters=4, missing=0.1)


@pytest.fixture
def alike_report(lead):
    question = new_question(led_by(lead, cast.new_project("Alike", unique=True)), categories=["a", "b", "c"])
    names = ["gold", "ann", "bob", "cy"]
    rows = [
        (f"{item:03}", names[rater], "abc"[code])
        for item, row in enumerate(RATINGS.codes.tolist())
        for rater, code in enumerate(row)
        if code < 3
    ]
    add_labels(question, rows)
    return finished_report(question.project, lead)


def page_of(client, report, reference):
    args = [report.project.slug, report.pk, report.questions.get().question_id]
    return client.get(reverse("report_raters", args=args), {"reference": reference})


def statistics_of(client, report, reference):
    agreement = report.questions.get()
    args = [report.project.slug, report.pk, agreement.question.key]
    return client.get(reverse("api_statistics", args=args), {"reference": reference}).json()["statistics"]


def test_all_raters_are_tested_at_once(client, alike_report):
    expected = kappas_equality(RATINGS, pairs_with_first(4), weighting("unweighted", n_categories=3))

    page = page_of(client, alike_report, "gold")
    found = statistics_of(client, alike_report, "gold")["reference"]["equality"]

    assert found["t_squared"] == pytest.approx(expected.t_squared, rel=1e-9)
    assert (found["df1"], found["df2"], found["n_values"]) == (2, expected.df2, 3)
    assert "Test that all 3 raters have the same kappa with gold: T² = " in text_of(page)
    assert re.search(r"<p [^>]*data-equality", page.content.decode())


def test_without_a_reference_there_is_none(client, alike_report):
    assert "data-equality" not in page_of(client, alike_report, "").content.decode()


def test_of_too_many_labels_there_is_none(client, alike_report, monkeypatch):
    monkeypatch.setattr(against_reference, "MAX_LABELS", 10)

    assert statistics_of(client, alike_report, "gold")["reference"]["equality"] is None


@pytest.mark.parametrize(("n_choices", "tag"), [(500, "<select"), (501, "<input")])
def test_very_many_raters_are_not_listed_to_choose_from(n_choices, tag):
    choices = [f"rater-{n}" for n in range(n_choices)]

    field = render_to_string(
        "reports/rater/_reference_field.html", {"id": "reference", "key": "rater-7", "choices": choices}
    )

    assert f'{tag} type="text" id="reference"' in field or f'{tag} id="reference"' in field
    assert 'value="rater-7"' in field
