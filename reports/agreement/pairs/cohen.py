"""Cohen's kappa, unweighted or weighted, for a whole stack of confusion matrices at once."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc, ndtri

from reports.agreement.pairs.ceiling import least_disagreement
from reports.agreement.pairs.goodness_of_fit import cohen_limits, is_rare, of_two_categories
from reports.agreement.results import REASONS, FloatArray, IntArray, PairKappas, Reason, SignificanceTests
from reports.agreement.weights import Weighting

# Cells processed at a time, so that all intermediate values stay in cache.
BLOCK_CELLS = 1 << 16
# A variance below this share of its own terms is rounding error.
ROUNDING = 1e-24


def cohen_kappa(tables: IntArray, weighting: Weighting, *, confidence: float = 0.95) -> PairKappas:
    """Cohen's kappa of P pairs of raters from their confusion matrices.

    tables: (P, K, K) int; items that rater A put in row k and rater B in column l, over the declared
    categories.
    weighting: the costs of disagreements (`weights.weighting`).
    Returns, dimensionless, for each table: observed and expected agreement (with weights 1 - cost / unit); kappa
    = 1 - Do / De in [-1, 1], where De is the cost expected from the margins; its large-sample standard error; the
    normal interval, clipped to [-1, 1], unless with some weights kappa itself is below; kappa max, the largest kappa
    possible with these margins. Where two categories occur, and one has few labels, the interval is that of the
    goodness of fit (`is_fitted`), which exists also in full agreement.
    Undefined: all if no item is shared (`no_overlap`); kappa and what follows it if De = 0 (`no_variation`).
    No error and no interval: one item (`n<2`); a rater with only one category (`degenerate_margins`).
    No interval, and error 0: `degenerate_se`, as in perfect agreement on many items or more than two categories.
    Raises ValueError if shapes differ or a count is negative.
    Sources: Cohen 1960, EPM 20, 37-46; Cohen 1968, Psychological Bulletin 70, 213-220; the error for the
    interval: Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72, 323-327; of few labels: Donner & Eliasziw 1992,
    Statistics in Medicine 11, 1511-1519.
    """
    found = kappa_with_normal_interval(tables, weighting, confidence=confidence)
    is_fitted, two = of_two_categories(tables)
    is_full = _is(found.reason, Reason.DEGENERATE_SE)[is_fitted]
    chosen = _is(found.reason, Reason.NONE)[is_fitted] & is_rare(two) | is_full
    is_fitted[is_fitted] = chosen
    if not chosen.any():
        return found
    low, high = found.ci_low.copy(), found.ci_high.copy()
    fitted_low, fitted_high = cohen_limits(two[chosen], confidence=confidence)
    # A limit may equal kappa up to rounding.
    low[is_fitted] = np.minimum(fitted_low, found.kappa[is_fitted])
    high[is_fitted] = np.maximum(fitted_high, found.kappa[is_fitted])
    reason = np.where(is_fitted, np.uint8(0), found.reason)
    return replace(found, ci_low=low, ci_high=high, reason=reason, is_fitted=is_fitted)


def kappa_with_normal_interval(
    tables: IntArray, weighting: Weighting, *, confidence: float = 0.95
) -> PairKappas:
    """`cohen_kappa` without goodness-of-fit intervals, for when only values or errors are needed."""
    _check(tables, weighting.costs)
    step = max(1, BLOCK_CELLS // max(1, weighting.costs.size))
    z = float(ndtri((1 + confidence) / 2))
    blocks = [_block(tables[start : start + step], weighting, z) for start in range(0, len(tables), step)]
    if not blocks:
        blocks = [_block(tables, weighting, z)]
    return PairKappas(
        *(np.concatenate([getattr(block, name) for block in blocks]) for name in PairKappas.__slots__)
    )


def kappa_null_se(tables: IntArray, weighting: Weighting) -> FloatArray:
    """(P,) the standard error of kappa under the hypothesis that it is 0: for the test, never for an interval.

    tables, weighting: as for `cohen_kappa`. With costs v, and vbar the expected cost of a row or column,
    var0 = {sum p_k. p_.l [v_kl - (vbar_k. + vbar_.l)]^2 - De^2} / (n De^2).
    NaN where kappa is undefined; 0 where a rater used only one category.
    Source: Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72, 323-327.
    """
    _check(tables, weighting.costs)
    step = max(1, BLOCK_CELLS // max(1, weighting.costs.size))
    starts = range(0, len(tables), step)
    blocks = [_null_block(tables[start : start + step], weighting.costs) for start in starts]
    return np.concatenate([np.empty(0), *blocks])


def _null_block(tables: IntArray, costs: FloatArray) -> FloatArray:
    n = tables.sum(axis=(1, 2), dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        rows, columns = tables.sum(axis=2) / n[:, None], tables.sum(axis=1) / n[:, None]
        row_costs = np.einsum("pl,kl->pk", columns, costs)
        column_costs = np.einsum("pk,kl->pl", rows, costs)
        expected = np.einsum("pk,pk->p", rows, row_costs)
        # Before adding De, the mean of u is De - 2 De.
        u = costs - row_costs[:, :, None] - column_costs[:, None, :] + expected[:, None, None]
        variance = np.einsum("pk,pl,pkl,pkl->p", rows, columns, u, u)
        variance[variance <= ROUNDING * expected**2] = 0
        return np.where(expected > 0, np.sqrt(variance / n) / expected, np.nan)


def kappa_zero(tables: IntArray, weighting: Weighting) -> SignificanceTests:
    """(P,) the test of kappa = 0: z = kappa / SE0 with the standard error under that hypothesis, p two-sided.

    Undefined where kappa is, for the same reason; for one item (`n<2`); if a rater used only one category
    (`degenerate_margins`), as kappa is then 0 regardless of the other rater.
    Source: Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72, 323-327.
    """
    found = kappa_with_normal_interval(tables, weighting)
    se = kappa_null_se(tables, weighting)
    # In perfect agreement kappa has no interval, but it has a test.
    reason = np.where(_is(found.reason, Reason.DEGENERATE_SE), np.uint8(0), found.reason)
    is_tested = (reason == 0) & (se > 0)
    z = np.divide(found.kappa, se, out=np.full(len(found), np.nan), where=is_tested)
    return SignificanceTests(
        statistic=z,
        df=np.full(len(found), np.nan),
        p_value=erfc(np.abs(z) / np.sqrt(2)),
        reason=reason,
        method="z with the standard error under no agreement beyond chance",
        se=np.where(is_tested, se, np.nan),
    )


def _check(tables: IntArray, costs: FloatArray) -> None:
    if tables.ndim != 3 or tables.shape[1] != tables.shape[2]:
        raise ValueError(f"tables must be (P, K, K), got shape {tables.shape}")
    if costs.shape != tables.shape[1:]:
        raise ValueError(f"costs must be {tables.shape[1:]}, got shape {costs.shape}")
    if tables.size and tables.min() < 0:
        raise ValueError(f"counts must not be negative, got {tables.min()}")


def _block(tables: IntArray, weighting: Weighting, z: float) -> PairKappas:
    costs = weighting.costs
    counts = tables.astype(np.float64)
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    n = rows.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Sums of costs before the division by n: integers, and so exact, for the usual costs.
        observed = np.einsum("pkl,kl->p", counts, costs)
        row_costs = np.einsum("pl,kl->pk", columns, costs)
        column_costs = np.einsum("pk,kl->pl", rows, costs)
        expected = np.einsum("pk,pk->p", rows, row_costs) / n
        ratio = observed / expected
        least = least_disagreement(rows, columns, costs)
        kappa_max = 1 - least / expected
        largest = n * weighting.unit
        se = _standard_error(counts, costs, n, ratio, expected, row_costs, column_costs)
        observed_agreement = (largest - observed) / largest
        expected_agreement = (largest - expected) / largest
    reason = _reasons(n, expected, rows, columns, se)
    is_undefined = _is(reason, Reason.NO_OVERLAP, Reason.NO_VARIATION)
    kappa = np.where(is_undefined, np.nan, 1 - ratio)
    se = np.where(is_undefined | _is(reason, Reason.ONE_ITEM, Reason.DEGENERATE_MARGINS), np.nan, se)
    margin = np.where(reason == 0, z * se, np.nan)
    return PairKappas(
        n=n.astype(np.int64),
        observed=observed_agreement,
        expected=expected_agreement,
        kappa=kappa,
        se=se,
        # Some weights have kappas below -1, which are not clipped.
        ci_low=np.maximum(kappa - margin, np.where(kappa < -1, -np.inf, -1)),
        ci_high=np.minimum(kappa + margin, 1),
        kappa_max=np.where(is_undefined, np.nan, kappa_max),
        reason=reason,
        is_fitted=np.zeros(len(n), dtype=np.bool_),
    )


def _standard_error(
    counts: FloatArray,
    costs: FloatArray,
    n: FloatArray,
    ratio: FloatArray,
    expected: FloatArray,
    row_costs: FloatArray,
    column_costs: FloatArray,
) -> FloatArray:
    """The square root of sum p (u - mean u)^2 / n, where u_kl = (v_kl - (Do / De)(vbar_k. + vbar_.l)) / De.

    0 where only rounding error is left.
    """
    by_row = (ratio / n)[:, None] * (expected[:, None] - row_costs)
    by_column = -(ratio / n)[:, None] * column_costs
    u = by_row[:, :, None] + by_column[:, None, :]
    # The mean of u is Do - (Do / De) 2 De = -Do.
    u += costs
    u *= u
    terms = np.einsum("pkl,pkl->p", counts, u)
    terms[terms <= ROUNDING * (ratio * expected * costs.max(initial=0.0))] = 0
    return np.sqrt(terms) / expected


def _reasons(
    n: FloatArray, expected: FloatArray, rows: FloatArray, columns: FloatArray, se: FloatArray
) -> NDArray[np.uint8]:
    is_constant = (np.count_nonzero(rows, axis=1) == 1) | (np.count_nonzero(columns, axis=1) == 1)
    cases = [n == 0, expected == 0, n < 2, is_constant, se == 0]
    names = [
        Reason.NO_OVERLAP,
        Reason.NO_VARIATION,
        Reason.ONE_ITEM,
        Reason.DEGENERATE_MARGINS,
        Reason.DEGENERATE_SE,
    ]
    return np.select(cases, [REASONS.index(name) for name in names], default=0).astype(np.uint8)


def _is(reason: NDArray[np.uint8], *names: Reason) -> NDArray[np.bool_]:
    return np.isin(reason, [REASONS.index(name) for name in names])
