"""Which label of an item is final, and where it comes from: one rule, without a database.

A decision of adjudicators comes first, then the references if they are of one mind, then what all raters said, then
what more raters said than anything else. docs/adr/0010 says why. Unanimous takes two raters: what a single one said is
an origin of its own. Numbers that lie within the tolerance of their question say the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.tolerance import are_within


class Origin(StrEnum):
    ADJUDICATED = "adjudicated"
    REFERENCE = "reference"
    UNANIMOUS = "unanimous"
    ONE_RATER = "one_rater"
    MAJORITY = "majority"
    NONE = "none"
    NOT_ASKED = "not_asked"

    @property
    def words(self) -> str:
        """As a page says it; files have the value."""
        return self.replace("_", " ")


# Of a question that is asked only of some: the question that it hangs on, and the answers that ask it.
Condition = tuple[int, frozenset[int]]


class Voter(StrEnum):
    """By kind of rater: people and models vote alike."""

    RATER = "rater"
    REFERENCE = "reference"
    CONSENSUS = "consensus"


@dataclass(frozen=True, slots=True)
class FinalValue:
    """What was said: one of the three, or none of them for "cannot tell"."""

    category: int | None = None
    category_set: tuple[int, ...] | None = None
    number: float | None = None

    @property
    def is_abstention(self) -> bool:
        return self.category is None and self.category_set is None and self.number is None


CANNOT_TELL = FinalValue()


@dataclass(frozen=True, slots=True)
class Votes:
    """How many of one kind of rater said one thing of an item."""

    voter: Voter
    value: FinalValue
    n: int


@dataclass(frozen=True, slots=True)
class Final:
    """value: None where nothing is final. n_raters: raters who gave a label; "cannot tell" is none, and counted apart.

    share_agree: of n_raters, those who gave the final label; where nothing is final, those behind each of the tied
    labels. None without raters, and for "cannot tell" as the decision.
    """

    value: FinalValue | None
    origin: Origin
    n_raters: int
    n_cannot_tell: int
    share_agree: float | None


def under(condition: Condition, finals: Mapping[int, Final], own: Final) -> Final:
    """The final label of a question that is asked only of some, given those of the earlier questions of its item.

    Where the earlier one is answered so that this one is not asked, nothing that was said of it counts, not even a
    decision; while the earlier one is open, nothing is final. Without any label of the earlier one, it stands.
    """
    parent = finals.get(condition[0])
    if parent is None:
        return own
    if parent.value is None and parent.origin is not Origin.NOT_ASKED:
        return replace(own, value=None, origin=Origin.NONE)
    value = parent.value or CANNOT_TELL
    chosen = {value.category} if value.category is not None else set(value.category_set or ())
    if chosen & condition[1]:
        return own
    return replace(own, value=None, origin=Origin.NOT_ASKED, share_agree=None)


def final_of(votes: Sequence[Votes], *, tolerance: float = 0.0) -> Final:
    """The final label of one item and question from everything that was said; each value of a kind of rater once.

    tolerance: of the question; numbers that lie no further apart say the same.
    """
    said = [each for each in votes if each.voter is Voter.RATER and not each.value.is_abstention]
    n_raters = sum(each.n for each in said)
    n_cannot_tell = sum(each.n for each in votes if each.voter is Voter.RATER) - n_raters
    value, origin = _value_of(votes, said, tolerance)
    final = Final(value, origin, n_raters, n_cannot_tell, None)
    return replace(final, share_agree=_share(said, value, tolerance))


def _value_of(
    votes: Sequence[Votes], said: Sequence[Votes], tolerance: float
) -> tuple[FinalValue | None, Origin]:
    decided = [each.value for each in votes if each.voter is Voter.CONSENSUS]
    if decided:
        return decided[0], Origin.ADJUDICATED
    references = [each for each in votes if each.voter is Voter.REFERENCE and not each.value.is_abstention]
    # References that contradict each other decide nothing.
    if references and _are_alike(references, tolerance):
        return _middle(references), Origin.REFERENCE
    if not said:
        return None, Origin.NONE
    if sum(each.n for each in said) == 1:
        return said[0].value, Origin.ONE_RATER
    if _are_alike(said, tolerance):
        return _middle(said), Origin.UNANIMOUS
    most = max(_support(said, each.value, tolerance) for each in said)
    leading = [each for each in said if _support(said, each.value, tolerance) == most]
    return (_middle(leading), Origin.MAJORITY) if _are_alike(leading, tolerance) else (None, Origin.NONE)


def _is_alike(one: FinalValue, other: FinalValue, tolerance: float) -> bool:
    if one.number is None or other.number is None:
        return one == other
    return are_within(one.number, other.number, tolerance)


def _are_alike(votes: Sequence[Votes], tolerance: float) -> bool:
    """Whether all say the same; numbers do if the smallest and the largest do."""
    values = sorted((each.value for each in votes), key=_size)
    return all(_is_alike(values[0], value, tolerance) for value in values)


def _middle(votes: Sequence[Votes]) -> FinalValue:
    """Of numbers that say the same the median of the raters, the lower of two: a number that somebody gave."""
    ordered = sorted(votes, key=lambda each: _size(each.value))
    before, n = 0, sum(each.n for each in ordered)
    for each in ordered:
        before += each.n
        if 2 * before >= n:
            break
    return each.value


def _size(value: FinalValue) -> float:
    return value.number or 0.0


def _support(said: Sequence[Votes], value: FinalValue, tolerance: float) -> int:
    return sum(each.n for each in said if _is_alike(each.value, value, tolerance))


def _share(said: Sequence[Votes], value: FinalValue | None, tolerance: float) -> float | None:
    n_raters = sum(each.n for each in said)
    if not n_raters or value == CANNOT_TELL:
        return None
    if value is None:
        return max(_support(said, each.value, tolerance) for each in said) / n_raters
    return _support(said, value, tolerance) / n_raters
