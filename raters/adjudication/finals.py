"""Which label of an item is final, and where it comes from: one rule, without a database.

A decision of adjudicators comes first, then the references if they are of one mind, then what all raters said, then
what more raters said than anything else. docs/adr/0010 says why.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


class Origin(StrEnum):
    ADJUDICATED = "adjudicated"
    REFERENCE = "reference"
    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    NONE = "none"


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


def final_of(votes: Sequence[Votes]) -> Final:
    """The final label of one item and question from everything that was said; each value of a kind of rater once."""
    said = [each for each in votes if each.voter is Voter.RATER and not each.value.is_abstention]
    n_raters = sum(each.n for each in said)
    n_cannot_tell = sum(each.n for each in votes if each.voter is Voter.RATER) - n_raters
    value, origin = _value_of(votes, said)
    final = Final(value, origin, n_raters, n_cannot_tell, None)
    return replace(final, share_agree=_share(said, value, n_raters))


def _value_of(votes: Sequence[Votes], said: Sequence[Votes]) -> tuple[FinalValue | None, Origin]:
    decided = [each.value for each in votes if each.voter is Voter.CONSENSUS]
    if decided:
        return decided[0], Origin.ADJUDICATED
    references = [
        each.value for each in votes if each.voter is Voter.REFERENCE and not each.value.is_abstention
    ]
    # References that contradict each other decide nothing.
    if len(references) == 1:
        return references[0], Origin.REFERENCE
    if len(said) == 1:
        return said[0].value, Origin.UNANIMOUS
    most = max((each.n for each in said), default=0)
    leading = [each.value for each in said if each.n == most]
    return (leading[0], Origin.MAJORITY) if len(leading) == 1 else (None, Origin.NONE)


def _share(said: Sequence[Votes], value: FinalValue | None, n_raters: int) -> float | None:
    if not n_raters or value == CANNOT_TELL:
        return None
    if value is None:
        return max(each.n for each in said) / n_raters
    return sum(each.n for each in said if each.value == value) / n_raters
