"""How many items decide whether a coefficient reaches a criterion."""

import math
from dataclasses import dataclass
from enum import StrEnum

# Beyond this many, a number would promise what no study can do.
MOST_ITEMS = 1_000_000


class Outcome(StrEnum):
    MET = "met"
    NOT_MET = "not_met"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Decision:
    """outcome: None without an interval. n_more: items that would decide what is undecided; None if not to be said."""

    outcome: Outcome | None
    n_more: int | None = None


def decide(
    *, value: float | None, low: float | None, high: float | None, criterion: float, n_items: int | None
) -> Decision:
    """Where an interval lies: at or above the criterion, below it, or on both sides."""
    if value is None or low is None or high is None:
        return Decision(None)
    if low >= criterion:
        return Decision(Outcome.MET)
    if high < criterion:
        return Decision(Outcome.NOT_MET)
    total = items_to_decide(value=value, low=low, high=high, criterion=criterion, n_items=n_items or 0)
    return Decision(Outcome.UNDECIDED, None if total is None else max(1, total - (n_items or 0)))


def items_to_decide(*, value: float, low: float, high: float, criterion: float, n_items: int) -> int | None:
    """All items with which the interval ends at the criterion, if the value stays what it is.

    The reach of an interval shrinks with the square root of the items: n' = n (reach / gap)^2, where reach is from the
    value to the limit on the side of the criterion, and gap from the value to the criterion. None if the value is the
    criterion, or if more than MOST_ITEMS are needed.
    """
    is_above = value >= criterion
    gap = value - criterion if is_above else criterion - value
    reach = value - low if is_above else high - value
    if n_items <= 0 or gap <= 0 or n_items * (reach / gap) ** 2 > MOST_ITEMS:
        return None
    return math.ceil(n_items * (reach / gap) ** 2 - 1e-9)
