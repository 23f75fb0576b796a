"""Cohen's kappa, unweighted or weighted, of a whole stack of tables at once."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from reports.agreement.pairs.ceiling import least_disagreement
from reports.agreement.results import REASONS, FloatArray, IntArray, PairKappas, Reason
from reports.agreement.weights import Weighting

# Cells that are worked on at a time, so that all of their intermediate values stay in cache.
BLOCK_CELLS = 1 << 16
# A variance below this share of its own terms is rounding, not variation.
ROUNDING = 1e-24


def cohen_kappa(tables: IntArray, weighting: Weighting, *, confidence: float = 0.95) -> PairKappas:
    """Cohen's kappa of P pairs of raters from their tables of counts.

    tables: (P, K, K) int; items that rater A put in row k and rater B in column l, over the declared
    categories.
    weighting: what a disagreement costs (`weights.weighting`).
    Returns, dimensionless, for each table: observed and expected agreement (with weights 1 - cost / unit); kappa
    = 1 - Do / De in [-1, 1], where De is the cost expected from the margins; its large-sample standard error; the
    normal interval, clipped to [-1, 1]; kappa max, the largest kappa with these margins.
    Undefined: all if no item is shared (`no_overlap`); kappa and what follows it if De = 0 (`no_variation`).
    Without error and interval: one item (`n<2`); a rater with one category only (`degenerate_margins`).
    Without interval, with error 0: `degenerate_se`, as in perfect agreement.
    Raises ValueError if shapes differ or a count is negative.
    Sources: Cohen 1960, EPM 20, 37-46; Cohen 1968, Psychological Bulletin 70, 213-220; the error for the
    interval: Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72, 323-327.
    """
    _check(tables, weighting.costs)
    step = max(1, BLOCK_CELLS // max(1, weighting.costs.size))
    z = float(ndtri((1 + confidence) / 2))
    blocks = [_block(tables[start : start + step], weighting, z) for start in range(0, len(tables), step)]
    if not blocks:
        blocks = [_block(tables, weighting, z)]
    return PairKappas(
        *(np.concatenate([getattr(block, name) for block in blocks]) for name in PairKappas.__slots__)
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
        # Sums of costs before the division by n: whole numbers, and so exact, for the usual costs.
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
        ci_low=np.maximum(kappa - margin, -1),
        ci_high=np.minimum(kappa + margin, 1),
        kappa_max=np.where(is_undefined, np.nan, kappa_max),
        reason=reason,
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
    """The root of sum p (u - mean u)^2 / n, where u_kl = (v_kl - (Do / De)(vbar_k. + vbar_.l)) / De.

    0 where nothing but rounding is left.
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
