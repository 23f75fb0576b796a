"""A question filtered to some of its labels: as a report on these alone would be, on a page and saved."""

import itertools
import random
from datetime import UTC, date, datetime

import pytest
from django.db.models import F
from django.urls import reverse
from lxml import html

from projects.models import Item, Question
from raters.models import Label
from reports.analysis.equality import same_figures
from reports.models import QuestionAgreement, Report
from reports.results.filters import LabelFilter, resolved
from reports.sources.assigned import ASSIGNED
from reports.store.filtered import filtered_result
from reports.store.stored_result import StoredResult
from reports.store.verification import verify
from tests import cast
from tests.finished import compute_now, finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.sizes import size, some

N_ITEMS, N_RATERS = 40, 5


def filled(lead, kind: str, chance: random.Random) -> Question:
    """A question of the kind with labels at random, of which a fifth is missing; every third item is of the north."""
    project = led_by(lead, cast.new_project("Filtered", unique=True))
    more = {
        "single": {"categories": "ABC"},
        "number": {"categories": (), "level": Question.Level.INTERVAL},
        "multiple": {"categories": "ABC"},
    }[kind]
    question = new_question(project, key="q", kind=kind, **more)

    def cells(made):
        return [[made() if chance.random() < 0.8 else None for _ in range(N_RATERS)] for _ in range(N_ITEMS)]

    if kind == "single":
        labels = cells(lambda: chance.choice("AABC"))
        rows = [
            (f"i{i:03}", f"r{r}", key) for i, row in enumerate(labels) for r, key in enumerate(row) if key
        ]
        add_labels(question, rows)
    elif kind == "number":
        add_numbers(question, cells(lambda: round(chance.gauss(5, 2), 1)))
    else:
        add_sets(question, cells(lambda: [key for key in "ABC" if chance.random() < 0.4]))
    for place, item in enumerate(project.items.order_by("key")):
        Item.objects.filter(pk=item.pk).update(attributes={"site": "north" if place % 3 == 0 else "south"})
    return question


def stored(report: Report) -> StoredResult:
    rows = QuestionAgreement.objects.select_related("report__project", "question")
    return StoredResult.of(rows.get(report=report))


def figures(result: StoredResult) -> tuple:
    """Everything that is computed, raters by their keys."""
    rows = (
        result.row.pairs.select_related("rater_a", "rater_b") if result.unstored is None else result.unstored
    )
    pairs = {
        (pair.rater_a.key, pair.rater_b.key): (
            pair.n,
            list(pair.counts),
            pair.kappa,
            pair.ci_low,
            pair.figures,
        )
        for pair in rows
    }
    statistics = {name: value for name, value in result.statistics.items() if name != ASSIGNED}
    raters = [(rater.key, rater.n_labels) for rater in result.raters]
    return result.coefficients, statistics, pairs, raters, result.row.n_items, result.row.n_labels


def without_consensus(found: tuple) -> tuple:
    """No page of a filter shows the consensus or the standings of raters, and so they are not computed."""
    coefficients, statistics, *rest = found
    shown = {name: value for name, value in statistics.items() if name not in ("consensus", "standings")}
    return coefficients, shown, *rest


def assert_same(found: tuple, expected: tuple) -> None:
    for one, other in zip(found, expected, strict=True):
        assert same_figures(one, other) if isinstance(one, dict) else one == other


@pytest.mark.parametrize("seed", range(size(3, 1)))
@pytest.mark.parametrize("kind", ["single", "number", "multiple"])
def test_filtered_figures_are_those_of_a_report_on_the_rest(client, lead, kind, seed):
    question = filled(lead, kind, random.Random(seed))
    whole = finished_report(question.project, lead)
    asked = LabelFilter(raters=("r0", "r2", "r3"), item_attribute="site=south")
    address = reverse("report_filter", args=[question.project.slug, whole.pk, question.pk])

    at_once = filtered_result(stored(whole).row, resolved(stored(whole), asked).keep)
    client.post(f"{address}{asked}")
    saved = Report.objects.latest("pk")
    compute_now(saved)
    saved.refresh_from_db()
    differences = verify(saved)
    left_out = Label.objects.filter(question=question).exclude(
        rater__key__in=asked.raters, item__attributes__site="south"
    )
    left_out.delete()
    alone = finished_report(question.project, lead)

    assert at_once is not None
    assert_same(figures(at_once), without_consensus(figures(stored(alone))))
    assert_same(figures(stored(saved)), figures(stored(alone)))
    assert differences == []


@pytest.mark.parametrize("kind", some(["single", "number", "multiple"], every=3))
def test_a_filter_by_time_can_be_saved_and_is_verified_after_its_labels_changed(client, lead, kind):
    chance = random.Random(11)
    question = filled(lead, kind, chance)
    for label in question.labels.order_by("pk"):
        day = datetime(2026, 3, chance.randint(1, 9), 12, tzinfo=UTC)
        Label.objects.filter(pk=label.pk).update(labelled_at=day)
    whole = finished_report(question.project, lead)
    asked = LabelFilter(since=date(2026, 3, 3), until=date(2026, 3, 7))
    address = reverse("report_filter", args=[question.project.slug, whole.pk, question.pk])

    at_once = filtered_result(stored(whole).row, resolved(stored(whole), asked).keep)
    client.post(f"{address}{asked}")
    saved = Report.objects.latest("pk")
    compute_now(saved)
    saved.refresh_from_db()
    kept_n = stored(saved).row.n_labels
    # A label of this time is made again later, and one of another time in it.
    inside = question.labels.filter(labelled_at__day=5)
    outside = question.labels.filter(labelled_at__day=1)
    before = verify(saved)
    first, second = inside[0].pk, outside[0].pk
    Label.objects.filter(pk=first).update(
        labelled_at=datetime(2026, 3, 9, tzinfo=UTC), revision=F("revision") + 1
    )
    Label.objects.filter(pk=second).update(
        labelled_at=datetime(2026, 3, 5, tzinfo=UTC), revision=F("revision") + 1
    )
    after = verify(saved)
    Label.objects.filter(pk=first).update(labelled_at=datetime(2026, 3, 5, tzinfo=UTC))
    Label.objects.filter(pk=second).update(labelled_at=datetime(2026, 3, 1, tzinfo=UTC))
    question.labels.exclude(labelled_at__day__range=(3, 7)).delete()
    alone = finished_report(question.project, lead)

    assert at_once is not None
    assert 0 < kept_n < stored(whole).row.n_labels
    assert_same(figures(at_once), without_consensus(figures(stored(alone))))
    assert_same(figures(stored(saved)), figures(stored(alone)))
    assert (before, after) == ([], [])


def test_a_report_of_some_time_is_limited_further_to_a_shorter_one(client, lead):
    question = filled(lead, "single", random.Random(12))
    days = itertools.cycle(range(1, 10))
    for label in question.labels.order_by("pk"):
        Label.objects.filter(pk=label.pk).update(labelled_at=datetime(2026, 3, next(days), 12, tzinfo=UTC))
    report = finished_report(question.project, lead)
    for asked in ("since=2026-03-03", "since=2026-03-01&until=2026-03-07", "until=2026-03-08"):
        client.post(
            f"{reverse('report_filter', args=[question.project.slug, report.pk, question.pk])}?{asked}"
        )
        report = Report.objects.latest("pk")
        compute_now(report)

    n = question.labels.filter(labelled_at__day__range=(3, 7)).count()
    assert stored(report).row.n_labels == n
    assert question.labels.count() > n


def test_the_page_says_what_is_filtered_and_how_to_remove_it(client, lead):
    question = filled(lead, "single", random.Random(7))
    report = finished_report(question.project, lead)
    address = reverse("report_filter", args=[question.project.slug, report.pk, question.pk])

    page = client.get(f"{address}?raters=r0&raters=r1&since=2020-01-01")

    assert page.context["words"] == ("raters r0, r1", "labeled from 2020-01-01 on")
    assert page.context["left"].n_raters == 2
    assert page.context["may_save"] is True
    assert f'href="{address}"' in page.text
    assert "r2" not in page.context["figures"]


def test_items_are_filtered_by_words_in_one_field(client, lead):
    question = filled(lead, "single", random.Random(13))
    report = finished_report(question.project, lead)
    for place, item in enumerate(question.project.items.order_by("key")):
        answer = {0: ("title", "A 100% bargain"), 1: ("body", "A 100% BARGAIN")}.get(
            place % 4, ("title", "Other")
        )
        item.content = [{"name": answer[0], "kind": "text", "value": answer[1]}]
        item.save()
    address = reverse("report_filter", args=[question.project.slug, report.pk, question.pk])

    anywhere = client.get(address, {"words": "100% b"})
    in_title = client.get(address, {"words": "100% b", "field": "title"})
    nowhere = client.get(address, {"words": "100% b", "field": "none"})
    client.post(f"{address}?words=100%25+b&field=title")
    saved = Report.objects.latest("pk")

    assert anywhere.context["left"].n_items == 20
    assert in_title.context["left"].n_items == 10
    assert in_title.context["words"] == ("items that contain “100% b” in “title”",)
    assert nowhere.context["left"] is None
    assert client.get(address, {"field": "title"}).context["words"] == ()
    expected = question.project.items.filter(content__0__name="title", content__0__value="A 100% bargain")
    assert saved.scope["only"]["items"] == sorted(expected.values_list("pk", flat=True))


def test_those_of_a_link_are_the_items_of_its_list(client, lead):
    question = filled(lead, "single", random.Random(8))
    report = finished_report(question.project, lead)
    address = reverse("report_filter", args=[question.project.slug, report.pk, question.pk])

    page = client.get(address, {"items": "?in=agreement"})

    n = len(client.get(address.replace("/filter/", "/items/"), {"in": "agreement"}).context["rows"])
    assert page.context["left"].n_items == n
    assert page.context["words"][0].startswith(f"{n} item")


def test_a_saved_report_says_everywhere_what_it_is_limited_to(client, lead):
    question = filled(lead, "single", random.Random(9))
    report = finished_report(question.project, lead)
    address = reverse("report_filter", args=[question.project.slug, report.pk, question.pk])

    client.post(f"{address}?raters=r0&raters=r1&raters=r2")
    saved = Report.objects.latest("pk")
    compute_now(saved)
    own = reverse("report_question", args=[question.project.slug, saved.pk, question.pk])

    assert saved.pk != report.pk
    for page in (own, f"{own}raters/", f"{own}items/"):
        assert b"data-limited" in client.get(page).content
    shown = client.get(f"/api/v1/projects/{question.project.slug}/reports/{saved.pk}/").json()
    assert shown["limited_to"] == "raters r0, r1, r2"
    text = client.get(reverse("report_exports", args=[question.project.slug, saved.pk])).text
    assert "The analysis was limited to raters r0, r1, r2." in text
    again = client.post(reverse("report_recompute", args=[question.project.slug, saved.pk]))
    assert again["Location"] == saved.get_absolute_url()


@pytest.mark.parametrize(
    "query",
    ["?raters=nobody", "?item_attribute=site=west", "?round=1", "?since=2020-13-01", "?items=%3Frater%3Dx"],
)
def test_what_the_report_does_not_have_is_not_found(client, lead, query):
    question = filled(lead, "single", random.Random(1))
    report = finished_report(question.project, lead)
    address = reverse("report_filter", args=[question.project.slug, report.pk, question.pk])

    assert client.get(address + query).status_code == 404


def test_many_raters_are_typed(client, lead, monkeypatch):
    monkeypatch.setattr("reports.pages.filter_pages.MAX_RATERS", 2)
    question = filled(lead, "single", random.Random(1))
    report = finished_report(question.project, lead)
    address = reverse("report_filter", args=[question.project.slug, report.pk, question.pk])

    page = html.fromstring(client.get(address, {"raters": ["r0", " r2 ", "", "r1"]}).content.decode())
    misspelled = client.get(address, {"raters": ["r0", "R2"]})

    assert page.xpath("//input[@name='raters']/@value") == ["r0", "r2", "r1", "", "", ""]
    assert "raters r0, r1, r2" in page.get_element_by_id("filter-state").text_content()
    assert misspelled.status_code == 404
    unknown = html.fromstring(misspelled.content.decode()).get_element_by_id("unknown-rater")
    assert "“R2”" in unknown.text_content()


def test_a_filter_that_leaves_nobody_to_compare_says_so(client, lead):
    question = filled(lead, "single", random.Random(2))
    report = finished_report(question.project, lead)
    address = reverse("report_filter", args=[question.project.slug, report.pk, question.pk])

    alone = client.get(f"{address}?raters=r0")
    nothing = client.get(f"{address}?until=1999-01-01")

    assert alone.context["left"].n_raters == 1
    assert nothing.context["left"] is None


@pytest.mark.parametrize("days", ["until=9999-12-31", "since=0001-01-01&until=9999-12-31"])
def test_the_last_day_that_there_is_leaves_nothing_out(client, lead, days):
    question = filled(lead, "single", random.Random(2))
    report = finished_report(question.project, lead)
    address = reverse("report_filter", args=[question.project.slug, report.pk, question.pk])

    assert client.get(f"{address}?{days}").context["left"] == client.get(address).context["left"]


def test_more_labels_than_a_page_can_analyze_are_reported(client, lead, monkeypatch):
    question = filled(lead, "single", random.Random(3))
    report = finished_report(question.project, lead)
    monkeypatch.setattr("reports.store.filtered.MAX_LABELS", 10)
    address = reverse("report_filter", args=[question.project.slug, report.pk, question.pk])

    page = client.get(address)

    assert "too many" in page.context["too_many"]
    assert page.context["left"] is None


def test_without_a_filter_the_page_has_the_pairs_of_the_report(client, lead):
    question = filled(lead, "single", random.Random(4))
    question.level = Question.Level.ORDINAL
    question.save(update_fields=["level"])
    report = finished_report(question.project, lead, weights=None)
    args = [question.project.slug, report.pk, question.pk]

    whole, page = (client.get(reverse(name, args=args)) for name in ("report_question", "report_filter"))

    assert whole.context["measure"].key == "krippendorff_alpha"
    shown = html.fromstring(page.content).get_element_by_id("filtered")
    assert f"Pairwise {whole.context['measure'].title}" in shown.text_content()
    values = "//table[contains(@class, 'matrix')]//td//b/text()"
    cells = html.fromstring(whole.content).xpath(values)
    assert cells
    assert shown.xpath(f".{values}") == cells
