"""One rater over time: labels cut into windows of the rater's own time, and whether a figure moves along it."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from reports.agreement.pairs.estimates import reasons
from reports.agreement.results import FloatArray, Reason, SignificanceTests

# Labels that a window holds at least, and windows at most.
LEAST_LABELS = 20
MOST_WINDOWS = 12
# A sum of squares below this share of the numbers it comes from is rounding.
ROUNDING = 1e-12


def windows_of(
    times: FloatArray, *, least: int = LEAST_LABELS, most: int = MOST_WINDOWS
) -> list[NDArray[np.int64]]:
    """The positions of the labels of each window, about as many in each, earliest first.

    times: (n,) when each label was made. Labels of one moment stay in one window, for nothing tells which came first.
    [] if there are not two windows of `least` labels.
    """
    n_windows = min(most, len(times) // least)
    if n_windows < 2:
        return []
    order = np.argsort(times, kind="stable")
    ordered = times[order]
    wanted = [round(len(times) * number / n_windows) for number in range(1, n_windows)]
    # A cut moves on to where the moment that it would part ends.
    cuts = [int(np.searchsorted(ordered, ordered[cut - 1], side="right")) for cut in wanted]
    kept: list[int] = []
    for cut in cuts:
        if cut - (kept[-1] if kept else 0) >= least and len(times) - cut >= least:
            kept.append(cut)
    return np.split(order, kept) if kept else []


def trend(times: FloatArray, scores: FloatArray) -> SignificanceTests:
    """Mantel's test of whether a score of each label moves with the order of labels; a stack of one.

    M^2 = (n - 1) r^2, r the correlation of the scores with the mid-ranks of the times, chi-squared with one degree of
    freedom: no association, the scores as they are and their order at random.
    Undefined: `too_few_items`, fewer than three labels; `no_variation`, all scores or all times are the same.
    Source: Mantel 1963, Journal of the American Statistical Association 58, 690-700.
    """
    n = len(times)
    places = _middle_ranks(times)
    gap_x, gap_y = (values - values.mean() if n else values for values in (places, scores))
    square_x, square_y = float(gap_x @ gap_x), float(gap_y @ gap_y)
    is_flat = square_x == 0 or square_y <= (ROUNDING * float(np.abs(scores).max(initial=0.0))) ** 2 * n
    reason = reasons(
        (1,), (np.array([n < 3]), Reason.TOO_FEW_ITEMS), (np.array([is_flat]), Reason.NO_VARIATION)
    )
    statistic = np.nan if reason[0] else (n - 1) * float(gap_x @ gap_y) ** 2 / square_x / square_y
    return SignificanceTests(
        statistic=np.array([statistic]),
        df=np.array([np.nan if reason[0] else 1.0]),
        p_value=np.array([np.nan if reason[0] else chdtrc(1, statistic)]),
        reason=reason,
        method="Mantel's test of trend",
    )


def _middle_ranks(values: FloatArray) -> FloatArray:
    """(n,) ranks from 1; equal values share the middle one of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles: FloatArray = np.cumsum(counts) - (counts - 1) / 2
    return middles[places]
