"""Items needed for Cohen's kappa of two raters, by the large-sample standard error of kappa."""

import math

from numpy.typing import ArrayLike
from scipy.special import ndtr

from reports.agreement.planning.checked import critical_z, inside, power_z
from reports.agreement.planning.items_needed import ItemsNeeded, whole
from reports.agreement.planning.margins import Margins
from reports.agreement.weights import Weighting


def items_for_kappa_test(
    rows: ArrayLike,
    columns: ArrayLike,
    weighting: Weighting,
    *,
    kappa: float,
    null: float,
    power: float = 0.8,
    confidence: float = 0.95,
    n_sides: int = 2,
) -> ItemsNeeded:
    """Items for which a test of kappa = null has this power if kappa is as expected.

    rows, columns: (K,) how often rater A and rater B use each category. kappa, null: dimensionless, different.
    n = [(z_alpha tau(null) + z_beta tau(kappa)) / (kappa - null)]^2 with tau(k) = sqrt(n) SE(k) of the table with
    these margins and kappa k; with more than two categories, of the table for which it is largest.
    Raises ValueError for margins that are not shares, for a kappa that is impossible with these margins, and if kappa
    and null are equal.
    Sources: Cantor 1996, Psychological Methods 1, 150-153 (two categories); Flack, Afifi, Lachenbruch & Schouten
    1988, Psychometrika 53, 321-325 (more).
    """
    if kappa == null:
        raise ValueError(f"kappa and the kappa to test it against must differ, got {kappa:g} for both")
    margins = Margins(rows, columns, weighting)  # type: ignore[arg-type]
    of_null, of_kappa = margins.tau(null), margins.tau(kappa)
    z = critical_z(confidence, n_sides=n_sides)
    room = abs(kappa - null)
    n = whole(((z * of_null + power_z(power) * of_kappa) / room) ** 2)
    # Perfect agreement has no standard error.
    excess = room * math.sqrt(n) - z * of_null
    reached = float(ndtr(excess / of_kappa)) if of_kappa else 1.0
    return ItemsNeeded(n_items=n, reached=reached, method="large-sample test of kappa")


def items_for_kappa_width(
    rows: ArrayLike,
    columns: ArrayLike,
    weighting: Weighting,
    *,
    kappa: float,
    half_width: float,
    confidence: float = 0.95,
) -> ItemsNeeded:
    """Items for which the expected half-width of kappa's interval is half_width.

    n = (z tau(kappa) / half_width)^2, tau as in `items_for_kappa_test`.
    Raises ValueError for margins that are not shares, a kappa that is impossible with these margins, or a kappa of 1,
    which has no interval.
    Source of the error: Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72, 323-327.
    """
    inside(half_width, "half width", low=0, high=1)
    tau = Margins(rows, columns, weighting).tau(kappa)  # type: ignore[arg-type]
    if not tau:
        raise ValueError(
            f"with these marginals, a kappa of {kappa:g} has no error, so its interval has no width"
        )
    z = critical_z(confidence, n_sides=2)
    n = whole((z * tau / half_width) ** 2)
    return ItemsNeeded(n_items=n, reached=z * tau / math.sqrt(n), method="large-sample interval of kappa")
