"""Which label is final: the rule alone."""

import pytest

from raters.adjudication.finals import final_of, under
from raters.adjudication.rules import Origin
from raters.adjudication.votes import CANNOT_TELL, FinalValue, Voter, Votes

GOOD, FAIR, BAD = (FinalValue(category=pk) for pk in (1, 2, 3))


def votes_for(value: FinalValue, n: int) -> Votes:
    return Votes(Voter.RATER, value, n)


def by_reference(value: FinalValue, n: int = 1) -> Votes:
    return Votes(Voter.REFERENCE, value, n)


def decided(value: FinalValue) -> Votes:
    return Votes(Voter.CONSENSUS, value, 1)


@pytest.mark.parametrize(
    ("votes", "value", "origin", "n_raters", "n_cannot_tell", "share"),
    [
        ([votes_for(GOOD, 3)], GOOD, Origin.UNANIMOUS, 3, 0, 1.0),
        ([votes_for(GOOD, 1)], GOOD, Origin.ONE_RATER, 1, 0, 1.0),
        ([votes_for(GOOD, 2), votes_for(CANNOT_TELL, 1)], GOOD, Origin.UNANIMOUS, 2, 1, 1.0),
        ([votes_for(GOOD, 2), votes_for(BAD, 1)], GOOD, Origin.MAJORITY, 3, 0, 2 / 3),
        ([votes_for(GOOD, 2), votes_for(FAIR, 1), votes_for(BAD, 1)], GOOD, Origin.MAJORITY, 4, 0, 0.5),
        ([votes_for(GOOD, 2), votes_for(BAD, 2), votes_for(FAIR, 1)], None, Origin.NONE, 5, 0, 0.4),
        ([votes_for(CANNOT_TELL, 2)], None, Origin.NONE, 0, 2, None),
        ([], None, Origin.NONE, 0, 0, None),
        ([votes_for(GOOD, 3), by_reference(BAD)], BAD, Origin.REFERENCE, 3, 0, 0.0),
        ([by_reference(BAD)], BAD, Origin.REFERENCE, 0, 0, None),
        ([votes_for(GOOD, 3), by_reference(BAD), by_reference(FAIR)], GOOD, Origin.UNANIMOUS, 3, 0, 1.0),
        ([votes_for(GOOD, 3), by_reference(CANNOT_TELL)], GOOD, Origin.UNANIMOUS, 3, 0, 1.0),
        ([votes_for(GOOD, 1), by_reference(BAD), decided(FAIR)], FAIR, Origin.ADJUDICATED, 1, 0, 0.0),
        ([votes_for(GOOD, 1), votes_for(BAD, 3), decided(GOOD)], GOOD, Origin.ADJUDICATED, 4, 0, 0.25),
        (
            [votes_for(GOOD, 1), votes_for(BAD, 1), decided(CANNOT_TELL)],
            CANNOT_TELL,
            Origin.ADJUDICATED,
            2,
            0,
            None,
        ),
    ],
)
def test_the_final_label_and_its_origin(votes, value, origin, n_raters, n_cannot_tell, share):
    final = final_of(votes)

    assert (final.value, final.origin, final.n_raters, final.n_cannot_tell) == (
        value,
        origin,
        n_raters,
        n_cannot_tell,
    )
    assert final.share_agree == (None if share is None else pytest.approx(share, abs=1e-15))


def test_numbers_and_sets_are_compared_whole():
    empty, one, number = FinalValue(category_set=()), FinalValue(category_set=(1,)), FinalValue(number=0.0)

    assert final_of([votes_for(empty, 2), votes_for(one, 1)]).value == empty
    assert final_of([votes_for(number, 1)]).value == number
    assert not empty.is_abstention
    assert not number.is_abstention


def numbers(*counts):
    return [votes_for(FinalValue(number=number), n) for number, n in counts]


@pytest.mark.parametrize(
    ("votes", "number", "origin", "share"),
    [
        # All within 0.5 of each other: the median of the raters, the lower of two, which somebody gave.
        (numbers((10.0, 1), (10.5, 1)), 10.0, Origin.UNANIMOUS, 1.0),
        (numbers((10.0, 1), (10.2, 1), (10.5, 2)), 10.2, Origin.UNANIMOUS, 1.0),
        (numbers((10.0, 1), (10.5, 3)), 10.5, Origin.UNANIMOUS, 1.0),
        # 10 and 10.4 support each other, 12 stands alone.
        (numbers((10.0, 1), (10.4, 1), (12.0, 1)), 10.0, Origin.MAJORITY, 2 / 3),
        # A chain: the middle one has all, the ends do not say the same.
        (numbers((10.0, 1), (10.5, 1), (11.0, 1)), 10.5, Origin.MAJORITY, 1.0),
        (numbers((10.0, 1), (12.0, 1)), None, Origin.NONE, 0.5),
        (numbers((10.0, 1)), 10.0, Origin.ONE_RATER, 1.0),
    ],
)
def test_numbers_within_the_tolerance_say_the_same(votes, number, origin, share):
    final = final_of(votes, tolerance=0.5)

    assert (final.value and final.value.number, final.origin) == (number, origin)
    assert final.share_agree == pytest.approx(share, abs=1e-15)


@pytest.mark.parametrize(("one", "other"), [(0.7, 0.8), (1.0, 1.1), (-0.05, 0.05), (1000.1, 1000.2)])
def test_a_difference_as_large_as_the_tolerance_is_within_it(one, other):
    """0.8 − 0.7 is more than 0.1 in binary."""
    assert final_of(numbers((one, 1), (other, 1)), tolerance=0.1).origin == Origin.UNANIMOUS
    assert final_of(numbers((one, 1), (other, 1)), tolerance=0.099).origin == Origin.NONE


def test_without_a_tolerance_numbers_are_compared_exactly():
    assert final_of(numbers((10.0, 1), (10.0000001, 1))).origin == Origin.NONE


def test_references_within_the_tolerance_do_not_contradict_each_other():
    votes = [by_reference(FinalValue(number=4.0)), by_reference(FinalValue(number=4.2))]

    assert final_of(votes, tolerance=0.5).value == FinalValue(number=4.0)
    assert final_of(votes).origin == Origin.NONE


ASKED_IF_GOOD = (7, frozenset({1}))


@pytest.mark.parametrize(
    ("parent", "value", "origin"),
    [
        ([votes_for(GOOD, 2)], BAD, Origin.UNANIMOUS),
        ([votes_for(GOOD, 2), votes_for(FAIR, 1)], BAD, Origin.UNANIMOUS),
        ([votes_for(FAIR, 2)], None, Origin.NOT_ASKED),
        ([votes_for(GOOD, 2), decided(FAIR)], None, Origin.NOT_ASKED),
        ([votes_for(GOOD, 2), decided(CANNOT_TELL)], None, Origin.NOT_ASKED),
        ([votes_for(GOOD, 1), votes_for(FAIR, 1)], None, Origin.NONE),
        ([votes_for(CANNOT_TELL, 2)], None, Origin.NONE),
        ([votes_for(FinalValue(category_set=(1, 2)), 2)], BAD, Origin.UNANIMOUS),
        ([votes_for(FinalValue(category_set=(2,)), 2)], None, Origin.NOT_ASKED),
        ([votes_for(FinalValue(category_set=()), 2)], None, Origin.NOT_ASKED),
    ],
)
def test_a_question_that_depends_on_another(parent, value, origin):
    own = final_of([votes_for(BAD, 2)])

    found = under(ASKED_IF_GOOD, {7: final_of(parent)}, own)

    assert (found.value, found.origin, found.n_raters) == (value, origin, 2)


def test_what_hangs_on_a_question_that_is_not_asked_is_not_asked_either():
    first = {7: final_of([votes_for(FAIR, 2)])}
    second = under(ASKED_IF_GOOD, first, final_of([votes_for(GOOD, 2)]))

    third = under((8, frozenset({1})), {**first, 8: second}, final_of([votes_for(BAD, 2), decided(BAD)]))

    assert (third.value, third.origin) == (None, Origin.NOT_ASKED)


def test_without_an_answer_to_the_earlier_question_it_counts():
    own = final_of([votes_for(BAD, 2)])

    assert under(ASKED_IF_GOOD, {}, own) is own
