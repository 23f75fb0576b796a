"""Code shared by resampling methods: the result, blocks that bound memory, and reasons for having no interval."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import REASONS, Estimates, FloatArray, Interval, Reason, number

if TYPE_CHECKING:
    from reports.agreement.statistic import ItemKinds, Statistic

# With more than this share of undefined replicates, there is no interval.
MOST_UNDEFINED = 0.05
# A mean square below this share of the squared value is rounding error.
ROUNDING = 1e-24
# Weights processed at a time: 4 MB, so that the rest fits into the cache and a small machine.
BLOCK_CELLS = 1 << 19


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReplicatedEstimates(Estimates):
    """A stack of values, (P,), with errors and intervals from replicates of the data.

    n_replicates, n_undefined: (P,) int64, the number of replicates, and of those without a value.
    """

    n_replicates: NDArray[np.int64]
    n_undefined: NDArray[np.int64]

    def interval(self, position: int) -> Interval:
        """Return the interval at one position, with None for what is undefined."""
        return Interval(
            se=number(self.se[position]),
            low=number(self.ci_low[position]),
            high=number(self.ci_high[position]),
            reason=REASONS[self.reason[position]],
            method=self.method,
            n_replicates=int(self.n_replicates[position]),
            n_undefined=int(self.n_undefined[position]),
        )


def blocks(n_replicates: int, *, width: int) -> list[slice]:
    """Split replicates into blocks of about BLOCK_CELLS numbers, `width` per replicate."""
    step = max(1, BLOCK_CELLS // max(1, width))
    return [slice(start, min(start + step, n_replicates)) for start in range(0, n_replicates, step)]


def used_kinds(statistic: "Statistic", units: "ItemKinds") -> NDArray[np.bool_]:
    """(U,) the kinds of items that enter the statistic."""
    return units.n_labels >= (1 if statistic.uses_single else 2)


def why_undefined(units: "ItemKinds") -> Reason:
    """Return the reason why these items have no value, or no interval, for any statistic."""
    if not units.n_items.sum():
        return Reason.NO_ITEMS
    n_pairable = int(units.n_items[units.n_labels >= 2].sum())
    if not n_pairable:
        return Reason.NO_OVERLAP
    return Reason.ONE_ITEM if n_pairable < 2 else Reason.NONE


def has_too_many_undefined(
    n_undefined: NDArray[np.int64], n_replicates: NDArray[np.int64]
) -> NDArray[np.bool_]:
    return n_undefined > MOST_UNDEFINED * n_replicates


def reasons(
    value: FloatArray,
    n: NDArray[np.int64],
    mean_square: FloatArray,
    *,
    n_replicates: NDArray[np.int64],
    n_undefined: NDArray[np.int64],
) -> NDArray[np.uint8]:
    """(P,) reasons for having no interval, as positions in REASONS; mean_square: of replicates about their mean."""
    has_spread = mean_square > ROUNDING * np.maximum(1, value**2)
    cases = {
        Reason.NO_OVERLAP: n == 0,
        Reason.NO_VARIATION: np.isnan(value),
        Reason.ONE_ITEM: n < 2,
        Reason.TOO_MANY_UNDEFINED: has_too_many_undefined(n_undefined, n_replicates),
        Reason.DEGENERATE_SE: ~has_spread & (np.abs(value - 1) <= 1e-12),
        Reason.DEGENERATE_MARGINS: ~has_spread,
    }
    positions = [REASONS.index(reason) for reason in cases]
    return np.select(list(cases.values()), positions, default=0).astype(np.uint8)


def without(reason: NDArray[np.uint8], se: FloatArray) -> FloatArray:
    """The standard errors that remain: 0 where all replicates are in full agreement, NaN for any other reason."""
    has_se = np.isin(reason, [REASONS.index(Reason.NONE), REASONS.index(Reason.OUTSIDE_REPLICATES)])
    is_full = reason == REASONS.index(Reason.DEGENERATE_SE)
    return np.where(has_se, se, np.where(is_full, 0.0, np.nan))
