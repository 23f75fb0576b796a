"""What follows from the labels of an item under each rule: tables worked by hand."""

from math import log

import numpy as np
import pytest

from projects.final_rules import ESTIMATED, WITH_THRESHOLD, FinalRule, offered_rules
from projects.models import Question
from raters.adjudication.finals import final_of
from raters.adjudication.reliability import VoteWeights, reliability_of
from raters.adjudication.rule_words import ABOUT, MEANING, origins_of
from raters.adjudication.rules import FinalLabelRule, Origin
from raters.adjudication.votes import CANNOT_TELL, FinalValue, Voter, Votes
from reports.agreement.consensus.dawid_skene import dawid_skene_of_labels
from reports.reporting import error_rates
from tests.reports.agreement.consensus.test_dawid_skene import OBSERVERS, anaesthesia

GOOD, FAIR, BAD = (FinalValue(category=pk) for pk in (1, 2, 3))


def votes_for(value: FinalValue, *raters: int) -> Votes:
    return Votes(Voter.RATER, value, len(raters), raters)


def a_set(*members: int) -> FinalValue:
    return FinalValue(category_set=members)


def number(value: float) -> FinalValue:
    return FinalValue(number=value)


def outcome(kind: FinalRule, votes, *, tolerance=0.0, **more):
    final = final_of(votes, tolerance=tolerance, rule=FinalLabelRule(kind, **more))
    certainty = None if final.certainty is None else pytest.approx(final.certainty, abs=1e-12)
    return final.value, final.origin, certainty


ALL, TWO_TO_ONE, TIE = (
    [votes_for(GOOD, 1, 2)],
    [votes_for(GOOD, 1, 2), votes_for(BAD, 3)],
    [votes_for(GOOD, 1), votes_for(BAD, 2)],
)
ONE, NONE = [votes_for(GOOD, 1)], [votes_for(CANNOT_TELL, 1)]
HALF = [votes_for(GOOD, 1, 2), votes_for(BAD, 3), votes_for(FAIR, 4)]


@pytest.mark.parametrize(
    ("kind", "votes", "expected"),
    [
        (FinalRule.PLURALITY, ALL, (GOOD, Origin.UNANIMOUS, 1)),
        (FinalRule.PLURALITY, HALF, (GOOD, Origin.MAJORITY, 0.5)),
        (FinalRule.PLURALITY, ONE, (GOOD, Origin.ONE_RATER, 1)),
        (FinalRule.PLURALITY, TIE, (None, Origin.NONE, None)),
        (FinalRule.ADJUDICATED, ALL, (None, Origin.NONE, None)),
        (FinalRule.UNANIMOUS, ALL, (GOOD, Origin.UNANIMOUS, 1)),
        (FinalRule.UNANIMOUS, TWO_TO_ONE, (None, Origin.NONE, None)),
        (FinalRule.UNANIMOUS, ONE, (None, Origin.NONE, None)),
        (FinalRule.MAJORITY, TWO_TO_ONE, (GOOD, Origin.MAJORITY, 2 / 3)),
        (FinalRule.MAJORITY, HALF, (None, Origin.NONE, None)),
        (FinalRule.MAJORITY, TIE, (None, Origin.NONE, None)),
        (FinalRule.MAJORITY, ONE, (GOOD, Origin.ONE_RATER, 1)),
        *((kind, NONE, (None, Origin.NONE, None)) for kind in FinalRule),
    ],
)
def test_votes(kind, votes, expected):
    assert outcome(kind, votes) == expected


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        # Of three raters, two chose 1, one chose 2: a set that one of them gave.
        ([votes_for(a_set(1), 1), votes_for(a_set(1, 2), 2), votes_for(a_set(), 3)], (a_set(1), 2 / 3)),
        # A set that nobody gave: each category has two of three.
        (
            [votes_for(a_set(1, 2), 1), votes_for(a_set(2, 3), 2), votes_for(a_set(1, 3), 3)],
            (a_set(1, 2, 3), 2 / 3),
        ),
        ([votes_for(a_set(1), 1), votes_for(a_set(2), 2), votes_for(a_set(3), 3)], (a_set(), 2 / 3)),
        ([votes_for(a_set(), 1, 2)], (a_set(), 1)),
    ],
)
def test_each_category_of_a_set_has_its_majority(votes, expected):
    value, origin, certainty = outcome(FinalRule.CATEGORY_MAJORITY, votes)

    assert (value, certainty) == expected
    assert origin is (Origin.UNANIMOUS if len(votes) == 1 else Origin.CATEGORY_MAJORITY)


def test_a_category_that_half_chose_leaves_the_set_open():
    assert (
        outcome(FinalRule.CATEGORY_MAJORITY, [votes_for(a_set(1), 1), votes_for(a_set(1, 2), 2)])[0] is None
    )


@pytest.mark.parametrize(
    ("kind", "numbers", "value"),
    [
        (FinalRule.MEDIAN, [1, 2, 10], 2),
        (FinalRule.MEDIAN, [1, 2, 4, 10], 3),
        (FinalRule.MEAN, [1, 2, 10.5], 4.5),
        (FinalRule.MEAN, [0.1] * 10, 0.1),
    ],
)
def test_numbers(kind, numbers, value):
    votes = [
        votes_for(number(each), *(r for r, n in enumerate(numbers) if n == each)) for each in set(numbers)
    ]

    assert outcome(kind, votes) == (number(value), Origin(kind), None)
    assert outcome(kind, [votes_for(number(3), 1)]) == (number(3), Origin.ONE_RATER, None)


def test_a_majority_of_numbers_lies_within_the_tolerance():
    votes = [votes_for(number(10), 1), votes_for(number(10.4), 2), votes_for(number(12), 3)]

    assert outcome(FinalRule.MAJORITY, votes, tolerance=0.5) == (number(10), Origin.MAJORITY, 2 / 3)
    assert outcome(FinalRule.MAJORITY, votes)[0] is None
    assert outcome(FinalRule.UNANIMOUS, votes[:2], tolerance=0.5) == (number(10), Origin.UNANIMOUS, 1)


def test_a_reliable_rater_outweighs_two_others():
    weights = VoteWeights({1: 1.0, 2: 0.5, 3: 2.0, 4: 0.0})

    def found(*votes):
        return outcome(FinalRule.WEIGHTED, votes, reliability=weights)

    assert found(votes_for(GOOD, 1, 2), votes_for(BAD, 3)) == (BAD, Origin.WEIGHTED, 2 / 3.5)
    assert found(votes_for(GOOD, 1, 2)) == (GOOD, Origin.UNANIMOUS, 1)
    assert found(votes_for(GOOD, 2), votes_for(BAD, 4)) == (GOOD, Origin.WEIGHTED, 1)
    assert found(votes_for(GOOD, 1)) == (GOOD, Origin.ONE_RATER, 1)
    # Nothing is known of rater 9, and rater 4 weighs nothing.
    assert found(votes_for(GOOD, 4, 9)) == (None, Origin.NONE, None)
    assert found(votes_for(GOOD, 1, 2), votes_for(BAD, 3, 4), votes_for(FAIR, 9)) == (
        BAD,
        Origin.WEIGHTED,
        2 / 3.5,
    )


def test_equal_weights_are_a_tie():
    weights = VoteWeights({1: log(1.5), 2: log(1.5), 3: 0.1})

    votes = [votes_for(GOOD, 1), votes_for(BAD, 2), votes_for(FAIR, 3)]
    assert outcome(FinalRule.WEIGHTED, votes, reliability=weights) == (None, Origin.NONE, None)


# Rater 1 is right in 9 of 10; rater 2 tells nothing; rater 3 never says 2.
RATES = {
    "raters": [1, 2, 3],
    "categories": [1, 2],
    "prevalence": [0.75, 0.25],
    "confusion": [[[0.9, 0.1], [0.1, 0.9]], [[0.5, 0.5], [0.5, 0.5]], [[1, 0], [0, 0]]],
}


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ([votes_for(FAIR, 1)], (FAIR, 0.25 * 0.9 / (0.25 * 0.9 + 0.75 * 0.1))),
        ([votes_for(FAIR, 1), votes_for(GOOD, 2)], (FAIR, 0.25 * 0.9 / (0.25 * 0.9 + 0.75 * 0.1))),
        # Two say 2, and one who never errs so says 1: it is 1 for certain.
        ([votes_for(FAIR, 1, 2), votes_for(GOOD, 3)], (GOOD, 1)),
        # That rater 3 says 2 was never seen, and tells nothing.
        ([votes_for(FAIR, 1, 3)], (FAIR, 0.25 * 0.9 / (0.25 * 0.9 + 0.75 * 0.1))),
        ([votes_for(FAIR, 3, 9)], (None, None)),
        ([votes_for(BAD, 1)], (None, None)),
    ],
)
def test_the_most_probable_category(votes, expected):
    value, origin, certainty = outcome(FinalRule.DAWID_SKENE, votes, reliability=reliability_of(RATES))

    assert (value, certainty) == expected
    assert origin is (Origin.NONE if value is None else Origin.DAWID_SKENE)


def test_dawid_and_skenes_patients():
    labels = anaesthesia()
    rows = np.column_stack([labels.items, labels.raters, labels.codes])
    found = error_rates(rows, (45, 5, 4))
    assert not isinstance(found, str)
    prevalence, confusion = found
    result: dict = {"raters": [0, 1, 2, 3, 4], "categories": [1, 2, 3, 4]}
    result |= {"prevalence": prevalence.tolist(), "confusion": confusion.tolist()}
    rule = FinalLabelRule(FinalRule.DAWID_SKENE, reliability=reliability_of(result))

    finals = []
    for patient in range(45):
        by_code = {}
        for observer, line in OBSERVERS:
            by_code.setdefault(int(line[patient]), []).append(observer)
        finals.append(final_of([votes_for(FinalValue(code), *of) for code, of in by_code.items()], rule=rule))

    posterior = dawid_skene_of_labels(labels).posterior
    assert [final.certainty for final in finals] == pytest.approx(posterior.max(axis=1), abs=1e-9)
    assert [final.value.category for final in finals] == (posterior.argmax(axis=1) + 1).tolist()
    # In the paper, these patients are not what most observers say.
    assert [finals[patient - 1].value.category for patient in (2, 12, 36)] == [4, 3, 4]


def test_what_is_less_certain_than_the_threshold_stays_open():
    votes = [votes_for(GOOD, 1, 2, 3, 4), votes_for(BAD, 5)]

    assert outcome(FinalRule.MAJORITY, votes, threshold=0.8) == (GOOD, Origin.MAJORITY, 0.8)
    assert outcome(FinalRule.MAJORITY, votes, threshold=0.81) == (None, Origin.NONE, 0.8)
    assert outcome(FinalRule.PLURALITY, HALF, threshold=0.6) == (None, Origin.NONE, 0.5)


def test_rounding_does_not_leave_an_item_below_the_threshold():
    # Four of five equal weights are 80%, and a hair less in binary numbers.
    votes = [votes_for(GOOD, 1, 2, 3, 4), votes_for(BAD, 5)]
    weights = VoteWeights(dict.fromkeys(range(1, 6), 0.7))

    assert weights.certainties(votes)[GOOD] < 0.8
    assert outcome(FinalRule.WEIGHTED, votes, threshold=0.8, reliability=weights) == (
        GOOD,
        Origin.WEIGHTED,
        pytest.approx(0.8),
    )


@pytest.mark.parametrize("kind", FinalRule)
def test_a_decision_comes_first_and_a_reference_if_the_question_takes_them(kind):
    decided, gold = Votes(Voter.CONSENSUS, FAIR, 1), Votes(Voter.REFERENCE, BAD, 1)

    assert outcome(kind, [*TWO_TO_ONE, gold, decided]) == (FAIR, Origin.ADJUDICATED, None)
    assert outcome(kind, [*TWO_TO_ONE, gold]) == (BAD, Origin.REFERENCE, None)
    if kind in {FinalRule.PLURALITY, FinalRule.MAJORITY}:
        assert outcome(kind, [*TWO_TO_ONE, gold], takes_references=False)[0] == GOOD


@pytest.mark.parametrize("kind", sorted(ESTIMATED))
def test_without_an_estimate_nothing_follows_from_labels(kind):
    assert outcome(kind, ALL, threshold=0.9) == (None, Origin.NONE, None)
    assert FinalLabelRule(kind).is_waiting


@pytest.mark.parametrize("kind", Question.Kind)
@pytest.mark.parametrize("level", Question.Level)
def test_rules_that_are_offered(kind, level):
    offered = set(offered_rules(kind, level))

    assert offered >= {FinalRule.PLURALITY, FinalRule.ADJUDICATED, FinalRule.UNANIMOUS, FinalRule.MAJORITY}
    assert (FinalRule.DAWID_SKENE in offered) == (kind == "single")
    assert (FinalRule.CATEGORY_MAJORITY in offered) == (kind == "multiple")
    assert (FinalRule.MEAN in offered) == (kind == "number" and level in {"interval", "ratio"})


def test_all_rules_and_origins_have_words():
    assert set(ABOUT) == set(FinalRule)
    assert set(MEANING) == set(Origin)
    assert set().union(*map(origins_of, FinalRule)) == set(Origin) - {Origin.NOT_ASKED}
    assert ESTIMATED < WITH_THRESHOLD
