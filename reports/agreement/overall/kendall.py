"""Kendall's W: the concordance of complete rankings of the items."""

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from reports.agreement.overall.linearised import linearised_interval
from reports.agreement.profiles import ItemProfiles
from reports.agreement.results import (
    REASONS,
    FloatArray,
    Reason,
    SignificanceTests,
    Size,
    Undefined,
    number,
)
from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic
from reports.agreement.weights import category_values


def kendall_w(profiles: ItemProfiles, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B,) Kendall's coefficient of concordance, corrected for ties.

    Each of m raters ranks n items by their categories in the order of the declared values; tied items share the mean
    of their ranks. W = 12 S / (m^2 (n^3 - n) - m sum_j T_j), S the sum of squared deviations of the items' sums of
    ranks from their mean, T_j the sum of t^3 - t over the groups of t tied items of rater j.
    NaN if no rater distinguishes any two items, or there are fewer than two items.
    Source: Kendall & Babington Smith 1939.
    """
    counts = _in_order(profiles, scale, weights)
    ties = (counts**3 - counts).sum(axis=(1, 2))
    return _concordance(profiles, scale, weights, counts, profiles.n_raters * ties)


def uncorrected_kendall_w(profiles: ItemProfiles, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B,) W without the correction for ties, T_j = 0: it cannot reach 1 where raters tie items. NaN where W is."""
    counts = _in_order(profiles, scale, weights)
    found = _concordance(profiles, scale, weights, counts, np.zeros(len(weights)))
    # A rater who distinguishes items does not put all of them in one category.
    is_varied = (counts.max(axis=2) < counts.sum(axis=2)).any(axis=1)
    return np.where(is_varied, found, np.nan)


def _concordance(
    profiles: ItemProfiles, scale: Scale, weights: FloatArray, counts: FloatArray, ties: FloatArray
) -> FloatArray:
    n = weights.sum(axis=1)
    deviations = _rank_deviations(profiles, scale, counts)
    total = np.einsum("bu,bu,bu->b", weights, deviations, deviations)
    room = profiles.n_raters**2 * (n**3 - n) - ties
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(room > 0, 12 * total / room, np.nan)


def _in_order(profiles: ItemProfiles, scale: Scale, weights: FloatArray) -> FloatArray:
    """(B, R, K) the number of items that each rater put in each category, along the scale."""
    return profiles.rater_counts(weights)[:, :, _order(scale)]


def _order(scale: Scale) -> NDArray[np.int64]:
    return np.argsort(category_values(scale.n_categories, scale.values), kind="stable")


def _rank_deviations(profiles: ItemProfiles, scale: Scale, counts: FloatArray) -> FloatArray:
    """(B, U) an item's sum of ranks minus the mean of these sums."""
    middles = np.cumsum(counts, axis=2) - (counts + counts.sum(axis=2, keepdims=True)) / 2
    by_category = np.empty_like(middles)
    by_category[:, :, _order(scale)] = middles
    raters = np.arange(profiles.n_raters)
    return np.stack([each[raters, profiles.codes].sum(axis=1) for each in by_category])


def complete_profiles(sample: Sample) -> ItemProfiles:
    """The items that all raters labeled; raises Undefined if there is none."""
    complete = sample.profiles.complete
    if not len(complete.codes):
        raise Undefined(Reason.NO_COMPLETE_ITEMS)
    return complete


def complete_size(sample: Sample) -> Size:
    """The size of the sample limited to items that all raters labeled."""
    try:
        n = int(sample.profiles.complete.n_items.sum())
    except Undefined:
        n = 0
    n_raters = sample.ratings.n_raters if n else 0
    return Size(n_items=n, n_raters=n_raters, n_labels=n * n_raters)


def kendall_w_zero(sample: Sample, scale: Scale) -> SignificanceTests:
    """(1,) the test that the rankings are unrelated: chi-squared = m (n - 1) W with n - 1 degrees of freedom.

    This is Friedman's test. Undefined where W is; also where there is no item (`no_items`), none with two labels
    (`no_overlap`), or none labeled by all raters (`no_complete_items`).
    Source: Kendall & Babington Smith 1939.
    """
    method = "chi-squared, ties corrected"
    try:
        w, n, m = _checked(sample, scale)
    except Undefined as undefined:
        nothing = np.array([np.nan])
        reason = np.array([REASONS.index(undefined.reason)], dtype=np.uint8)
        return SignificanceTests(statistic=nothing, df=nothing, p_value=nothing, reason=reason, method=method)
    statistic, df = np.array([m * (n - 1) * w]), np.array([n - 1.0])
    return SignificanceTests(
        statistic=statistic,
        df=df,
        p_value=chdtrc(df, statistic),
        reason=np.zeros(1, dtype=np.uint8),
        method=method,
    )


def _checked(sample: Sample, scale: Scale) -> tuple[float, int, int]:
    if not sample.size.n_items:
        raise Undefined(Reason.NO_ITEMS)
    if not sample.pairable_size.n_items:
        raise Undefined(Reason.NO_OVERLAP)
    profiles = complete_profiles(sample)
    value = number(kendall_w(profiles, scale, profiles.n_items[None, :].astype(np.float64))[0])
    if value is None:
        raise Undefined(Reason.NO_VARIATION)
    return value, int(profiles.n_items.sum()), profiles.n_raters


def item_kendall(profiles: ItemProfiles, scale: Scale, value: float) -> FloatArray:
    """(U,) linearized W: the change of W when the weight of an item of this kind increases slightly.

    With F_j the shares of rater j's categories, W is V / M up to terms of order 1 / n: V the variance of the items'
    sums D of mid-shares, M = m (m - sum_j sum_k F_jk^3) / 12. An item changes V by its own (D - mean)^2, and by
    shifting the mid-shares of all items above it; it changes M by the shares of its categories.
    """
    m = profiles.n_raters
    counts = _in_order(profiles, scale, profiles.n_items[None, :].astype(np.float64))
    shares = np.empty_like(counts[0])
    shares[:, _order(scale)] = counts[0] / profiles.n_items.sum()
    room = m * (m - (shares**3).sum()) / 12
    lost = -m / 4 * (profiles.rater_sums(shares**2) - (shares**3).sum())
    return item_uncorrected_kendall(profiles, scale, value) - value * lost / room


def item_uncorrected_kendall(profiles: ItemProfiles, scale: Scale, value: float) -> FloatArray:
    """(U,) linearized W without the correction for ties: M = m^2 / 12 is constant."""
    weights = profiles.n_items[None, :].astype(np.float64)
    n = float(weights.sum())
    deviations = _rank_deviations(profiles, scale, _in_order(profiles, scale, weights))[0] / n
    variance = float((weights[0] * deviations**2).sum()) / n
    own = deviations**2 - variance + 2 * _moved(profiles, scale, deviations)
    return value + value * own / variance if variance > 0 else np.zeros(len(deviations))


def _moved(profiles: ItemProfiles, scale: Scale, deviations: FloatArray) -> FloatArray:
    """(U,) an item's contribution to the covariance of D with the mid-shares of the other items."""
    order = _order(scale)
    # (R, K): the sum of the deviations of a rater's items in each category, along the scale.
    sums = profiles.rater_counts((profiles.n_items * deviations)[None, :])[0][:, order]
    sums /= profiles.n_items.sum()
    above = sums.sum(axis=1, keepdims=True) - np.cumsum(sums, axis=1) + sums / 2
    by_category = np.empty_like(above)
    by_category[:, order] = above
    found = profiles.rater_sums(by_category)
    return found - float((found * profiles.n_items).sum()) / float(profiles.n_items.sum())


between_0_and_1 = partial(linearised_interval, lowest=0.0)
KENDALL_W = Statistic(
    name="kendall_w",
    units=complete_profiles,
    values=kendall_w,
    item_values=item_kendall,
    interval=between_0_and_1,
    lowest=0.0,
    method=lambda scale: "ties corrected",
    used=complete_size,
)
KENDALL_W_UNCORRECTED = Statistic(
    name="kendall_w_uncorrected",
    units=complete_profiles,
    values=uncorrected_kendall_w,
    item_values=item_uncorrected_kendall,
    interval=between_0_and_1,
    lowest=0.0,
    method=lambda scale: "ties not corrected",
    used=complete_size,
)
