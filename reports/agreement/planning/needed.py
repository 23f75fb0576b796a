"""What every plan returns: a number of items."""

import math
from dataclasses import dataclass

# A whole number that rounding has lifted by less than this stays itself.
ROUNDING = 1e-9
MAX_ITEMS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsNeeded:
    """How many items a study needs.

    se: Monte-Carlo error of n_items, 0 where it was found by a formula. reached: the half width or power that is
    expected with n_items, in the unit asked for, and reached_se its Monte-Carlo error. undefined: share of simulated
    studies of this size whose coefficient had no interval.
    """

    n_items: int
    se: float = 0.0
    reached: float
    reached_se: float = 0.0
    undefined: float = 0.0
    method: str


def whole(items: float) -> int:
    """The least whole number of items that is enough, 2 at least. Raises ValueError above ten million."""
    if not items <= MAX_ITEMS:
        raise ValueError(f"this needs more than {MAX_ITEMS:,} items; ask for less precision or power")
    return max(2, math.ceil(items * (1 - ROUNDING)))
