"""Kendall's coefficient of concordance of numbers: do raters rank the items alike?"""

import numpy as np
from scipy.special import chdtrc
from scipy.stats import rankdata

from reports.agreement.numbers.matrix import NumberSample, complete_numbers
from reports.agreement.results import (
    REASONS,
    Coefficient,
    FloatArray,
    Reason,
    SignificanceTests,
    Undefined,
)

METHOD = "corrected for ties, items that all raters labelled"


def kendall_w(sample: NumberSample) -> Coefficient:
    """Kendall's W of numbers, by their ranks; 1 where all raters rank the items alike.

    Each of m raters ranks the n items that all labelled, ties by their mean rank.
    W = 12 S / (m^2 (n^3 - n) - m sum T_j); S is the sum of squares of the items' rank sums around their mean,
    T_j = sum (t^3 - t) over the ties of rater j.
    Undefined: `no_items`; `no_overlap`; `no_complete_items`; `n<2`, one complete item; `no_variation`, every rater gave
    all items the same number. It has a test (`kendall_w_zero`) but no interval.
    Source: Kendall & Babington Smith 1939.
    """
    used = sample.complete_size
    value, reason = None, Reason.NONE
    try:
        value = rank_concordance(complete_numbers(sample))
    except Undefined as undefined:
        reason = undefined.reason
    left_out = sample.size.without(used)
    return Coefficient(value=value, reason=reason, used=used, left_out=left_out, method=METHOD)


def kendall_w_zero(sample: NumberSample) -> SignificanceTests:
    """Friedman's test that raters rank at random: m (n - 1) W, chi-squared with n - 1 degrees of freedom; (1,)."""
    found = kendall_w(sample)
    statistic = df = p_value = np.nan
    if found.value is not None:
        df = found.used.n_items - 1.0
        statistic = found.used.n_raters * df * found.value
        p_value = float(chdtrc(df, statistic))
    return SignificanceTests(
        statistic=np.array([statistic]),
        df=np.array([df]),
        p_value=np.array([p_value]),
        reason=np.array([REASONS.index(found.reason)], dtype=np.uint8),
        method="chi-squared",
    )


def rank_concordance(values: FloatArray) -> float:
    """Kendall's W of a complete table, values: (n, m). Raises Undefined if no rater tells any items apart."""
    n, m = values.shape
    # Ranks times two are whole numbers, so that all sums are exact.
    ranks = np.rint(2 * rankdata(values, axis=0)).astype(np.int64)
    sums = ranks.sum(axis=1, dtype=np.float64)
    squares = 12 * float(((sums - m * (n + 1)) ** 2).sum()) / 4
    ties = sum(_tie_term(column) for column in values.T)
    largest = m * m * (n**3 - n) - m * ties
    if largest <= 0:
        raise Undefined(Reason.NO_VARIATION)
    return squares / largest


def _tie_term(column: FloatArray) -> int:
    sizes = np.unique(column, return_counts=True)[1]
    return sum(size**3 - size for size in sizes.tolist() if size > 1)
