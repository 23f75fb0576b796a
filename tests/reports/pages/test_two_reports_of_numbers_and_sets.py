"""Two reports of numbers, or of sets, compared."""

import pytest

from raters.models import Label
from tests.finished import finished_report
from tests.reports.looking import text_of
from tests.reports.numbers_and_sets import add_numbers, add_sets
from tests.reports.pages.test_two_reports import found_of, page_of


def test_numbers_are_compared_with_their_pairs(client, numbers, lead):
    values = [[item, item + item % 3, 20 - item] for item in range(20)]
    add_numbers(numbers, values)
    first = finished_report(numbers.project, lead)
    for label in Label.objects.filter(question=numbers, rater__key="r2"):
        label.number = 20 - label.number
        label.save()
    second = finished_report(numbers.project, lead)

    found = found_of(client, first, second)

    assert found["pair_figure"] == "lin_concordance"
    moved = found["pairs"][0]
    assert (moved["rater_a"], moved["rater_b"]) == ("r0", "r2")
    assert (moved["difference"]["first"], moved["difference"]["second"]) == (1, pytest.approx(-1, abs=0.02))
    assert found["labels"]["n_changed"] == 19
    assert "Lin" in text_of(page_of(client, first, second))


def test_sets_are_compared_with_their_categories_and_pairs(client, sets, lead):
    add_sets(sets, [["A", "AB"], ["B", "B"], ["C", "BC"], ["AB", "AB"], ["A", "C"], ["", "A"]])
    first = finished_report(sets.project, lead)
    label = Label.objects.get(question=sets, rater__key="r1", item__key="i000")
    label.category_set = Label.objects.get(question=sets, rater__key="r0", item__key="i000").category_set
    label.save()
    second = finished_report(sets.project, lead)

    found = found_of(client, first, second)

    [pair] = found["pairs"]
    of_pair = [report.questions.get().pairs.get().figures["masi"]["value"] for report in (second, first)]
    assert [pair["difference"]["first"], pair["difference"]["second"]] == pytest.approx(of_pair)
    of_b = [
        report.questions.get().statistics["categories"]["fleiss_kappa"][1]["value"]
        for report in (second, first)
    ]
    kappa = found["categories"][1]["differences"]["fleiss_kappa"]
    assert [kappa["first"], kappa["second"]] == pytest.approx(of_b)
    assert (found["labels"]["n_changed"], found["labels"]["n_same"]) == (1, 11)
    assert page_of(client, first, second).status_code == 200
