"""Items needed for the interval of an intraclass correlation."""

import math

import numpy as np
from scipy.special import fdtri

from reports.agreement.planning.checked import critical_z, inside
from reports.agreement.planning.needed import ItemsNeeded, whole

# Quantiles of the F ratio that the expected width is averaged over.
N_QUANTILES = 400
MAX_RATERS = 1000


def items_for_icc_width(
    *, icc: float, n_raters: int, half_width: float, confidence: float = 0.95, is_consistency: bool = False
) -> ItemsNeeded:
    """Items for which the interval of ICC(1,1), or of the consistency ICC(C,1), is expected to be 2 half_width wide.

    icc: the expected value, in (0, 1); single ratings. Found by bisection on `expected_width`, from a formula for
    large samples, n = 8 z^2 (1 - r)^2 (1 + (k - 1) r)^2 / (k (k - 1) (2 half_width)^2) + 1, which alone gives too
    few items where fewer than about 30 are needed.
    Raises ValueError for an icc or half width that is not in (0, 1), and fewer than 2 raters.
    Sources: McGraw & Wong 1996, Psychological Methods 1, 30 (the interval); Bonett 2002 (the formula).
    """
    inside(icc, "ICC", low=0, high=1)
    inside(half_width, "half width", low=0, high=1)
    if not 2 <= n_raters <= MAX_RATERS:
        raise ValueError(f"there must be 2 to {MAX_RATERS:,} raters, got {n_raters}")
    z, k = critical_z(confidence, n_sides=2), n_raters
    start = 8 * (z * (1 - icc) * (1 + (k - 1) * icc)) ** 2 / (k * (k - 1) * (2 * half_width) ** 2) + 1

    def width(n: int) -> float:
        return expected_width(n, icc=icc, n_raters=k, confidence=confidence, is_consistency=is_consistency)

    low, high = 1, whole(start)
    while width(high) > 2 * half_width:
        low, high = high, whole(2 * high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if width(middle) <= 2 * half_width else (middle, high)
    return ItemsNeeded(n_items=high, reached=width(high) / 2, method="expected F interval of the ICC")


def expected_width(
    n_items: int, *, icc: float, n_raters: int, confidence: float, is_consistency: bool = False
) -> float:
    """The mean width of the interval over studies of so many items.

    The ratio of mean squares is 1 + k r / (1 - r) times an F variable with n - 1 and n (k - 1) degrees of freedom
    (consistency: (n - 1)(k - 1)); the limits are (F_L - 1) / (F_L + k - 1), where F_L is the ratio divided by the
    F quantile.
    """
    k = n_raters
    between = n_items - 1
    within = (n_items - 1 if is_consistency else n_items) * (k - 1)
    tail = (1 + confidence) / 2
    chances = (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES
    ratios = (1 + k * icc / (1 - icc)) * fdtri(between, within, chances)
    lower, upper = ratios / fdtri(between, within, tail), ratios * fdtri(within, between, tail)
    widths = (upper - 1) / (upper + k - 1) - (lower - 1) / (lower + k - 1)
    return math.fsum(widths) / N_QUANTILES
