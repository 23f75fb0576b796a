"""The Benjamini-Yekutieli procedure: which of several tests reject, under any dependence."""

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray


def rejected_by_rate(p_values: FloatArray, *, rate: float = 0.05) -> NDArray[np.bool_]:
    """(…, m) which of m tests reject, so that the expected share of false rejections is at most `rate`.

    p_values: (…, m), one family along the last axis; rate: q, in (0, 1). With H_m = sum 1 / i, the tests with the k
    smallest p-values reject, for the largest k whose p-value is at most k / m · q / H_m.
    Raises ValueError for a rate outside (0, 1).
    Source: Benjamini & Yekutieli 2001, The Annals of Statistics 29(4), 1165-1188.
    """
    if not 0 < rate < 1:
        raise ValueError(f"rate must be between 0 and 1, got {rate}")
    m = p_values.shape[-1]
    if m == 0:
        return np.zeros(p_values.shape, dtype=bool)
    ranks = np.arange(1, m + 1)
    bounds = ranks / m * rate / np.sum(1 / ranks)
    n_rejected = np.where(np.sort(p_values, axis=-1) <= bounds, ranks, 0).max(axis=-1)
    order = np.argsort(np.argsort(p_values, axis=-1, kind="stable"), axis=-1, kind="stable")
    found: NDArray[np.bool_] = order < n_rejected[..., None]
    return found
