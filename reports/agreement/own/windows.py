"""One rater over time: labels split into windows of the rater's time, and a test for trend."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from reports.agreement.pairs.estimates import reasons
from reports.agreement.results import FloatArray, Reason, SignificanceTests

# Minimum number of labels in a window, and maximum number of windows.
LEAST_LABELS = 20
MOST_WINDOWS = 12
# A sum of squares below this share of the underlying numbers is rounding error.
ROUNDING = 1e-12


def windows_of(
    times: FloatArray, *, least: int = LEAST_LABELS, most: int = MOST_WINDOWS
) -> list[NDArray[np.int64]]:
    """Return the positions of the labels of each window, of about equal size, earliest first.

    times: (n,) when each label was made. Labels of the same moment stay in one window, since their order is unknown.
    [] if there are not enough labels for two windows of `least`.
    """
    n_windows = min(most, len(times) // least)
    if n_windows < 2:
        return []
    order = np.argsort(times, kind="stable")
    ordered = times[order]
    wanted = [round(len(times) * number / n_windows) for number in range(1, n_windows)]
    # A cut within a moment is shifted to its end.
    cuts = [int(np.searchsorted(ordered, ordered[cut - 1], side="right")) for cut in wanted]
    kept: list[int] = []
    for cut in cuts:
        if cut - (kept[-1] if kept else 0) >= least and len(times) - cut >= least:
            kept.append(cut)
    return np.split(order, kept) if kept else []


def trend(times: FloatArray, scores: FloatArray) -> SignificanceTests:
    """Mantel's test for a trend of the labels' scores over time; a stack of one.

    M^2 = (n - 1) r^2, r the correlation of the scores with the mid-ranks of the times, chi-squared with one degree of
    freedom under the null hypothesis that the fixed scores are in random order.
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
    """(n,) ranks from 1; equal values share their mid-rank."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles: FloatArray = np.cumsum(counts) - (counts - 1) / 2
    return middles[places]
