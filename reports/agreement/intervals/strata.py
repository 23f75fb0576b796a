"""Test whether a coefficient is the same in strata that share no items, such as rounds, and its common value."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, ndtri

from reports.agreement.results import FloatArray, IntArray, Reason

BY_VARIANCE = "chi-squared, strata weighted by precision"
BY_FIT = "chi-squared, goodness of fit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Homogeneity:
    """value: the common value of the strata, dimensionless like the coefficient; se, ci_low, ci_high: of this value.

    statistic, df, p_value: chi-squared test of the hypothesis that the strata are alike. n_strata: strata included;
    n_left_out: strata without a value or an error. reason: why there is no result.
    """

    value: float | None = None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    statistic: float | None = None
    df: int | None = None
    p_value: float | None = None
    n_strata: int = 0
    n_left_out: int = 0
    method: str = BY_VARIANCE
    reason: Reason = Reason.NONE


def homogeneity(
    values: Sequence[float | None], errors: Sequence[float | None], *, confidence: float = 0.95
) -> Homogeneity:
    """The common value of a coefficient over independent strata, and the test that the strata do not differ.

    values, errors: (S,) each stratum's coefficient and its standard error under no hypothesis; None if undefined,
    or 0 for a degenerate error: such strata are left out. With w = 1 / se^2 the common value is
    sum w k / sum w, its error 1 / sqrt(sum w), and chi-squared = sum w (k - common)^2 with S - 1 degrees of freedom.
    The interval is normal, and valid only if the strata are alike.
    Undefined if fewer than two strata are left (`too_few_items`). Raises ValueError if there are not as many errors as
    values.
    Source: Fleiss 1981, Statistical Methods for Rates and Proportions, 2nd ed., section 13.1.
    """
    found = [
        (value, se)
        for value, se in zip(values, errors, strict=True)
        if value is not None and se and math.isfinite(value) and math.isfinite(se)
    ]
    n_left_out = len(values) - len(found)
    if len(found) < 2:
        return Homogeneity(n_strata=len(found), n_left_out=n_left_out, reason=Reason.TOO_FEW_ITEMS)
    k, se = np.array(found, dtype=np.float64).T
    weights = 1 / se**2
    common = float((weights * k).sum() / weights.sum())
    error = float(1 / math.sqrt(weights.sum()))
    statistic = float((weights * (k - common) ** 2).sum())
    margin = float(ndtri((1 + confidence) / 2)) * error
    return Homogeneity(
        value=common,
        se=error,
        ci_low=max(-1.0, common - margin),
        ci_high=min(1.0, common + margin),
        statistic=statistic,
        df=len(found) - 1,
        p_value=float(chdtrc(len(found) - 1, statistic)),
        n_strata=len(found),
        n_left_out=n_left_out,
    )


def fitted_homogeneity(tables: IntArray) -> Homogeneity:
    """The same test for two raters and two categories, by goodness of fit; it is valid also with few items.

    tables: (S, 2, 2), a confusion matrix for each stratum. With the pooled share p_s of the first category and Scott's
    pi k_s, the common value is sum n_s p_s q_s k_s / sum n_s p_s q_s; chi-squared compares, in each stratum, the items
    that both put in the first category, both in the second, or each in another, with those expected for the common
    value: n (p^2 + k p q), n (q^2 + k p q), and 2 n p q (1 - k). S - 1 degrees of freedom.
    Strata in which only one category occurs carry no information, and are left out. Undefined if fewer than two are
    left (`too_few_items`), or all agree on every item (`degenerate_se`). Raises ValueError for another shape, or
    negative counts.
    Source: Donner, Eliasziw & Klar 1996, Biometrics 52, 176-183.
    """
    if tables.ndim != 3 or tables.shape[1:] != (2, 2) or (tables < 0).any():
        raise ValueError(f"tables must be (S, 2, 2) counts of 0 or more, got shape {tables.shape}")
    observed = np.stack([tables[:, 0, 0], tables[:, 1, 1], tables[:, 0, 1] + tables[:, 1, 0]], axis=1)
    n = observed.sum(axis=1).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = (observed[:, 0] + observed[:, 2] / 2) / n
    is_used = (p > 0) & (p < 1)
    n_left_out = int((~is_used).sum())
    n, p, observed = n[is_used], p[is_used], observed[is_used].astype(np.float64)
    if len(n) < 2:
        return Homogeneity(n_strata=len(n), n_left_out=n_left_out, method=BY_FIT, reason=Reason.TOO_FEW_ITEMS)
    product = p * (1 - p)
    common = 1 - float(observed[:, 2].sum() / (2 * n * product).sum())
    if not observed[:, 2].any():
        return Homogeneity(
            value=1.0, n_strata=len(n), n_left_out=n_left_out, method=BY_FIT, reason=Reason.DEGENERATE_SE
        )
    statistic = _misfit(observed, _expected(n, p, common))
    return Homogeneity(
        value=common,
        statistic=statistic,
        df=len(n) - 1,
        p_value=float(chdtrc(len(n) - 1, statistic)),
        n_strata=len(n),
        n_left_out=n_left_out,
        method=BY_FIT,
    )


def _expected(n: FloatArray, p: FloatArray, common: float) -> FloatArray:
    """(S, 3) items in the first category, in the second, and in both."""
    product = p * (1 - p)
    shares = p**2 + common * product, (1 - p) ** 2 + common * product, 2 * product * (1 - common)
    # A common value below a stratum's minimum leaves no expected item where both choose its rarer category.
    return np.maximum(np.stack(shares, axis=1), 0) * n[:, None]


def _misfit(observed: FloatArray, expected: FloatArray) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(observed == expected, 0, (observed - expected) ** 2 / expected)
    return float(parts.sum())
