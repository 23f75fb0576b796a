"""Exact probabilities that a rule alerts by chance. No database."""

from collections.abc import Sequence

import numpy as np
from scipy.special import bdtrc


def chance_beyond(limit: int, n: int, share: float) -> float:
    """Return P(X > limit) for a binomial X of n answers, each of which counts with probability `share`.

    Raises ValueError for a limit outside 0..n or a share outside 0..1.
    """
    _refuse(limit, n, share)
    # bdtrc computes the upper tail directly, which is accurate for small values.
    return 0.0 if limit == n else float(bdtrc(limit, n, share))


def smallest_limit(n: int, share: float, at_most: float) -> int | None:
    """Return the smallest limit below n that is exceeded with probability `at_most` or less, or None."""
    _refuse(0, n, share)
    limits = np.arange(n)
    is_rare = bdtrc(limits, n, share) <= at_most
    return int(limits[is_rare][0]) if is_rare.any() else None


def chance_of_at_least(n_bad: int, n: int, share: float) -> float:
    """Return P(X >= n_bad) for the same binomial."""
    _refuse(n_bad, n, share)
    return 1.0 if n_bad == 0 else float(bdtrc(n_bad - 1, n, share))


def chance_of_run(length: int, n: int, shares: Sequence[float]) -> float:
    """Return the probability that n independent answers contain a run of `length` or more of one category.

    shares: (K,) the probability of each category, summing to 1. Computed with the Markov chain of (category, current
    run length); exact up to rounding.
    """
    if length < 2 or n < 0:
        raise ValueError(f"a run has at least 2 answers of n >= 0, got {length} of {n}")
    p = np.asarray(shares, dtype=np.float64)
    if not len(p) or (p < 0).any() or not np.isclose(p.sum(), 1.0):
        raise ValueError(f"shares must sum up to 1, got {shares}")
    if n < length:
        return 0.0
    # runs[c, r]: probability that the answers so far end in r + 1 of category c without a long enough run.
    runs = np.zeros((len(p), length - 1))
    runs[:, 0] = p
    reached = 0.0
    for _ in range(n - 1):
        of_category = runs.sum(axis=1)
        reached += float(runs[:, -1] @ p)
        begun = p * (of_category.sum() - of_category)
        runs[:, 1:] = runs[:, :-1] * p[:, None]
        runs[:, 0] = begun
    return min(reached, 1.0)


def chance_in_any_block(chance: float, blocks: float) -> float:
    """Return the probability that it happens in at least one of this many independent blocks."""
    return float(-np.expm1(blocks * np.log1p(-chance))) if chance < 1 else 1.0


def _refuse(limit: int, n: int, share: float) -> None:
    if not 0 <= limit <= n or not 0 <= share <= 1:
        raise ValueError(f"a limit is from 0 to n and a share from 0 to 1, got {limit} of {n} and {share}")
