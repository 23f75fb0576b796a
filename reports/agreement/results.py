"""What a statistic returns: a value with its error, or no value and the reason."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer]


class Reason(StrEnum):
    """Why a value, or its interval, is not given.

    The first three leave no value. The others leave the value and take its interval (2.21 of the
    definitions).
    """

    NONE = ""
    NO_ITEMS = "no_items"
    NO_OVERLAP = "no_overlap"
    NO_VARIATION = "no_variation"
    ONE_ITEM = "n<2"
    DEGENERATE_MARGINS = "degenerate_margins"
    DEGENERATE_SE = "degenerate_se"


REASONS = tuple(Reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One statistic of all raters together.

    n_items, n_labels: what the value rests on; items that the definition cannot use are not among them.
    method: which of several definitions or intervals this is.
    """

    value: float | None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    reason: Reason = Reason.NONE
    n_items: int
    n_labels: int
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairKappa:
    """Cohen's kappa of one pair of raters."""

    n: int
    observed: float | None
    expected: float | None
    kappa: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    kappa_max: float | None
    reason: Reason


@dataclass(frozen=True, slots=True, eq=False)
class PairKappas:
    """Cohen's kappa of P pairs, one entry each; NaN where undefined.

    n: (P,) int64, items that both rated. reason: (P,) uint8, positions in REASONS. All others: (P,) float64.
    """

    n: NDArray[np.int64]
    observed: FloatArray
    expected: FloatArray
    kappa: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    kappa_max: FloatArray
    reason: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.n)

    def __iter__(self) -> Iterator[PairKappa]:
        return map(self.pair, range(len(self)))

    def pair(self, position: int) -> PairKappa:
        """The pair at this position, with None for what is undefined."""
        return PairKappa(
            n=int(self.n[position]),
            observed=number(self.observed[position]),
            expected=number(self.expected[position]),
            kappa=number(self.kappa[position]),
            se=number(self.se[position]),
            ci_low=number(self.ci_low[position]),
            ci_high=number(self.ci_high[position]),
            kappa_max=number(self.kappa_max[position]),
            reason=REASONS[self.reason[position]],
        )


def number(value: float) -> float | None:
    """A float of Python's own, or None for NaN."""
    return None if np.isnan(value) else float(value)
