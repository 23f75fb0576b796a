"""The number of wrong labels in a random sample: binomial, or hypergeometric in a finite population."""

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from reports.agreement.results import FloatArray, IntArray


def chances(n: int, rates: FloatArray, size: int | None, *, most: int) -> FloatArray:
    """(R, most + 1) the probabilities of 0 to `most` wrong labels in a sample of n without replacement.

    rates: (R,) share of wrong labels in the population, 0 to 1. size: labels in the population, None if so large that
    the sample is negligible. In a finite population, rate * size is rounded to whole labels (see `n_wrong`).
    Raises ValueError if n is negative or larger than the population, or a rate is not within 0 to 1.
    """
    check(n, rates, size)
    k = np.arange(most + 1)
    if size is None:
        return binomial(k[None, :], n, rates[:, None])
    return hypergeometric(k[None, :], n, n_wrong(rates, size)[:, None], size)


def n_wrong(rates: FloatArray, size: int) -> IntArray:
    """Return the number of wrong labels in a population of this size, rounded half up."""
    return np.floor(np.asarray(rates) * size + 0.5).astype(np.int64)


def binomial(k: IntArray, n: int | IntArray, rates: FloatArray) -> FloatArray:
    """P(X = k) for a binomial X with n trials, elementwise; 0 for k outside 0..n."""
    inside = (k >= 0) & (k <= n)
    kk = np.where(inside, k, 0)
    with np.errstate(divide="ignore"):
        log = (
            gammaln(n + 1)
            - gammaln(kk + 1)
            - gammaln(n - kk + 1)
            + xlogy(kk, rates)
            + xlog1py(n - kk, -rates)
        )
    return np.where(inside, np.exp(log), 0.0)


def hypergeometric(k: IntArray, n: int | IntArray, wrong: IntArray, size: int | IntArray) -> FloatArray:
    """P(X = k) wrong labels in n drawn without replacement from `size` labels, `wrong` of them wrong; elementwise."""
    low, high = np.maximum(0, n - (size - wrong)), np.minimum(n, wrong)
    inside = (k >= low) & (k <= high)
    kk = np.where(inside, k, low)
    log = _log_choose(wrong, kk) + _log_choose(size - wrong, n - kk) - _log_choose(size, np.asarray(n))
    return np.where(inside, np.exp(log), 0.0)


def _log_choose(n: IntArray | int, k: IntArray) -> FloatArray:
    return gammaln(np.asarray(n) + 1.0) - gammaln(k + 1.0) - gammaln(np.asarray(n) - k + 1.0)


def check(n: int, rates: FloatArray, size: int | None) -> None:
    """Raise ValueError, with the rule and the value, for an impossible sample or rate."""
    if n < 0 or (size is not None and n > size):
        raise ValueError(f"a sample has 0 to {'any number of' if size is None else size} labels, got {n}")
    if not ((np.asarray(rates) >= 0) & (np.asarray(rates) <= 1)).all():
        raise ValueError(f"rates must be from 0 to 1, got {rates}")
