"""Whether a model gives the same label when it labels an item again."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.intervals.wilson import wilson_limits
from reports.agreement.results import IntArray, Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Stability:
    """n_items: items labeled at least twice; n_runs: the largest number of labels of an item; n_same: items with the
    same label in all runs. share: n_same / n_items, with Wilson's interval; None, with the reason, without such items.
    """

    n_items: int
    n_runs: int
    n_same: int
    share: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    reason: Reason = Reason.NONE


def stability(items: IntArray, values: NDArray[Any], *, confidence: float = 0.95) -> Stability:
    """Return the stability of one model's labels, (L,) items and values, in any order; equal values are the same label.

    Undefined: no item with two labels (`no_overlap`).
    """
    _, places, n_labels = np.unique(items, return_inverse=True, return_counts=True)
    codes = np.unique(values, return_inverse=True)[1].ravel()
    n_kinds = np.bincount(np.unique(np.stack((places, codes), axis=1), axis=0)[:, 0], minlength=len(n_labels))
    again = n_labels >= 2
    n, n_same = int(again.sum()), int((n_kinds[again] == 1).sum())
    n_runs = int(n_labels.max(initial=0))
    if not n:
        return Stability(n_items=0, n_runs=n_runs, n_same=0, share=None, reason=Reason.NO_OVERLAP)
    share = np.array([n_same / n])
    low, high = wilson_limits(share, np.array([float(n)]), confidence=confidence)
    return Stability(
        n_items=n,
        n_runs=n_runs,
        n_same=n_same,
        share=n_same / n,
        ci_low=float(low[0]),
        ci_high=float(high[0]),
    )
