"""Votes on one item and question: values, counts, and equality of numbers within a tolerance."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.tolerance import are_within


class Voter(StrEnum):
    """Kinds of voters. People and models are both raters."""

    RATER = "rater"
    REFERENCE = "reference"
    CONSENSUS = "consensus"


@dataclass(frozen=True, slots=True)
class FinalValue:
    """A value: one of the three fields, or none for "cannot tell"."""

    category: int | None = None
    category_set: tuple[int, ...] | None = None
    number: float | None = None

    @property
    def is_abstention(self) -> bool:
        return self.category is None and self.category_set is None and self.number is None


CANNOT_TELL = FinalValue()


@dataclass(frozen=True, slots=True)
class Votes:
    """The number of voters of one kind who gave a value. raters: their IDs, if the rule needs them."""

    voter: Voter
    value: FinalValue
    n: int
    raters: tuple[int, ...] = ()


def n_of(votes: Iterable[Votes]) -> int:
    return sum(each.n for each in votes)


def are_equal_values(one: FinalValue, other: FinalValue, tolerance: float) -> bool:
    if one.number is None or other.number is None:
        return one == other
    return are_within(one.number, other.number, tolerance)


def all_votes_equal(votes: Sequence[Votes], tolerance: float) -> bool:
    """Return whether all values are equal; numbers are if the smallest and the largest are within the tolerance."""
    values = sorted((each.value for each in votes), key=_size)
    return all(are_equal_values(values[0], value, tolerance) for value in values)


def middle(votes: Sequence[Votes]) -> FinalValue:
    """Return the median of the raters' numbers, the lower one of two, which is a number that somebody gave."""
    ordered = sorted(votes, key=lambda each: _size(each.value))
    before, n = 0, n_of(votes)
    for each in ordered:
        before += each.n
        if 2 * before >= n:
            break
    return each.value


def support(votes: Iterable[Votes], value: FinalValue, tolerance: float) -> int:
    """Return how many gave this value, or a number within the tolerance of it."""
    return sum(each.n for each in votes if are_equal_values(each.value, value, tolerance))


def share(votes: Sequence[Votes], value: FinalValue | None, tolerance: float) -> float | None:
    """Return the share of raters with a label who gave this value or, for None, each of the most frequent values."""
    if not votes or value == CANNOT_TELL:
        return None
    if value is None:
        return max(support(votes, each.value, tolerance) for each in votes) / n_of(votes)
    return support(votes, value, tolerance) / n_of(votes)


def _size(value: FinalValue) -> float:
    return value.number or 0.0
