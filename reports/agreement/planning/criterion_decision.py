"""The number of items needed to decide whether a coefficient reaches a criterion."""

import math
from dataclasses import dataclass
from enum import StrEnum

from reports.agreement.few_items import LEAST_ITEMS, are_few
from reports.agreement.planning.extrapolation import Limits

# Larger numbers would be out of reach for any study.
MOST_ITEMS = 1_000_000


class CriterionOutcome(StrEnum):
    MET = "met"
    NOT_MET = "not_met"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class CriterionDecision:
    """outcome: None without an interval. n_more: additional items that would decide an undecided case; None if unknown.

    has_few_items: whether the interval is from too few items to decide anything; n_more is then how many are missing.
    needs_raters: whether it is wide for lack of raters, for which items cannot compensate. is_close: whether the value
    is too close to the criterion for any number of items.
    """

    outcome: CriterionOutcome | None
    n_more: int | None = None
    has_few_items: bool = False
    needs_raters: bool = False
    is_close: bool = False


def decide(
    *,
    value: float | None,
    low: float | None,
    high: float | None,
    criterion: float,
    n_items: int | None,
    limits: Limits | None,
) -> CriterionDecision:
    """Decide where an interval lies: at or above the criterion, below it, or on both sides; not from too few items.

    limits: of a study with more items; None if unknown.
    """
    if value is None or low is None or high is None:
        return CriterionDecision(None)
    if are_few(n_items):
        return CriterionDecision(CriterionOutcome.UNDECIDED, LEAST_ITEMS - (n_items or 0), has_few_items=True)
    if low >= criterion:
        return CriterionDecision(CriterionOutcome.MET)
    if high < criterion:
        return CriterionDecision(CriterionOutcome.NOT_MET)
    if limits is None:
        return CriterionDecision(CriterionOutcome.UNDECIDED)
    n = n_items or 0
    if items_to_decide(value=value, low=low, high=high, criterion=criterion, n_items=n) is None:
        return CriterionDecision(CriterionOutcome.UNDECIDED, is_close=True)
    planned = items_by_limits(limits, value=value, criterion=criterion, n_items=n)
    if planned is None:
        return CriterionDecision(CriterionOutcome.UNDECIDED, needs_raters=True)
    return CriterionDecision(CriterionOutcome.UNDECIDED, max(1, planned - n))


def items_to_decide(*, value: float, low: float, high: float, criterion: float, n_items: int) -> int | None:
    """The total number of items at which the interval ends at the criterion, if the value stays the same.

    The width of an interval decreases with the square root of the number of items: n' = n (reach / gap)^2, where reach
    is the distance from the value to the limit on the side of the criterion, and gap that from the value to the
    criterion. None if the value equals the criterion, or if more than MOST_ITEMS are needed.
    """
    is_above = value >= criterion
    gap = value - criterion if is_above else criterion - value
    reach = value - low if is_above else high - value
    if n_items <= 0 or gap <= 0 or n_items * (reach / gap) ** 2 > MOST_ITEMS:
        return None
    return math.ceil(n_items * (reach / gap) ** 2 - 1e-9)


def items_by_limits(limits: Limits, *, value: float, criterion: float, n_items: int) -> int | None:
    """The total number of items at which the limit facing the criterion reaches it; None if MOST_ITEMS are too few."""

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
