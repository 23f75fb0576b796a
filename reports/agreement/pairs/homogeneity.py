"""Tests whether two raters use the categories equally often."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, chdtrc

from reports.agreement.pairs.confusion_matrices import check_tables
from reports.agreement.pairs.estimates import reasons
from reports.agreement.results import FloatArray, IntArray, Reason, SignificanceTests

# With fewer disagreements, the chi-squared approximation is too coarse, and the exact McNemar test is used.
EXACT_BELOW = 25
# An eigenvalue below this share of the largest one is 0.
SINGULAR = 1e-12


def mcnemar(counts: IntArray, *, exact: bool | None = None, corrected: bool = False) -> SignificanceTests:
    """(P,) McNemar's test for two categories, from b and c items on which the raters disagree.

    Statistic: (b - c)^2 / (b + c), corrected for continuity max(0, |b - c| - 1)^2 / (b + c); 0 without disagreement.
    p: of chi-squared with 1 degree of freedom or, exact, 2 Bin(min(b, c); b + c, 1/2), at most 1, with df NaN.
    exact: None for exact where b + c < 25. Undefined: not two categories (`not_two_categories`); no item is shared
    (`no_overlap`).
    Source: McNemar 1947, Psychometrika 12, 153-157.
    """
    check_tables(counts)
    n = counts.sum(axis=(1, 2))
    is_two = counts.shape[1] == 2
    b, c = (counts[:, 0, 1], counts[:, 1, 0]) if is_two else (np.zeros_like(n), np.zeros_like(n))
    b, c = b.astype(np.float64), c.astype(np.float64)
    gap = np.maximum(np.abs(b - c) - 1, 0) if corrected else np.abs(b - c)
    statistic = gap**2 / np.maximum(b + c, 1)
    is_exact = b + c < EXACT_BELOW if exact is None else np.full(n.shape, exact)
    p_exact = np.minimum(2 * bdtr(np.minimum(b, c), (b + c).astype(np.int64), 0.5), 1)
    return _results(
        statistic,
        np.where(is_exact, np.nan, 1.0),
        np.where(is_exact, p_exact, chdtrc(1, statistic)),
        reasons(
            n.shape,
            (np.full(n.shape, not is_two), Reason.NOT_TWO_CATEGORIES),
            (n == 0, Reason.NO_OVERLAP),
        ),
        _mcnemar_method(exact, corrected),
    )


def _mcnemar_method(exact: bool | None, corrected: bool) -> str:
    if exact:
        return "exact"
    chi_squared = "chi-squared, corrected for continuity" if corrected else "chi-squared"
    return chi_squared if exact is False else f"exact below {EXACT_BELOW} disagreements, else {chi_squared}"


def bowker(counts: IntArray) -> SignificanceTests:
    """(P,) Bowker's test of symmetry, the sum for k < l of (n_kl - n_lk)^2 / (n_kl + n_lk).

    Pairs of categories without disagreement are skipped, and df counts the others; with none left, the
    statistic is 0, df 0, and p 1. Undefined if no item is shared (`no_overlap`).
    Source: Bowker 1948, Journal of the American Statistical Association 43, 572-574.
    """
    check_tables(counts)
    above = np.triu_indices(counts.shape[1], k=1)
    one = counts[:, *above].astype(np.float64)
    other = counts.transpose(0, 2, 1)[:, *above].astype(np.float64)
    statistic = ((one - other) ** 2 / np.maximum(one + other, 1)).sum(axis=1)
    df = np.count_nonzero(one + other, axis=1)
    return _chi_squared(
        statistic, df, _no_overlap(counts), "chi-squared, df without empty pairs of categories"
    )


def stuart_maxwell(counts: IntArray) -> SignificanceTests:
    """(P,) the Stuart-Maxwell test of marginal homogeneity, d' S^- d with df = rank S.

    d = n_k. - n_.k; S_kk = n_k. + n_.k - 2 n_kk, S_kl = -(n_kl + n_lk). Only categories without any disagreement are
    excluded; without disagreement, the statistic is 0, df 0, and p 1. Undefined if no item is shared (`no_overlap`).
    Sources: Stuart 1955, Biometrika 42, 412-416; Maxwell 1970, British Journal of Psychiatry 116, 651-655.
    """
    statistic, df = _marginal(counts)
    return _chi_squared(statistic, df, _no_overlap(counts), "chi-squared, df of categories with disagreement")


def bhapkar(counts: IntArray) -> SignificanceTests:
    """(P,) Bhapkar's test of marginal homogeneity, X / (1 - X / n) with Stuart and Maxwell's X.

    Undefined if no item is shared (`no_overlap`), or all disagree in one direction, so that no variation is left,
    X = n (`degenerate_margins`).
    Source: Bhapkar 1966, Journal of the American Statistical Association 61, 228-235.
    """
    statistic, df = _marginal(counts)
    n = counts.sum(axis=(1, 2))
    room = 1 - statistic / np.maximum(n, 1)
    is_certain = room <= SINGULAR
    undefined = reasons(n.shape, (n == 0, Reason.NO_OVERLAP), (is_certain, Reason.DEGENERATE_MARGINS))
    statistic = statistic / np.where(is_certain, 1, room)
    return _chi_squared(statistic, df, undefined, "chi-squared, df of categories with disagreement")


def _marginal(counts: IntArray) -> tuple[FloatArray, NDArray[np.intp]]:
    """(P,) d' S^- d and the rank of S, by the eigenvalues of S."""
    check_tables(counts)
    margin_gap = counts.sum(axis=2, dtype=np.float64) - counts.sum(axis=1, dtype=np.float64)
    both = -(counts.astype(np.float64) + counts.transpose(0, 2, 1))
    categories = np.arange(counts.shape[1])
    both[:, categories, categories] = 0
    both[:, categories, categories] = -both.sum(axis=2)
    values, vectors = np.linalg.eigh(both)
    is_positive = values > SINGULAR * values.max(axis=1, initial=0)[:, None]
    along = np.einsum("pk,pkv->pv", margin_gap, vectors)
    terms = np.divide(along**2, values, out=np.zeros_like(along), where=is_positive)
    return terms.sum(axis=1), np.count_nonzero(is_positive, axis=1)


def _no_overlap(counts: IntArray) -> NDArray[np.uint8]:
    n = counts.sum(axis=(1, 2))
    return reasons(n.shape, (n == 0, Reason.NO_OVERLAP))


def _chi_squared(
    statistic: FloatArray, df: NDArray[np.intp], undefined: NDArray[np.uint8], method: str
) -> SignificanceTests:
    p_value = np.where(df > 0, chdtrc(np.maximum(df, 1), statistic), 1.0)
    return _results(statistic, df.astype(np.float64), p_value, undefined, method)


def _results(
    statistic: FloatArray, df: FloatArray, p_value: FloatArray, undefined: NDArray[np.uint8], method: str
) -> SignificanceTests:
    is_defined = undefined == 0
    return SignificanceTests(
        statistic=np.where(is_defined, statistic, np.nan),
        df=np.where(is_defined, df, np.nan),
        p_value=np.where(is_defined, p_value, np.nan),
        reason=undefined,
        method=method,
    )
