"""How many items decide whether a coefficient reaches a criterion."""

import math
from dataclasses import dataclass
from enum import StrEnum

from reports.agreement.planning.larger import Limits

# Beyond this many, a number would promise what no study can do.
MOST_ITEMS = 1_000_000


class Outcome(StrEnum):
    MET = "met"
    NOT_MET = "not_met"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Decision:
    """outcome: None without an interval. n_more: items that would decide what is undecided; None if not to be said.

    needs_raters: whether that is because the interval is wide for want of raters, which items do not replace.
    """

    outcome: Outcome | None
    n_more: int | None = None
    needs_raters: bool = False


def decide(
    *,
    value: float | None,
    low: float | None,
    high: float | None,
    criterion: float,
    n_items: int | None,
    limits: Limits | None = None,
) -> Decision:
    """Where an interval lies: at or above the criterion, below it, or on both sides.

    limits: of a study of more items; by the root of their number if not given.
    """
    if value is None or low is None or high is None:
        return Decision(None)
    if low >= criterion:
        return Decision(Outcome.MET)
    if high < criterion:
        return Decision(Outcome.NOT_MET)
    n = n_items or 0
    total = items_to_decide(value=value, low=low, high=high, criterion=criterion, n_items=n)
    if total is None or limits is None:
        return Decision(Outcome.UNDECIDED, None if total is None else max(1, total - n))
    planned = items_by_limits(limits, value=value, criterion=criterion, n_items=n)
    if planned is None:
        return Decision(Outcome.UNDECIDED, needs_raters=True)
    return Decision(Outcome.UNDECIDED, max(1, planned - n))


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


def items_by_limits(limits: Limits, *, value: float, criterion: float, n_items: int) -> int | None:
    """All items with which the limit on the side of the criterion reaches it; None if MOST_ITEMS are too few."""

    def is_decided(n: int) -> bool:
        low, high = limits(n)
        return low >= criterion if value >= criterion else high < criterion

    if not is_decided(MOST_ITEMS):
        return None
    undecided, decided = max(2, n_items), MOST_ITEMS
    while decided - undecided > 1:
        middle = (undecided + decided) // 2
        undecided, decided = (undecided, middle) if is_decided(middle) else (middle, decided)
    return decided
