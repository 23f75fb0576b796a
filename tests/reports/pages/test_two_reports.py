"""Two reports side by side: pages and API."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import Category, Event, Round
from raters import cache as cache_module
from raters.actions import rater_of
from raters.models import Assignment, Label, Rater
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, from_table, labeled_project, new_question
from tests.reports.looking import led_by, question_page, text_of


def page_of(client, first, second, **query):
    address = reverse("two_reports", args=[first.project.slug])
    return client.get(address, {"first": first.pk, "second": second.pk, **query})


def found_of(client, first, second, **query) -> dict[str, Any]:
    address = reverse("api_two_reports", args=[first.project.slug])
    response = client.get(address, {"first": first.pk, "second": second.pk, **query})
    assert response.status_code == 200, response.content
    return response.json()


def test_changed_labels_lead_to_who_changed_them(client, before_and_after):
    """The history between the two reports, and of it what was changed: nothing that was added, nothing from before."""
    page = page_of(client, *before_and_after)

    behind = client.get(page.context["history"])

    assert len(behind.context["rows"]) == page.context["labels"].n_changed > 0
    assert {row.change.rater for row in behind.context["rows"]} == {"rater-001"}
    assert {row.change.change for row in behind.context["rows"]} == {"Changed"}


def test_labels_of_another_round_have_no_history_of_changes(client, lead):
    project = led_by(lead, labeled_project("Other round"))
    for place, key in enumerate(("pilot", "main")):
        Round.objects.create(project=project, key=key, position=place)
    pilot, main = project.rounds.order_by("position")
    Label.objects.filter(item__project=project).update(round=pilot)
    good, bad = (Category.objects.get(question__project=project, key=key) for key in ("good", "bad"))
    Label.objects.bulk_create(
        Label(
            item=each.item,
            rater=each.rater,
            question=each.question,
            category=bad if each.category_id == good.pk else good,
            round=main,
            pass_number=2,
        )
        for each in Label.objects.filter(item__project=project).select_related("item", "rater", "question")
    )
    reports = [finished_report(project, lead, rounds=[key]) for key in ("pilot", "main")]

    page = page_of(client, *reports)

    assert page.context["labels"].n_changed > 0
    assert page.context["has_other_round"]
    assert page.context["history"] == ""
    assert 'id="changed"' in page.content.decode()


def test_reports_on_the_same_labels_have_no_history_of_changes(client, labeled_twice, lead):
    reports = [finished_report(labeled_twice, lead, confidence=confidence) for confidence in (0.9, 0.95)]

    assert page_of(client, *reports).context["history"] == ""


def test_each_report_has_the_interval_and_the_verdict_of_its_own_page(client, lead):
    project = led_by(lead, labeled_project("Two raters", n_raters=2))
    reports = [finished_report(project, lead, confidence=confidence) for confidence in (0.9, 0.95)]

    headlines = page_of(client, *reports).context["headlines"]

    for headline, report in zip(headlines, reports, strict=True):
        verdict = question_page(client, report).context["verdict"]
        assert f"{headline.title} = {headline.value}" in verdict.claim
        assert headline.interval in verdict.claim
        assert headline.position == verdict.position


def test_every_coefficient_is_that_of_either_report(client, before_and_after):
    found = found_of(client, *before_and_after)["differences"]

    first, second = (report.questions.get().coefficients for report in before_and_after)
    for name, difference in found.items():
        assert difference["second"] == first[name]["value"], name
        assert difference["first"] == second[name]["value"], name
        assert difference["value"] == pytest.approx(second[name]["value"] - first[name]["value"])


def test_a_category_has_the_value_of_either_report(client, before_and_after):
    found = found_of(client, *before_and_after)["categories"]

    first, second = (report.questions.get().statistics["categories"] for report in before_and_after)
    assert [each["key"] for each in found] == ["good", "fair", "bad"]
    for place, category in enumerate(found):
        for name, difference in category["differences"].items():
            assert difference["second"] == pytest.approx(first[name][place]["value"])
            assert difference["first"] == pytest.approx(second[name][place]["value"])
            assert difference["ci_low"] < difference["value"] < difference["ci_high"]


def test_the_pair_that_moved_most_comes_first_with_its_kappas(client, before_and_after):
    found = found_of(client, *before_and_after)

    first = found["pairs"][0]
    assert (first["rater_a"], first["rater_b"]) == ("rater-000", "rater-001")
    before, after = (
        report.questions.get().pairs.get(rater_a__key="rater-000", rater_b__key="rater-001")
        for report in before_and_after
    )
    assert after.kappa == 1
    assert first["difference"]["first"] == pytest.approx(after.kappa)
    assert first["difference"]["second"] == pytest.approx(before.kappa)
    gaps = [abs(each["difference"]["value"]) for each in found["pairs"]]
    assert gaps == sorted(gaps, reverse=True)
    assert found["n_pairs"] == {"both": 6, "only_first": 0, "only_second": 1}


def test_labels_are_counted_by_what_became_of_them(client, before_and_after):
    labels = found_of(client, *before_and_after)["labels"]

    first, second = (report.questions.get() for report in before_and_after)
    assert labels["n_changed"] > 5
    assert labels["n_same"] + labels["n_changed"] == first.n_labels
    assert (labels["n_only_first"], labels["n_only_second"]) == (0, 2)
    assert (labels["n_items_both"], labels["n_items_only_second"]) == (first.n_items, 1)
    assert second.n_labels == first.n_labels + 2


def test_the_items_with_changed_labels_are_listed(client, before_and_after):
    found = found_of(client, *before_and_after)
    shown = text_of(page_of(client, *before_and_after))

    assert sum(each["n_labels"] for each in found["changed_items"]) == found["labels"]["n_changed"]
    assert f"{found['changed_items'][0]['item']} 1" in shown


def test_two_reports_of_an_item_that_one_still_labels_are_not_shown(client, lead):
    project = led_by(lead, labeled_project("Blind"))
    first = finished_report(project, lead)
    label = Label.objects.filter(item__project=project, category__key="good").first()
    label.category = Category.objects.get(question=label.question, key="bad")
    label.save()
    second = finished_report(project, lead)
    listed = [each["item"] for each in found_of(client, first, second)["changed_items"]]
    round_ = Round.objects.create(project=project, key="open")
    Assignment.objects.create(rater=rater_of(project, lead), item=label.item, round=round_)

    query = {"first": first.pk, "second": second.pk}
    refused = [
        client.get(reverse(name, args=[project.slug]), query) for name in ("two_reports", "api_two_reports")
    ]

    assert listed == [label.item.key]
    assert [answer.status_code for answer in refused] == [403, 403]


def test_a_look_by_one_who_rates_is_logged(client, before_and_after, lead):
    first, second = before_and_after
    item = first.project.items.first()
    round_ = Round.objects.create(project=first.project, key="over", state=Round.State.CLOSED)
    Assignment.objects.create(rater=rater_of(first.project, lead), item=item, round=round_)

    page_of(client, first, second)

    seen = Event.objects.filter(project_id=first.project.pk, kind=Event.Kind.LABELS_SEEN)
    assert [event.about for event in seen] == ["two reports"]


def test_the_page_says_whether_it_changed_and_what_differs(client, before_and_after):
    first, second = before_and_after

    shown = text_of(page_of(client, first, second))

    assert "Fleiss’ κ does not differ significantly: difference +0.0" in shown
    assert ", 95% CI [−0." in shown
    assert f"First: report {first.pk}" in shown
    assert "Raters 4 raters 5 raters yes" in shown
    assert "Rounds all labels all labels –" in shown
    assert "Raters in the second report only: rater-009." in shown
    assert "rater-000 × rater-001" in shown
    assert "6 pairs in both, 0 in the first only, 1 in the second only" in shown


def test_the_other_way_round_every_difference_has_the_other_sign(client, before_and_after):
    first, second = before_and_after

    forth = found_of(client, first, second)["differences"]["gwet_ac1"]
    back = found_of(client, second, first)["differences"]["gwet_ac1"]

    assert back["value"] == -forth["value"]
    assert back["p_value"] == pytest.approx(forth["p_value"])


def test_two_rounds_without_a_shared_item(client, lead):
    project = led_by(lead, cast.new_project("Rounds", unique=True))
    question = new_question(project)
    for key, table in (("pilot", [[20, 20], [20, 20]]), ("main", [[45, 5], [5, 25]])):
        round_ = Round.objects.create(project=project, key=key)
        rows = [(f"{key}-{item}", rater, name) for item, rater, name in from_table(table, ("yes", "no"))]
        add_labels(question, rows)
        Label.objects.filter(question=question, round=None).update(round=round_)
    pilot, main = (finished_report(project, lead, rounds=[key]) for key in ("pilot", "main"))

    found = found_of(client, pilot, main)

    kappa = found["differences"]["fleiss_kappa"]
    alone = [report.questions.get().coefficients["fleiss_kappa"] for report in (pilot, main)]
    assert kappa["se"] == pytest.approx((alone[0]["se"] ** 2 + alone[1]["se"] ** 2) ** 0.5, rel=1e-9)
    assert kappa["n_shared"] == 0
    assert {"name": "Rounds", "first": "pilot", "second": "main", "differs": True} in found["facts"]
    sentence = "κ is significantly higher in the second report: difference +0.7"
    assert sentence in text_of(page_of(client, pilot, main))


def test_one_of_several_questions_is_chosen(client, labeled_twice, lead):
    add_labels(new_question(labeled_twice, key="color", categories=("red", "blue"), position=5),
               from_table([[9, 1], [2, 8]], ("red", "blue")))  # fmt: skip
    first, second = (
        finished_report(labeled_twice, lead, confidence=confidence) for confidence in (0.9, 0.95)
    )

    assert found_of(client, first, second)["question"] == "answer"
    assert found_of(client, first, second, question="color")["question"] == "color"
    assert "Compare reports on color" in text_of(page_of(client, first, second, question="color"))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"first": "x", "second": "1"}, "There is no finished report 'x' in this project."),
        ({"first": "same", "second": "same"}, "Select two different reports."),
        ({"first": "same", "second": ""}, "There is no finished report '' in this project."),
        ({"first": "same", "second": "other"}, "There is no finished report"),
    ],
)
def test_what_cannot_be_compared_is_refused_on_both(client, labeled_twice, lead, query, words):
    other = finished_report(labeled_project("Elsewhere"), lead)
    names = {"same": str(finished_report(labeled_twice, lead).pk), "other": str(other.pk)}
    query = {name: names.get(value, value) for name, value in query.items()}

    page = client.get(reverse("two_reports", args=[labeled_twice.slug]), query)
    answer = client.get(reverse("api_two_reports", args=[labeled_twice.slug]), query)

    assert (page.status_code, answer.status_code) == (400, 400)
    assert words in page.context["refusal"]
    assert words in answer.json()["detail"]


def test_reports_without_a_common_question_are_refused(client, labeled_twice, lead):
    add_labels(new_question(labeled_twice, key="color", categories=("red", "blue")),
               from_table([[9, 1], [2, 8]], ("red", "blue")))  # fmt: skip
    first, second = (finished_report(labeled_twice, lead, questions=[key]) for key in ("answer", "color"))

    assert page_of(client, first, second).status_code == 400


def test_the_history_of_reports_leads_here(client, before_and_after, lead):
    first, second = before_and_after
    history = client.get(reverse("agreement", args=[first.project.slug])).content.decode()

    assert reverse("two_reports", args=[first.project.slug]) in history
    assert (
        f'name="first" value="{first.pk}" form="two" aria-label="First: report {first.pk}" checked' in history
    )
    assert (
        f'name="second" value="{second.pk}" form="two" aria-label="Second: report {second.pk}" checked'
        in history
    )


def test_one_report_alone_has_nothing_to_choose(client, labeled_twice, lead):
    finished_report(labeled_twice, lead)

    history = client.get(reverse("agreement", args=[labeled_twice.slug])).content.decode()
    page = text_of(client.get(reverse("two_reports", args=[labeled_twice.slug])))

    assert "Compare reports" not in history
    assert "You need two finished reports." in page


def test_more_raters_items_and_reports_take_no_more_queries(client, lead, monkeypatch):
    # One write in so many clears the cache away too.
    monkeypatch.setattr(cache_module, "CLEARING", 1 << 60)
    counts = set()
    for n in (3, 7):
        project = led_by(lead, labeled_project("Many", n_raters=n, n_items=10 * n))
        first = finished_report(project, lead)
        Rater.objects.filter(project=project, key="rater-000").update(key="rater-zzz")
        Label.objects.filter(rater__project=project, rater__key="rater-zzz").update(note="once more")
        second = [finished_report(project, lead, confidence=0.9 + 0.01 * k) for k in range(n - 2)][-1]
        with CaptureQueriesContext(connection) as queries:
            page_of(client, first, second)
        counts.add(len(queries))

    assert len(counts) == 1


@pytest.mark.parametrize(("n", "verdict"), [(19, False), (20, True)])
def test_rounds_and_time_and_two_reports_judge_a_change_by_the_same_rule(client, lead, n, verdict):
    """κ rises from about 0 to almost 1, with p < 0.05 on both pages whatever the number of items."""
    project = led_by(lead, cast.new_project("Judged twice", unique=True))
    question = new_question(project, categories="xy")
    for key, second in (("pilot", "xxyy" * 5), ("main", "xyxy" * 5)):
        round_ = Round.objects.create(project=project, key=key, position=project.rounds.count())
        first = ("xyxy" * 5)[:n]
        given = {"a": first, "b": second[: n - 1] + ("x" if first[-1] == "y" else "y")}
        rows = [(f"{key}{at}", rater, one) for rater, row in given.items() for at, one in enumerate(row)]
        add_labels(question, rows)
        Label.objects.filter(question=question, round=None).update(round=round_)
    pilot, main = (finished_report(project, lead, rounds=[key]) for key in ("pilot", "main"))
    both = finished_report(project, lead)

    two = page_of(client, pilot, main)
    time = client.get(reverse("report_time", args=[project.slug, both.pk, question.pk]))

    [step] = time.context["steps"]
    assert step.is_beyond_chance is verdict
    assert ("is significantly higher in the second report" in text_of(two)) is verdict
    assert ("cannot be distinguished from chance" in two.context["sentence"]) is not verdict
    assert all(
        ("too few items" in row.remark) is not verdict for row in two.context["rows"] if row.p_value != "–"
    )
    row = next(each for each in two.context["rows"] if each.name == time.context["coefficient"])
    assert (row.value, row.p_value) == (step.value, step.p_value)


def test_the_newest_two_reports_are_preselected(client, before_and_after):
    before, after = before_and_after

    page = client.get(reverse("two_reports", args=[before.project.slug]))

    assert page.context["texts"] == {"first": str(before.pk), "second": str(after.pk)}
    assert page.context["two"] is None
