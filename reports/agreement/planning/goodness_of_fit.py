"""Items needed for the kappa of two raters with common margins, by goodness of fit of their table.

The tables are those of the common correlation model: both raters use the categories equally often, and
P(k, k) = p_k^2 + kappa p_k (1 - p_k), P(k, l) = p_k p_l (1 - kappa). Its kappa is the intraclass kappa, which
is Scott's pi. The statistic in a study of n items has the non-centrality n sum (P1 - P0)^2 / P0 with one degree of
freedom.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from reports.agreement.planning.checked import critical_z, inside, power_z, shares
from reports.agreement.planning.items_needed import ItemsNeeded, whole
from reports.agreement.results import FloatArray

LOWER_LIMIT = "goodness-of-fit lower limit of kappa"


def items_for_fit_test(
    prevalence: ArrayLike, *, kappa: float, null: float, power: float = 0.8, confidence: float = 0.95
) -> ItemsNeeded:
    """Items for which the two-sided goodness-of-fit test of kappa = null has this power if kappa is as expected.

    prevalence: (K,) how often both raters use each category. n = (z_alpha/2 + z_beta)^2 / non-centrality of one item.
    Raises ValueError for invalid shares, a kappa that gives a negative cell, and if kappa and null are equal.
    Source: Donner & Eliasziw 1992, Statistics in Medicine 11, 1511.
    """
    per_item = _non_centrality(prevalence, kappa=kappa, null=null)
    z = critical_z(confidence, n_sides=2)
    n = whole((z + power_z(power)) ** 2 / per_item)
    reached = float(ndtr(math.sqrt(n * per_item) - z))
    return ItemsNeeded(n_items=n, reached=reached, method="goodness-of-fit test of kappa")


def items_for_lower_limit(
    prevalence: ArrayLike, *, kappa: float, lower: float, confidence: float = 0.95
) -> ItemsNeeded:
    """Items for which the expected one-sided goodness-of-fit limit of kappa is `lower` or above.

    n = z_alpha^2 / non-centrality of one item, with `lower` as the null.
    reached: the distance from kappa to the limit.
    Raises ValueError like `items_for_fit_test`, and if lower is not below kappa.
    Source: Rotondi & Donner 2012; Donner & Eliasziw 1992, Statistics in Medicine 11, 1511.
    """
    if not lower < kappa:
        raise ValueError(f"the lower limit must be below kappa, got {lower:g} for a kappa of {kappa:g}")
    per_item = _non_centrality(prevalence, kappa=kappa, null=lower)
    n = whole(critical_z(confidence, n_sides=1) ** 2 / per_item)
    return ItemsNeeded(n_items=n, reached=kappa - lower, method=LOWER_LIMIT)


def _non_centrality(prevalence: ArrayLike, *, kappa: float, null: float) -> float:
    """The non-centrality of one item, sum (P1 - P0)^2 / P0 over the cells of the table."""
    if kappa == null:
        raise ValueError(f"kappa and the kappa to test it against must differ, got {kappa:g} for both")
    inside(null, "the kappa to test against", low=-1, high=1)
    used = shares(prevalence, "prevalence")
    used = used[used > 0]
    expected, found = common_correlation(used, null), common_correlation(used, kappa)
    with np.errstate(divide="ignore"):
        return float(((found - expected) ** 2 / expected).sum())


def common_correlation(prevalence: FloatArray, kappa: float) -> FloatArray:
    """(K, K) the table of two raters with these common margins and this intraclass kappa. Raises ValueError."""
    table = np.outer(prevalence, prevalence) * (1 - kappa) + np.diag(prevalence * kappa)
    if (table < -1e-12).any():
        least = float(np.max(-prevalence / (1 - prevalence)))
        raise ValueError(
            f"with this prevalence, kappa lies between {least:.3f} and 1, so it cannot be {kappa:g}"
        )
    return np.maximum(table, 0)
