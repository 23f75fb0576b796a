"""Agreement by round, by version of the guidelines, and over time: pages and API."""

import html
import re
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import Item, Question, Round
from raters import cache as cache_module
from raters.models import Label, Rater, User
from reports.models import Report
from reports.results.statistic_rows import shown_difference, shown_difference_limits
from reports.store import over_time
from tests import cast
from tests.finished import finished_report
from tests.labeling import from_table, keyed, labeled_project, new_question
from tests.reports.looking import led_by, question_page, text_of

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
BAD = [[20, 20], [20, 20]]
GOOD = [[45, 5], [5, 25]]


def add_round(
    question, key: str, table, *, at: datetime, version: int | None = None, prefix: str = ""
) -> None:
    """A round of two raters whose labels make this table of counts, a minute from item to item."""
    project = question.project
    round_, _ = Round.objects.get_or_create(project=project, key=key)
    rows = [
        (f"{prefix or key}-{item}", rater, name) for item, rater, name in from_table(table, ["yes", "no"])
    ]
    items = keyed(Item, project, (item for item, _, _ in rows))
    raters = keyed(Rater, project, (rater for _, rater, _ in rows))
    categories = {category.key: category for category in question.categories.all()}
    Label.objects.bulk_create(
        Label(
            item=items[item],
            rater=raters[rater],
            question=question,
            category=categories[name],
            round=round_,
            guidelines_version=version,
            labelled_at=at + timedelta(minutes=place // 2),
        )
        for place, (item, rater, name) in enumerate(rows)
    )


@pytest.fixture
def drifting(lead) -> Question:
    return drifting_question(lead)


def drifting_question(lead: User) -> Question:
    return new_question(led_by(lead, cast.new_project("Drift", unique=True)))


def improved_report(lead: User) -> Report:
    """Pilot at chance under guidelines 1, main far better under 2, a fortnight later."""
    question = drifting_question(lead)
    add_round(question, "pilot", BAD, at=MONDAY, version=1)
    add_round(question, "main", GOOD, at=MONDAY + timedelta(days=14), version=2)
    return finished_report(question.project, lead)


# Rows are kept, so that tests which only look share one report.
@cache
def the_improved_report() -> Report:
    return improved_report(cast.person("lena", unique=True))


@pytest.fixture
def improved(lead) -> Report:
    report = the_improved_report()
    led_by(lead, report.project)
    return report


def time_address(report, name="report_time"):
    agreement = report.questions.get()
    last = agreement.question.key if name.startswith("api_") else agreement.question_id
    return reverse(name, args=[report.project.slug, report.pk, last])


def page_of(client, report, **query):
    return client.get(time_address(report), query)


def found_of(client, report, **query) -> dict[str, Any]:
    response = client.get(time_address(report, "api_report_time"), query)
    assert response.status_code == 200, response.content
    return response.json()


def test_each_round_has_the_figures_of_a_report_on_it_alone(client, improved, lead):
    found = found_of(client, improved, by="round", coefficient="gwet_ac1")

    assert [window["name"] for window in found["windows"]] == ["pilot", "main"]
    for window in found["windows"]:
        alone = finished_report(improved.project, lead, rounds=[window["name"]]).questions.get()
        own = {name: figure or None for name, figure in alone.coefficients["gwet_ac1"].items()}
        assert {name: figure or None for name, figure in window["figure"].items()} == own
        assert window["n_items"] == alone.n_items


@pytest.mark.parametrize("options", [{}, {"interval": "percentile", "replicates": 1000, "seed": 7}])
def test_two_raters_have_the_interval_of_their_pair(client, drifting, lead, options):
    add_round(drifting, "pilot", BAD, at=MONDAY)
    add_round(drifting, "main", GOOD, at=MONDAY)
    pair = finished_report(drifting.project, lead, rounds=["main"], **options).questions.get().pairs.get()

    found = found_of(client, finished_report(drifting.project, lead, **options), coefficient="light_kappa")

    shown = found["windows"][1]["figure"]
    names = ("value", "ci_low", "ci_high")
    assert [shown[name] for name in names] == pytest.approx([pair.kappa, pair.ci_low, pair.ci_high])


def test_a_bootstrap_of_each_round_is_that_of_its_own_report(client, drifting, lead):
    options = {"interval": "percentile", "replicates": 1000, "seed": 7}
    add_round(drifting, "pilot", BAD, at=MONDAY)
    add_round(drifting, "main", GOOD, at=MONDAY)
    report = finished_report(drifting.project, lead, **options)
    alone = finished_report(drifting.project, lead, rounds=["main"], **options).questions.get()

    found = found_of(client, report, coefficient="fleiss_kappa")

    shown, own = found["windows"][1]["figure"], alone.coefficients["fleiss_kappa"]
    assert (shown["ci_low"], shown["ci_high"]) == (own["ci_low"], own["ci_high"])


@pytest.mark.parametrize(
    ("coefficient", "in_pair"), [("fleiss_kappa", "light_kappa"), ("percent_agreement", "percent_agreement")]
)
def test_a_difference_is_that_of_the_page_of_comparisons(client, improved, coefficient, in_pair):
    found = found_of(client, improved, coefficient=coefficient)
    address = time_address(improved, "api_comparison")
    compared = client.get(address, {"first": "round:main", "second": "round:pilot"}).json()

    [change] = found["differences"]
    expected = compared["differences"][in_pair]
    assert {name: change[name] for name in expected} == pytest.approx(expected)
    assert (change["earlier"], change["later"]) == (0, 1)
    assert change["p_corrected"] == pytest.approx(expected["p_value"])
    # Shown alike, differences of percentages in points.
    [step] = page_of(client, improved, coefficient=coefficient).context["steps"]
    is_points = coefficient == "percent_agreement"
    assert step.value == shown_difference(change["value"], is_share=is_points)
    assert step.interval == shown_difference_limits(change["ci_low"], change["ci_high"], is_share=is_points)
    assert ("points" in step.value) == is_points


def test_a_change_beyond_chance_is_noted_with_its_guidelines(client, improved):
    shown = text_of(page_of(client, improved))

    assert " rose by 0.73 from pilot to main" in shown
    assert "a significant change: p &lt; 0.001. Guidelines 2 took effect in between." in shown
    assert "pilot → main +0.7" in shown


def test_the_items_of_a_window_are_listed(client, improved):
    """As many as the figures of the window rest on."""
    assert n_listed(client, improved, "round") == {80}
    assert n_listed(client, improved, "week") == {80}
    assert n_listed(client, improved, "number") == {20}


def n_listed(client, report, by) -> set[int]:
    """How many items the pages behind the figures of each window list."""
    page = page_of(client, report, by=by).content.decode()
    addresses = [html.unescape(found) for found in re.findall(r'href="([^"]*/items/[?][^"]*)"', page)]
    pages = [text_of(client.get(address)) for address in dict.fromkeys(addresses)]
    assert len(pages) >= 2
    return {int(re.search(r"(\d+) items, question", text)[1]) for text in pages}


@pytest.mark.parametrize("query", [{"round": "x"}, {"from": "x"}, {"from": "2026-03-02", "to": "2026-03-03"}])
def test_a_window_that_there_is_not_has_no_items(client, improved, query):
    args = [improved.project.slug, improved.pk, improved.questions.get().question_id]

    assert client.get(reverse("report_items", args=args), query).status_code == 404


@pytest.mark.parametrize("extension", ["svg", "png"])
def test_the_picture_can_be_saved(client, improved, numbers, extension):
    address = f"{improved.get_absolute_url()}{improved.questions.get().question_id}/pictures/time.{extension}"
    assert f"pictures/time.{extension}?by=round" in page_of(client, improved, by="round").content.decode()

    saved = client.get(address, {"by": "round"})
    one = client.get(address, {"by": "moon", "windows": "2"})

    assert saved.status_code == 200
    assert saved.content.startswith(b"<svg" if extension == "svg" else b"\x89PNG")
    assert one.status_code == 200


def test_one_window_has_no_picture(client, lead):
    report = finished_report(led_by(lead, labeled_project("Plain")), lead)

    address = f"{report.get_absolute_url()}{report.questions.get().question_id}/pictures/time.svg"

    assert client.get(address).status_code == 404


def test_both_kinds_of_pages_say_whether_p_is_adjusted(client, drifting, lead):
    for place, key in enumerate(("pilot", "second", "main")):
        add_round(drifting, key, GOOD, at=MONDAY + timedelta(days=place))
    report = finished_report(drifting.project, lead)
    sides = {"first": "round:pilot", "second": "round:main"}

    over_time = page_of(client, report).content.decode()
    compared = client.get(time_address(report, "report_compare"), sides).content.decode()

    assert "data-adjusted" in over_time
    assert time_address(report, "report_compare") in over_time
    assert "data-not-adjusted" in compared
    assert time_address(report) in compared


def test_no_note_of_a_change_that_chance_explains(client, drifting, lead):
    add_round(drifting, "pilot", GOOD, at=MONDAY)
    add_round(drifting, "main", [[44, 6], [6, 24]], at=MONDAY)

    page = page_of(client, finished_report(drifting.project, lead))

    assert "pilot → main −0.0" in text_of(page)
    assert "a significant change" not in text_of(page)
    assert 'class="notice"' not in page.content.decode()


def test_of_few_items_nothing_is_noted(client, drifting, lead):
    """19 items on one side: whatever p is, it is not corrected, and no other test pays for it."""
    add_round(drifting, "pilot", [[1, 9], [8, 1]], at=MONDAY)
    add_round(drifting, "main", GOOD, at=MONDAY)
    report = finished_report(drifting.project, lead)

    [change] = found_of(client, report)["differences"]

    assert change["p_value"] < 0.001
    assert (change["has_few_items"], change["p_corrected"], change["is_beyond_chance"]) == (True, None, False)
    assert "too few items" in text_of(page_of(client, report))


def test_an_item_labeled_in_two_rounds_is_in_both_and_paired(client, drifting, lead):
    add_round(drifting, "pilot", BAD, at=MONDAY, prefix="same")
    Label.objects.filter(question=drifting).update(round=Round.objects.get(project=drifting.project))
    again = Round.objects.create(project=drifting.project, key="again")
    for label in Label.objects.filter(question=drifting):
        label.pk, label.pass_number, label.round = None, 2, again
        label._state.adding = True
        label.save()

    found = found_of(client, finished_report(drifting.project, lead))

    assert [window["n_items"] for window in found["windows"]] == [80, 80]
    [change] = found["differences"]
    assert (change["n_shared"], change["value"], change["reason"]) == (80, 0, "degenerate_se")


def test_by_guidelines_labels_are_split_by_their_own_version(client, improved):
    shown = text_of(page_of(client, improved, by="guidelines"))

    assert "version 1 → version 2" in shown
    assert "version 1 2 Mar 2026, 09:00 to 2 Mar 2026, 10:19" in shown


@pytest.mark.parametrize(
    "query", [{"by": "moon"}, {"windows": "x"}, {"windows": "999"}, {"coefficient": "nonsense"}]
)
def test_nonsense_in_an_address_gives_the_default(client, improved, query):
    assert page_of(client, improved, **query).status_code == 200


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"by": "moon"}, "by must be one of round, guidelines, day, week, number."),
        ({"windows": "1"}, "windows must be from 2 to 30"),
        ({"coefficient": "nonsense"}, "coefficient must be one of"),
    ],
)
def test_nonsense_is_refused_by_the_api(client, improved, query, words):
    response = client.get(time_address(improved, "api_report_time"), query)

    assert response.status_code == 400
    assert words in response.json()["detail"]


def test_too_many_labels_are_a_reason_on_the_page(client, improved, monkeypatch):
    monkeypatch.setattr(over_time, "MAX_LABELS", 10)

    page = page_of(client, improved)

    assert page.status_code == 200
    assert "More than 10 labels are too many to analyze over time." in text_of(page)


def test_more_rounds_raters_and_items_take_no_more_queries(client, lead, monkeypatch):
    # One write in so many clears the cache away too.
    monkeypatch.setattr(cache_module, "CLEARING", 1 << 60)
    counts = set()
    for n in (2, 5):
        question = new_question(led_by(lead, cast.new_project("Many", unique=True)))
        for place in range(n):
            add_round(question, f"round-{place}", [[5 * n, n], [n, 4 * n]], at=MONDAY + timedelta(days=place))
        report = finished_report(question.project, lead)
        with CaptureQueriesContext(connection) as queries:
            page_of(client, report)
        counts.add(len(queries))

    assert len(counts) == 1


def test_the_page_of_the_question_leads_here(client, improved):
    assert time_address(improved) in question_page(client, improved).content.decode()


@pytest.mark.parametrize(("pooled", "words"), [(False, "round “second”"), (True, "all labels")])
def test_the_line_for_the_whole_says_whose_figure_it_is(client, drifting, lead, pooled, words):
    add_round(drifting, "first", BAD, at=MONDAY)
    add_round(drifting, "second", GOOD, at=MONDAY + timedelta(days=7))
    report = finished_report(drifting.project, lead, pooled=pooled)

    page = client.get(reverse("report_time", args=[drifting.project.slug, report.pk, drifting.pk]))

    assert page.context["overall"]
    assert f"Dashed line: {words}." in text_of(page)
    assert f"{words} {page.context['overall']}" in text_of(page)
