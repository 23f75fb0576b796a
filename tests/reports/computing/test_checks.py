"""Pairs that look like a mistake: copied, swapped or shifted labels, planted and found again."""

import random

import pytest

from reports.agreement.ratings import to_dense, to_sparse
from reports.analysis import suspicious_pairs
from reports.analysis.suspicious_pairs import labels_of_rater
from reports.store.verification import verify
from tests import cast
from tests.finished import finished_report
from tests.labeling import add_labels, new_question
from tests.reports.agreement.samples import from_lines
from tests.reports.looking import led_by, pair_page, question_page, text_of


def spoken(n_items: int = 60, seed: int = 3) -> list[str]:
    chance = random.Random(seed)
    return [chance.choice(["yes", "no", "maybe"]) for _ in range(n_items)]


def report_of(lead, **raters: list[str]):
    project = led_by(lead, cast.new_project("Checked", unique=True))
    rows = [
        (f"item-{place:03}", rater, label)
        for rater, labels in raters.items()
        for place, label in enumerate(labels)
    ]
    add_labels(new_question(project, categories=("yes", "no", "maybe")), rows)
    return finished_report(project, lead)


def found_in(report):
    return report.questions.get().statistics["checks"]


def test_identical_labels_are_remarked(client, lead):
    labels = spoken()
    report = report_of(lead, ana=labels, ben=labels, cleo=spoken(seed=4))

    shown = text_of(question_page(client, report))

    assert found_in(report)["n_identical"] == 1
    assert "ana × ben gave identical labels to all 60 shared items (κ = 1)." in shown
    assert "Neither has labeled any other item. Check whether one column is a copy of the other" in shown


def test_swapped_categories_are_remarked(client, lead):
    labels = spoken()
    swapped = {"yes": "no", "no": "yes", "maybe": "maybe"}
    report = report_of(lead, ana=labels, ben=[swapped[label] for label in labels])

    [pair] = found_in(report)["low"]
    shown = text_of(pair_page(client, report))

    assert (pair["relabelled"]["categories"], pair["relabelled"]["kappa"]) == ([1, 0, 2], 1)
    assert pair["shifted"] is None
    assert (
        "With “yes” and “no” swapped in the labels of ben, κ would be 1.00: check whether the categories were mixed up"
        in shown
    )


@pytest.mark.parametrize(("by", "words"), [(1, "one item earlier"), (-2, "2 items later")])
def test_a_shifted_column_is_remarked(client, lead, by, words):
    labels = spoken(90)
    moved = labels[-by:] + labels[:-by]
    report = report_of(lead, ana=labels, ben=moved)

    [pair] = found_in(report)["low"]
    shown = text_of(question_page(client, report))

    assert (pair["shifted"]["by"], pair["shifted"]["n_items"]) == (by, 90 - abs(by))
    assert (
        f"With the labels of ben shifted {words}, κ would be 1.00: check whether a column is misaligned"
        in shown
    )


def test_below_chance_without_an_explanation_says_so(client, lead):
    labels = spoken(30)
    others = {"yes": ["no", "maybe"], "no": ["yes", "maybe"], "maybe": ["yes", "no"]}
    chance = random.Random(1)
    report = report_of(lead, ana=labels, ben=[chance.choice(others[label]) for label in labels])

    shown = text_of(question_page(client, report))

    assert found_in(report)["n_below"] == 1
    assert "ana × ben agree less than expected by chance on 30 items" in shown
    assert "Neither swapped categories nor labels shifted by up to three items would explain it" in shown


def test_few_items_are_no_reason_for_a_remark(client, lead):
    labels = spoken(9)
    report = report_of(lead, ana=labels, ben=labels)

    assert found_in(report) == {"n_identical": 0, "n_below": 0, "identical": [], "low": []}
    assert "Pairs to check" not in text_of(question_page(client, report))


def without_findings(report):
    """As a release without findings stored it."""
    stored = report.questions.get()
    del stored.statistics["findings"]
    stored.save(update_fields=["statistics"])
    return report


def test_a_report_from_before_findings_shows_its_pairs_to_check_and_verifies(client, lead):
    labels = spoken()
    report = without_findings(report_of(lead, ana=labels, ben=labels, cleo=spoken(seed=4)))

    shown = text_of(question_page(client, report))

    assert "Pairs to check" in shown
    assert "What to look at first" not in shown
    assert verify(report) == []


def test_many_pairs_are_cut_and_counted(client, lead, monkeypatch):
    monkeypatch.setattr(suspicious_pairs, "MOST_PAIRS", 4)
    labels = spoken(20)
    report = report_of(lead, **dict.fromkeys(("ana", "ben", "cleo", "dora"), labels))

    shown = text_of(question_page(client, without_findings(report)))

    assert found_in(report)["n_identical"] == 6
    assert [pair["rater_b"] for pair in found_in(report)["identical"]] == ["ben", "cleo", "dora", "cleo"]
    assert "3 more pairs with κ = 1 or κ &lt; 0" in shown


def test_a_report_with_checks_verifies(lead):
    labels = spoken()
    report = report_of(lead, ana=labels, ben=labels, cleo=labels[1:] + labels[:1], dora=spoken(seed=9))

    assert verify(report) == []


@pytest.mark.parametrize("kind", [to_dense, to_sparse])
def test_the_labels_of_one_rater_have_gaps(kind):
    ratings = kind(from_lines("ab.a", "b.ba", categories="ab"))

    assert labels_of_rater(ratings, 1).tolist() == [1, 2, 1, 0]
