"""Cochran's Q: the test whether raters choose the first of two categories equally often."""

import numpy as np
from scipy.special import chdtrc

from reports.agreement.overall.kendall import complete_profiles
from reports.agreement.results import REASONS, Reason, SignificanceTests, Undefined
from reports.agreement.sample import Sample

METHOD = "chi-squared, items with a label of every rater"


def cochran_q(sample: Sample) -> SignificanceTests:
    """(1,) the test that all raters choose the first category equally often, over the items that all labeled.

    Q = (m - 1) (m sum_g G_g^2 - (sum_g G_g)^2) / (m sum_i L_i - sum_i L_i^2), with m raters, G_g how often rater g
    chooses the category and L_i how many choose it on item i; chi-squared with m - 1 degrees of freedom. Q is 0 and
    p is 1 where the raters agree on every item. For two raters it is McNemar's test without correction.
    Undefined: not exactly two declared categories (`not_two_categories`); no items (`no_items`); none with two labels
    (`no_overlap`) or with labels of all raters (`no_complete_items`).
    """
    if reason := _why_undefined(sample):
        return _one(np.nan, np.nan, np.nan, reason)
    try:
        profiles = complete_profiles(sample)
    except Undefined as undefined:
        return _one(np.nan, np.nan, np.nan, undefined.reason)
    m, is_chosen = profiles.n_raters, profiles.codes == 0
    of_raters = np.einsum("u,ur->r", profiles.n_items, is_chosen)
    of_items = is_chosen.sum(axis=1)
    room = int((profiles.n_items * of_items * (m - of_items)).sum())
    spread = m * int((of_raters**2).sum()) - int(of_raters.sum()) ** 2
    q = (m - 1) * spread / room if room else 0.0
    return _one(q, m - 1, float(chdtrc(m - 1, q)), Reason.NONE)


def _why_undefined(sample: Sample) -> Reason:
    if sample.ratings.n_categories != 2:
        return Reason.NOT_TWO_CATEGORIES
    if not sample.size.n_items:
        return Reason.NO_ITEMS
    return Reason.NONE if sample.pairable_size.n_items else Reason.NO_OVERLAP


def _one(statistic: float, df: float, p_value: float, reason: Reason) -> SignificanceTests:
    return SignificanceTests(
        statistic=np.array([statistic]),
        df=np.array([df], dtype=np.float64),
        p_value=np.array([p_value]),
        reason=np.array([REASONS.index(reason)], dtype=np.uint8),
        method=METHOD,
    )
