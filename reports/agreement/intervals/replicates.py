"""What all replicates share: blocks that bound their memory, and when they give no interval."""

import math
from typing import TYPE_CHECKING

from reports.agreement.results import Reason

if TYPE_CHECKING:
    from reports.agreement.overall.statistic import Units

# More undefined replicates than this share leave no interval (2.17 of the definitions).
MOST_UNDEFINED = 0.05
# A mean square below this share of the squared value is rounding, not variation.
ROUNDING = 1e-24
# Weights that are worked on at a time: 8 MB of them, so that the rest fits the cache and a small machine.
BLOCK_CELLS = 1 << 20


def blocks(n_replicates: int, *, width: int) -> list[slice]:
    """Replicates in blocks of about BLOCK_CELLS numbers, `width` for each of them."""
    step = max(1, BLOCK_CELLS // max(1, width))
    return [slice(start, min(start + step, n_replicates)) for start in range(0, n_replicates, step)]


def why_undefined(units: "Units") -> Reason:
    """Why these items have no value, or no interval, whatever the statistic."""
    if not units.n_items.sum():
        return Reason.NO_ITEMS
    n_pairable = int(units.n_items[units.n_labels >= 2].sum())
    if not n_pairable:
        return Reason.NO_OVERLAP
    return Reason.ONE_ITEM if n_pairable < 2 else Reason.NONE


def has_too_many_undefined(n_undefined: int, n_replicates: int) -> bool:
    return n_undefined > MOST_UNDEFINED * n_replicates


def without_spread(value: float) -> tuple[float | None, Reason]:
    """The error and reason where all replicates are alike: 0 in full agreement, none in anything less."""
    if math.isclose(value, 1, abs_tol=1e-12):
        return 0.0, Reason.DEGENERATE_SE
    return None, Reason.DEGENERATE_MARGINS
