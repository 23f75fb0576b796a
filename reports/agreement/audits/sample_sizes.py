"""The number of labels to audit for a share within a margin, and its allocation to strata."""

import numpy as np
from numpy.typing import ArrayLike

from reports.agreement.planning.checked import critical_z, inside
from reports.agreement.results import FloatArray, IntArray

# Halvings of the interval that contains the scale of an allocation; a float has no more digits.
HALVINGS = 200
# Of a smaller margin, the square comes near to what a float cannot hold.
LEAST_MARGIN = 1e-9


def needed_for_margin(
    share: float,
    margin: float,
    *,
    size: int | None = None,
    confidence: float = 0.95,
    design_effect: float = 1.0,
) -> int:
    """Return the number of labels to audit so that the interval of the share of wrong ones is about ± margin.

    Cochran's n0 = z^2 p (1 - p) / margin^2, times the design effect (labels of one unit are similar), corrected for a
    finite population by n0 / (1 + (n0 - 1) / size), rounded up. share: the expected share, 0.5 at worst.
    Raises ValueError for a share or margin outside (0, 1), a margin too small to compute with, a design effect below 1,
    or an empty population.
    Source: Cochran 1977, Sampling Techniques, section 4.4.
    """
    p, d = inside(share, "share", low=0, high=1), inside(margin, "margin", low=0, high=1)
    if design_effect < 1:
        raise ValueError(f"the design effect must be at least 1, got {design_effect:g}")
    if size is not None and size < 1:
        raise ValueError(f"a population has at least 1 label, got {size}")
    if d < LEAST_MARGIN:
        raise ValueError(f"the margin must be at least {LEAST_MARGIN:g}, got {d:g}")
    n0 = max(1.0, critical_z(confidence, n_sides=2) ** 2 * p * (1 - p) / d**2 * design_effect)
    n = n0 if size is None else n0 / (1 + (n0 - 1) / size)
    # Numbers barely above a whole number are rounded down to it.
    return min(int(np.ceil(n - 1e-9)), size or int(np.ceil(n - 1e-9)))


def allocated(
    n: int, sizes: ArrayLike, *, shares: ArrayLike | None = None, equally: bool = False, least: int = 2
) -> IntArray:
    """Return (H,) how many of n units to draw from each stratum; the sum is n, or all units if there are fewer.

    shares: (H,) expected share of wrong labels in each stratum, for Neyman's optimal allocation, in proportion to
    size * sqrt(p (1 - p)); None for allocation in proportion to size. equally: the same number to each stratum,
    whatever its size. Each stratum gets at least `least` units (or all it has), so that its variance can be estimated,
    even if the sum exceeds n. What one stratum cannot supply goes to the others. Remainders go to the largest
    fractions, the first in case of ties.
    Raises ValueError if a size is negative, n is below 1, or the shapes differ.
    Source: Neyman 1934, Journal of the Royal Statistical Society 97(4), 558-625.
    """
    size = np.asarray(sizes, dtype=np.int64)
    if n < 1 or (size < 0).any() or size.ndim != 1:
        raise ValueError(f"allocation needs n >= 1 and sizes >= 0, got {n} and {size}")
    weight: FloatArray = (size > 0).astype(np.float64) if equally else size.astype(np.float64)
    if shares is not None:
        p = np.asarray(shares, dtype=np.float64)
        if p.shape != size.shape or not ((p >= 0) & (p <= 1)).all():
            raise ValueError(f"shares must be one for each stratum, from 0 to 1, got {p}")
        weight = weight * np.sqrt(p * (1 - p))
    # Strata without weight are used only when nothing else is left.
    weight = np.maximum(weight, size * 1e-9)
    least_of, n = np.minimum(least, size), min(max(n, int(np.minimum(least, size).sum())), int(size.sum()))
    low, high = 0.0, float(np.max(size / np.where(weight > 0, weight, np.inf), initial=1.0))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = np.clip(middle * weight, least_of, size).sum() >= n
        low, high = (low, middle) if enough else (middle, high)
    exact = np.clip(high * weight, least_of, size)
    # Numbers barely below a whole number are rounded up to it.
    whole = np.floor(exact + 1e-9).astype(np.int64)
    largest = np.argsort(np.where(whole < size, whole - exact, np.inf), kind="stable")
    whole[largest[: n - int(whole.sum())]] += 1
    return whole
