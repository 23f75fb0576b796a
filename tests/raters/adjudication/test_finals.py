"""Which label is final: the rule alone."""

import pytest

from raters.adjudication.finals import CANNOT_TELL, FinalValue, Origin, Voter, Votes, final_of

GOOD, FAIR, BAD = (FinalValue(category=pk) for pk in (1, 2, 3))


def said(value: FinalValue, n: int) -> Votes:
    return Votes(Voter.RATER, value, n)


def by_reference(value: FinalValue, n: int = 1) -> Votes:
    return Votes(Voter.REFERENCE, value, n)


def decided(value: FinalValue) -> Votes:
    return Votes(Voter.CONSENSUS, value, 1)


@pytest.mark.parametrize(
    ("votes", "value", "origin", "n_raters", "n_cannot_tell", "share"),
    [
        ([said(GOOD, 3)], GOOD, Origin.UNANIMOUS, 3, 0, 1.0),
        ([said(GOOD, 1)], GOOD, Origin.UNANIMOUS, 1, 0, 1.0),
        ([said(GOOD, 2), said(CANNOT_TELL, 1)], GOOD, Origin.UNANIMOUS, 2, 1, 1.0),
        ([said(GOOD, 2), said(BAD, 1)], GOOD, Origin.MAJORITY, 3, 0, 2 / 3),
        ([said(GOOD, 2), said(FAIR, 1), said(BAD, 1)], GOOD, Origin.MAJORITY, 4, 0, 0.5),
        ([said(GOOD, 2), said(BAD, 2), said(FAIR, 1)], None, Origin.NONE, 5, 0, 0.4),
        ([said(CANNOT_TELL, 2)], None, Origin.NONE, 0, 2, None),
        ([], None, Origin.NONE, 0, 0, None),
        ([said(GOOD, 3), by_reference(BAD)], BAD, Origin.REFERENCE, 3, 0, 0.0),
        ([by_reference(BAD)], BAD, Origin.REFERENCE, 0, 0, None),
        ([said(GOOD, 3), by_reference(BAD), by_reference(FAIR)], GOOD, Origin.UNANIMOUS, 3, 0, 1.0),
        ([said(GOOD, 3), by_reference(CANNOT_TELL)], GOOD, Origin.UNANIMOUS, 3, 0, 1.0),
        ([said(GOOD, 1), by_reference(BAD), decided(FAIR)], FAIR, Origin.ADJUDICATED, 1, 0, 0.0),
        ([said(GOOD, 1), said(BAD, 3), decided(GOOD)], GOOD, Origin.ADJUDICATED, 4, 0, 0.25),
        ([said(GOOD, 1), said(BAD, 1), decided(CANNOT_TELL)], CANNOT_TELL, Origin.ADJUDICATED, 2, 0, None),
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

    assert final_of([said(empty, 2), said(one, 1)]).value == empty
    assert final_of([said(number, 1)]).value == number
    assert not empty.is_abstention
    assert not number.is_abstention
