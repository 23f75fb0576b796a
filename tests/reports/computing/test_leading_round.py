"""Rounds are not pooled unless somebody asks for it: the newest leads, and the others are compared with it."""

import csv
import io
import re

import pytest
from django.urls import reverse

from projects.models import Item, Project, Round
from raters.models import Label, Rater, User
from reports.models import QuestionAgreement, Report
from reports.results.items.query import ItemQuery
from reports.results.items.question_items import items_of_question
from reports.sources.packing import packed, unpacked
from reports.store.requests import request_before_after
from reports.store.stored_result import StoredResult
from reports.store.verification import verify
from tests import cast
from tests.finished import compute_now, finished_report
from tests.labeling import add_labels, new_question
from tests.reports.looking import led_by, question_page, text_of

# By hand: in the pilot a and b agree on 1 of 4 items, in the main round on 3 of 4; pooled on 4 of 8. c is of the pilot.
PILOT = {"a": "xyxy", "b": "yxyy", "c": "xxyy"}
MAIN = {"a": "xyxy", "b": "xyxx"}


def add_round(project: Project, key: str, labels: dict[str, str], *, start: int = 0) -> Round:
    round_ = Round.objects.create(project=project, key=key, position=project.rounds.count())
    question = project.questions.get()
    rows = [
        (f"i{start + place}", rater, each)
        for rater, row in labels.items()
        for place, each in enumerate(row)
        if each != " "
    ]
    before = set(Label.objects.filter(question=question).values_list("pk", flat=True))
    add_labels(question, rows)
    Label.objects.filter(question=question).exclude(pk__in=before).update(round=round_)
    return round_


def two_rounds(lead: User, *, start: int = 4) -> Project:
    project = led_by(lead, cast.new_project("Rounds apart", unique=True))
    new_question(project, categories="xy")
    add_round(project, "pilot", PILOT)
    add_round(project, "main", MAIN, start=start)
    return project


def of(report: Report) -> QuestionAgreement:
    return report.questions.select_related("report__project", "question").get()


def percent(report: Report) -> float:
    return of(report).coefficients["percent_agreement"]["value"]


def test_the_newest_round_leads_unless_rounds_are_pooled(lead):
    project = two_rounds(lead)

    apart, pooled = finished_report(project, lead), finished_report(project, lead, pooled=True)

    assert of(apart).lead["key"] == "main"
    assert (of(apart).n_items, of(apart).n_labels, of(apart).n_raters) == (4, 8, 2)
    assert percent(apart) == pytest.approx(3 / 4)
    assert of(pooled).lead is None
    assert of(pooled).n_labels == 20
    assert finished_report(project, lead, rounds=["main"]).questions.get().digest == of(apart).digest


def test_a_round_of_raters_added_to_disputes_leads_only_by_name(lead):
    project = two_rounds(lead)
    main = project.rounds.get(key="main")
    main.plans = [{"chosen": {"kind": "disputed", "about": "", "again": False, "stratify_by": ""}}]
    main.save()

    assert of(finished_report(project, lead)).lead["key"] == "pilot"
    assert of(finished_report(project, lead, rounds=["pilot", "main"])).lead["key"] == "main"

    main.plans[0]["chosen"]["again"] = True
    main.save()
    assert of(finished_report(project, lead, confidence=0.9)).lead["key"] == "main"


def test_a_round_that_has_only_begun_does_not_lead(lead):
    project = two_rounds(lead)
    add_round(project, "next", {"a": "xy", "b": "y "}, start=8)
    Round.objects.create(project=project, key="planned", position=9)

    assert of(finished_report(project, lead)).lead["key"] == "main"


def test_a_round_of_models_or_of_few_items_does_not_lead(lead):
    project = led_by(lead, cast.new_project("Small and models", unique=True))
    new_question(project, categories="xy")
    add_round(project, "main", {"a": "xyxy" * 6, "b": "xyxx" * 6})
    add_round(project, "few", MAIN, start=100)
    assert of(finished_report(project, lead)).lead["key"] == "main"

    add_round(project, "models", {"m": "xyxy" * 6, "n": "xyyy" * 6}, start=200)
    Rater.objects.filter(project=project, key__in="mn").update(kind="model")
    assert of(finished_report(project, lead)).lead["key"] == "main"


def test_of_small_rounds_the_largest_leads_and_the_verdict_names_the_others(client, lead):
    project = led_by(lead, cast.new_project("Small rounds", unique=True))
    new_question(project, categories="xy")
    add_round(project, "main", {"a": "xyxy" * 3, "b": "xyxx" * 3})
    add_round(project, "later", MAIN, start=100)

    report = finished_report(project, lead)
    page = question_page(client, report)

    assert of(report).lead["key"] == "main"
    assert page.context["rounds_overview"].others == "“later” (4 items)"
    [named] = re.findall(r"<p[^>]* data-leading-round>(.*?)</p>", page.content.decode())
    assert "main" in named
    assert 'href="#rounds"' in named


def test_of_equally_small_rounds_the_latest_leads(lead):
    assert of(finished_report(two_rounds(lead), lead)).lead["key"] == "main"


def test_before_and_after_a_round_it_leads_even_if_it_is_smaller(lead):
    round_ = labeled_again(lead, n_questions=1)
    round_.labels.filter(item__key="i3", rater__key="b").delete()

    report = request_before_after(round_, by=lead)
    compute_now(report)

    assert of(report).lead["key"] == "after"


def test_the_only_round_of_people_leads(lead):
    project = led_by(lead, cast.new_project("One of people", unique=True))
    new_question(project, categories="xy")
    add_round(project, "people", MAIN)
    add_round(project, "models", {"m": "xyxy" * 6, "n": "xyyy" * 6}, start=200)
    Rater.objects.filter(project=project, key__in="mn").update(kind="model")

    assert of(finished_report(project, lead)).lead["key"] == "people"


def test_without_a_round_that_two_raters_share_all_labels_are_taken_together(lead):
    project = led_by(lead, cast.new_project("Nobody together", unique=True))
    new_question(project, categories="xy")
    add_round(project, "first", {"a": "xyxy"})
    add_round(project, "second", {"b": "xyxx"})

    report = finished_report(project, lead)

    assert of(report).lead is None
    assert of(report).n_labels == 8
    assert percent(report) == pytest.approx(3 / 4)


def test_the_others_are_shown_with_it_and_the_change(client, lead):
    report = finished_report(two_rounds(lead), lead)

    overview = question_page(client, report).context["rounds_overview"]

    assert overview.lead == "main"
    assert [(row.window.name, row.leads, row.window.n_items) for row in overview.rows] == [
        ("main", True, 4),
        ("pilot", False, 4),
    ]
    main, pilot = overview.rows
    assert pilot.step is None
    # Cohen's kappa by hand: main (0.75 - 0.5) / 0.5; pilot: Light's mean of three pairs, (-0.5 + 0 + 0.5) / 3.
    assert (main.window.value, pilot.window.value) == ("0.500", "0.000")
    assert main.step.value == "+0.500"


@pytest.mark.parametrize(
    ("before", "now", "then"),
    [
        # All labels are the same before; after it, one rater uses one category, so there is a value but no CI.
        ({"a": "xxxx", "b": "xxxx"}, MAIN, "undefined"),
        (MAIN, {"a": "xxxx", "b": "xxxx"}, "0.500"),
    ],
)
def test_a_figure_that_is_undefined_says_why(client, lead, before, now, then):
    project = led_by(lead, cast.new_project("Undefined round", unique=True))
    new_question(project, categories="xy")
    add_round(project, "pilot", before)
    add_round(project, "main", now, start=4)

    overview = question_page(client, finished_report(project, lead)).context["rounds_overview"]

    both = f"{overview.now} {overview.change}"
    assert "–" not in both
    assert "undefined (all labels are the same)" in both
    assert f"was {then}" in overview.change


def test_an_item_labeled_in_both_rounds_counts_in_each(lead):
    project = led_by(lead, cast.new_project("Same items", unique=True))
    question = new_question(project, categories="xy")
    add_round(project, "pilot", {"a": "xxyy", "b": "yyxx"})
    main = Round.objects.create(project=project, key="main", position=1)
    places = {category.key: category for category in question.categories.all()}
    for rater, labels in {"a": "xxyy", "b": "xxyx"}.items():
        for place, each in enumerate(labels):
            Label.objects.create(
                item=Item.objects.get(project=project, key=f"i{place}"),
                rater=Rater.objects.get(project=project, key=rater),
                question=question,
                category=places[each],
                round=main,
                pass_number=2,
            )

    apart, pooled = finished_report(project, lead), finished_report(project, lead, pooled=True)

    assert percent(apart) == pytest.approx(3 / 4)
    # The first pass of each rater, whatever they said later.
    assert percent(pooled) == 0


def test_lists_hold_the_items_of_the_round_that_leads_or_of_the_one_that_is_asked_for(lead):
    result = StoredResult.of(of(finished_report(two_rounds(lead), lead)))

    def keys(**query: str) -> set[str]:
        ids = items_of_question(ItemQuery(**query), result).ids().tolist()
        return set(Item.objects.filter(pk__in=ids).values_list("key", flat=True))

    assert keys() == {"i4", "i5", "i6", "i7"}
    assert keys(among="dispute") == {"i7"}
    assert keys(round="pilot", among="compared") == {"i0", "i1", "i2", "i3"}


def test_a_report_of_rounds_apart_verifies_and_tells_when_a_label_was_tampered_with(lead):
    report = finished_report(two_rounds(lead), lead)
    assert verify(report) == []

    block = of(report).label_blocks.get()
    values = unpacked(bytes(block.values))
    is_pilot = unpacked(bytes(block.rounds)) != of(report).lead["id"]
    values[is_pilot] = 1 - values[is_pilot]
    block.values = packed(values)
    block.save()

    # What stands beside the leading round is verified, too.
    assert len(verify(report)) == 1


def test_labels_are_exported_of_the_round_that_the_figures_are_about(client, lead):
    report = finished_report(two_rounds(lead), lead)

    sent = client.get(reverse("report_export", args=[report.project.slug, report.pk, "labels-long.csv"]))
    rows = list(csv.DictReader(io.StringIO(b"".join(sent.streaming_content).decode("utf-8-sig"))))

    assert {row["round"] for row in rows} == {"main"}
    assert len(rows) == 8


def test_the_api_says_which_round_leads_and_pools_on_demand(api, lead):
    project = two_rounds(lead)
    api.force_login(lead)
    address = reverse("api_reports", args=[project.slug])

    apart = finished_report(project, lead)
    shown = api.get(reverse("api_report", args=[project.slug, apart.pk])).json()
    pooled = api.post(address, {"pooled": True}, content_type="application/json").json()
    again = api.post(address, {}, content_type="application/json")

    assert (shown["pooled"], shown["results"][0]["lead"]) == (False, "main")
    assert pooled["pooled"] is True
    assert (again.status_code, again.json()["id"]) == (200, apart.pk)


@pytest.mark.parametrize("rounds", [[], ["only"]])
def test_with_one_round_or_none_nothing_is_separate(client, lead, rounds):
    project = led_by(lead, cast.new_project("One round", unique=True))
    new_question(project, categories="xy")
    for key in rounds or [""]:
        add_round(project, key or "unused", MAIN)
    if not rounds:
        Label.objects.filter(question__project=project).update(round=None)

    report = finished_report(project, lead)

    assert of(report).lead is None
    assert question_page(client, report).context["rounds_overview"] is None


def labeled_again(lead, *, n_questions: int) -> Round:
    """A round in which two raters label the same items again as in the round before."""
    project = led_by(lead, cast.new_project("Labeled again", unique=True))
    for at in range(n_questions):
        question = new_question(project, key=f"q{at}", categories="xy")
        for place, (key, labels) in enumerate({"before": "yxyy", "after": "xyxx"}.items()):
            round_, _ = Round.objects.get_or_create(project=project, key=key, defaults={"position": place})
            rows = [
                (f"i{n}", rater, one)
                for rater, row in {"a": "xyxy", "b": labels}.items()
                for n, one in enumerate(row)
            ]
            categories = {category.key: category for category in question.categories.all()}
            if place == 0:
                add_labels(question, rows)
                Label.objects.filter(question=question).update(round=round_)
                continue
            for item, rater, one in rows:
                Label.objects.create(
                    item=Item.objects.get(project=project, key=item),
                    rater=Rater.objects.get(project=project, key=rater),
                    question=question,
                    category=categories[one],
                    round=round_,
                    pass_number=2,
                )
    return project.rounds.get(key="after")


def test_a_comparison_on_some_items_is_not_the_latest_agreement(client, lead):
    round_ = labeled_again(lead, n_questions=1)
    whole = finished_report(round_.project, lead)

    compute_now(request_before_after(round_, by=lead))

    overview = client.get(round_.project.get_absolute_url()).context["overview"]
    assert (overview.report, overview.headline.report) == (whole, whole)


@pytest.mark.parametrize("n_questions", [1, 2])
def test_before_and_after_leads_to_the_comparison(client, lead, n_questions):
    round_ = labeled_again(lead, n_questions=n_questions)
    compute_now(request_before_after(round_, by=lead))

    page = client.post(reverse("round_before_after", args=[round_.project.slug, round_.pk]), follow=True)

    shown = text_of(page)
    if n_questions == 1:
        assert page.redirect_chain[-1][0].endswith("/time/")
        assert [row.name for row in page.context["rows"]] == ["before", "after"]
        assert "before → after" in shown
    else:
        assert "Before and after" in shown
        assert shown.count("In “before”, Cohen’s κ was") == 2
        assert [each.question for each in page.context["changes"]] == ["q0", "q1"]
        assert client.get(page.request["PATH_INFO"] + page.context["changes"][0].address).status_code == 200
