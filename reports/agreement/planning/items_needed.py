"""The result of every plan: a number of items."""

import math
from dataclasses import dataclass

# A whole number that exceeds itself by less than this through rounding is not rounded up.
ROUNDING = 1e-9
MAX_ITEMS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsNeeded:
    """The number of items that a study needs.

    se: Monte Carlo error of n_items, 0 if from a formula. reached: the expected half-width or power with n_items, in
    the requested unit, and reached_se its Monte Carlo error. undefined: share of simulated studies of this size whose
    coefficient had no interval.
    """

    n_items: int
    se: float = 0.0
    reached: float
    reached_se: float = 0.0
    undefined: float = 0.0
    method: str


def whole(items: float) -> int:
    """Return the smallest whole number of items that is enough, at least 2. Raises ValueError above ten million."""
    if not items <= MAX_ITEMS:
        raise ValueError(f"this needs more than {MAX_ITEMS:,} items; ask for less precision or power")
    return max(2, math.ceil(items * (1 - ROUNDING)))
