"""Test of Fleiss' kappa = 0, with the standard error under the null hypothesis, which is not valid for intervals."""

import numpy as np
from scipy.special import ndtr

from reports.agreement.patterns import ItemPatterns
from reports.agreement.results import REASONS, FloatArray, Reason, SignificanceTests, Undefined
from reports.agreement.sample import Sample

METHOD = "z, null standard error"


def fleiss_zero(sample: Sample) -> SignificanceTests:
    """(1,) the two-sided test that Fleiss' kappa of all categories is 0.

    z = kappa / se0, se0^2 = 2 [(sum p q)^2 - sum p q (q - p)] / (n m (m - 1) (sum p q)^2), with n items of m labels
    each, p_k the share of category k in all labels and q_k = 1 - p_k.
    Undefined: no items (`no_items`); none with two labels (`no_overlap`); items with different numbers of labels
    (`unequal_labels`); one category in use (`no_variation`).
    Source: Fleiss, Nee & Landis 1979, Psychological Bulletin 86, 974.
    """
    try:
        p, m, n, disagreement = _checked(sample)
    except Undefined as undefined:
        return _undefined(undefined.reason, 1)
    q = 1 - p
    spread = (p * q).sum()
    if spread <= 0:
        return _undefined(Reason.NO_VARIATION, 1)
    kappa = 1 - disagreement.sum() / spread
    variance = 2 * (spread**2 - (p * q * (q - p)).sum()) / (n * m * (m - 1) * spread**2)
    return _tests(np.array([kappa]), np.array([np.sqrt(max(variance, 0.0))]))


def fleiss_zero_by_category(sample: Sample) -> SignificanceTests:
    """(K,) the same test for each category against the rest, se0^2 = 2 / (n m (m - 1)).

    Also undefined for a category that nobody used (`category_unused`) or that was always used (`no_variation`).
    """
    n_categories = sample.ratings.n_categories
    try:
        p, m, n, disagreement = _checked(sample)
    except Undefined as undefined:
        return _undefined(undefined.reason, n_categories)
    spread = p * (1 - p)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(spread > 0, 1 - disagreement / spread, np.nan)
    found = _tests(kappa, np.full(n_categories, np.sqrt(2 / (n * m * (m - 1)))))
    found.reason[p == 0] = REASONS.index(Reason.CATEGORY_UNUSED)
    found.reason[p == 1] = REASONS.index(Reason.NO_VARIATION)
    return found


def _checked(sample: Sample) -> tuple[FloatArray, int, int, FloatArray]:
    """p (K,), m, n, and for each category the share of an item's pairs of labels with only one of the two in it."""
    if not sample.size.n_items:
        raise Undefined(Reason.NO_ITEMS)
    if not sample.pairable_size.n_items:
        raise Undefined(Reason.NO_OVERLAP)
    patterns = sample.patterns
    if (patterns.n_labels != patterns.n_labels[0]).any():
        raise Undefined(Reason.UNEQUAL_LABELS)
    m, n = int(patterns.n_labels[0]), int(patterns.n_items.sum())
    labels, disagreements = _sums(patterns, m)
    return labels / (n * m), m, n, disagreements / (n * m * (m - 1))


def _sums(patterns: ItemPatterns, m: int) -> tuple[FloatArray, FloatArray]:
    """(K,) labels of each category; (K,) the sum over items of r_ik (m - r_ik)."""
    weights = patterns.n_items[None, :].astype(np.float64)
    labels = patterns.category_sums(weights)[0]
    squares = np.einsum("u,uk,uk->k", patterns.n_items, patterns.counts, patterns.counts, dtype=np.float64)
    return labels, m * labels - squares


def _tests(kappa: FloatArray, se: FloatArray) -> SignificanceTests:
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(se > 0, kappa / se, np.nan)
    return SignificanceTests(
        statistic=z,
        df=np.full(len(z), np.nan),
        p_value=2 * ndtr(-np.abs(z)),
        reason=np.where(se > 0, 0, REASONS.index(Reason.DEGENERATE_SE)).astype(np.uint8),
        method=METHOD,
    )


def _undefined(reason: Reason, n: int) -> SignificanceTests:
    nothing = np.full(n, np.nan)
    return SignificanceTests(
        statistic=nothing,
        df=nothing,
        p_value=nothing,
        reason=np.full(n, REASONS.index(reason), dtype=np.uint8),
        method=METHOD,
    )
