"""Krippendorff's alpha, linearised: what each item adds to it, whatever the difference."""

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray


def linearised_alpha(
    value: float,
    *,
    n_labels: NDArray[np.int64],
    used: FloatArray,
    observed: FloatArray,
    item_spread: FloatArray,
) -> FloatArray:
    """(U,) the linearised 1 - N sum o d / sum n n d on each kind of item, with d held as it is.

    value: alpha. n_labels: (U,) labels on an item; NaN is returned for items with one. used: (U,) items of each kind,
    0 for those with one label. observed: (U,) their sums of o_ck d_ck. item_spread: (U,) the sum over an item's labels
    c of sum_k n_k d_ck.
    Source: Gwet 2011, On the Krippendorff's alpha coefficient.
    """
    r = n_labels.astype(np.float64)
    expected, total = float((item_spread * used).sum()), float((r * used).sum())
    total_observed = float((observed * used).sum())
    # What each item takes from observed and expected difference beyond its share by its number of labels.
    observed_change = r * total_observed / total - observed
    expected_change = r * expected / total**2 - item_spread / total
    mean_labels = total / used.sum()
    ratio = total * total_observed / expected
    change = (observed_change - 2 * ratio * expected_change) / (mean_labels * expected / total**2)
    return np.where(n_labels >= 2, value + change, np.nan)
