"""Kendall's coefficient of concordance for numbers: do raters rank the items alike?"""

from dataclasses import replace

import numpy as np

from reports.agreement.numbers.matrix import NumberSample, complete_numbers
from reports.agreement.overall import kendall
from reports.agreement.overall.statistic import estimate
from reports.agreement.ratings import DenseRatings, Ratings, code_type, to_dense
from reports.agreement.results import REASONS, Coefficient, FloatArray, Reason, SignificanceTests, Undefined
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import Level

STATISTIC, UNCORRECTED = kendall.KENDALL_W, kendall.KENDALL_W_UNCORRECTED
# Rank codes have two bytes, and each rater has a count for each rank.
MAX_RANKS = 65_535
MAX_COUNTS = 1 << 24


def kendall_w(
    sample: NumberSample, *, statistic: Statistic = STATISTIC, confidence: float = 0.95
) -> Coefficient:
    """Kendall's W of numbers, from their ranks; 1 where all raters rank the items alike.

    This is `overall.kendall.kendall_w` of each rater's ranks of the items that all labeled, corrected for ties, unless
    the statistic is UNCORRECTED.
    Undefined: `no_items`; `no_overlap`; `no_complete_items`; `n<2`, one complete item; `no_variation`, every rater gave
    all items the same number; `too_many_values`, a rater with more than 65,535 different numbers.
    Source: Kendall & Babington Smith 1939.
    """
    used = sample.complete_size
    left_out = sample.size.without(used)
    try:
        of_ranks, scale = ranked(sample)
    except Undefined as undefined:
        method = statistic.method(Scale(1))
        return Coefficient(value=None, reason=undefined.reason, used=used, left_out=left_out, method=method)
    found = estimate(statistic, of_ranks, scale, confidence=confidence)
    return replace(found, used=used, left_out=left_out)


def kendall_w_zero(sample: NumberSample) -> SignificanceTests:
    """(1,) the test that raters rank at random: Friedman's, see `overall.kendall.kendall_w_zero`."""
    try:
        return kendall.kendall_w_zero(*ranked(sample))
    except Undefined as undefined:
        nothing = np.array([np.nan])
        reason = np.array([REASONS.index(undefined.reason)], dtype=np.uint8)
        return SignificanceTests(
            statistic=nothing, df=nothing, p_value=nothing, reason=reason, method="chi-squared"
        )


def ranked(sample: NumberSample) -> tuple[Sample, Scale]:
    """Return the complete items as ordinal categories, from which `STATISTIC` is computed; raises Undefined."""
    return _ranked(complete_numbers(sample))


def ranked_together(first: NumberSample, second: NumberSample) -> tuple[Sample, Sample, Scale]:
    """Like `ranked`, for two samples, with the same number of categories in both; raises Undefined."""
    found = [ranked(sample)[0].ratings for sample in (first, second)]
    n_ranks = max(ratings.n_categories for ratings in found)
    a, b = (_with_categories(ratings, n_ranks) for ratings in found)
    return a, b, Scale(n_ranks, Level.ORDINAL)


def _with_categories(ratings: Ratings, n_ranks: int) -> Sample:
    codes = to_dense(ratings).codes
    return Sample(DenseRatings(codes.astype(code_type(n_ranks)), n_ranks, codes.size))


def _ranked(values: FloatArray) -> tuple[Sample, Scale]:
    """Return complete numbers (n, k) as ordinal categories: each rater's distinct numbers in ascending order."""
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in values.T], axis=1)
    n_ranks = int(codes.max()) + 1
    if n_ranks > MAX_RANKS or n_ranks * codes.shape[1] > MAX_COUNTS:
        raise Undefined(Reason.TOO_MANY_VALUES)
    ratings = DenseRatings(codes.astype(code_type(n_ranks)), n_ranks, codes.size)
    return Sample(ratings), Scale(n_ranks, Level.ORDINAL)
