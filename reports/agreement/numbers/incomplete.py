"""Two-way intraclass correlations for incomplete designs, from variance components by REML."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import gammaincinv

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.one_way import with_interval
from reports.agreement.numbers.reml import Components, reml_components
from reports.agreement.results import Coefficient, FloatArray, Interval, Reason, Undefined

METHOD = "two-way random effects by REML"
INTERVAL_METHOD = "generalized"
NAMES = ("icc_a_1_reml", "icc_c_1_reml", "icc_a_k_reml", "icc_c_k_reml")
N_POINTS = 1 << 14


def incomplete_correlations(sample: NumberSample, *, confidence: float = 0.95) -> dict[str, Coefficient]:
    """ICC(A,1), ICC(A,k), ICC(C,1), and ICC(C,k) of random raters, over the items with two or more labels.

    With components I, R, and E of items, raters, and residual: ICC(A,1) = I / (I + R + E), ICC(C,1) = I / (I + E), and
    for k labels I / (I + (R + E) / k) and I / (I + E / k); k is the harmonic mean of the numbers of labels on an item.
    Generalized intervals, see `drawn`. Where all raters labeled all items, the values are those of analysis of
    variance, unless a component would be negative there.
    Undefined: as `reml_components`; `no_item_variation`, neither items nor residual vary.
    No interval: `degenerate_se`, a value of 1; `degenerate_margins`, neither items nor residual vary.
    Sources: McGraw & Wong 1996, Psychological Methods 1, 30-46; ten Hove, Jorgensen & van der Ark 2024, Psychological
    Methods 29, 967-979.
    """
    try:
        components = reml_components(sample)
        k = components.crossed.labels_per_item
        draws = drawn(components)
    except Undefined as undefined:
        return dict.fromkeys(NAMES, _coefficient(sample, None, Interval(reason=undefined.reason, method="")))
    found = {}
    for name in NAMES:
        is_absolute, of_labels = name.startswith("icc_a"), k if "_k" in name else 1.0
        noise = components.residual + (components.raters if is_absolute else 0)
        if not components.items + noise:
            interval = Interval(reason=Reason.NO_ITEM_VARIATION, method="")
            found[name] = _coefficient(sample, None, interval)
            continue
        value = components.items / (components.items + noise / of_labels)
        interval = _interval(components, draws, is_absolute, of_labels, confidence, value)
        found[name] = _coefficient(sample, value, interval, None if of_labels == 1 else k)
    return found


def _coefficient(
    sample: NumberSample, value: float | None, interval: Interval, k: float | None = None
) -> Coefficient:
    method = METHOD if k is None else f"{METHOD}, k = {k:.4g}"
    return with_interval(value, interval, sample, used=sample.pairable_size, method=method)


@dataclass(frozen=True, slots=True, eq=False)
class ComponentDraws:
    """Draws of the components that are compatible with the data, N_POINTS of each."""

    items: FloatArray
    raters: FloatArray
    residual: FloatArray


def drawn(components: Components) -> ComponentDraws:
    """Generalized pivots of the components, treating each as from a mean square with its degrees of freedom.

    These are n - 1 for items, R - 1 for raters, and the remaining ones. A mean square of items is E + h I: with the
    effective number h of labels per item for which I has its REML variance; likewise for raters. Exact without empty
    cells.
    Sources: Weerahandi 1993, Journal of the American Statistical Association 88, 899-905; Burdick, Borror & Montgomery
    2005, Design and Analysis of Gauge R&R Studies.
    """
    crossed, variances = components.crossed, np.diag(components.covariance)
    df = crossed.n - 1, crossed.n_raters - 1, crossed.df
    of_items, of_raters, of_residual = (_chi_squared(each, place) / each for place, each in enumerate(df))
    residual = components.residual / of_residual
    found = []
    for component, variance, own, pivot in (
        (components.items, variances[0], df[0], of_items),
        (components.raters, variances[1], df[1], of_raters),
    ):
        error = components.residual / _effective(
            component, components.residual, float(variance), own, crossed.df
        )
        error_drawn = error / of_residual
        found.append(np.maximum(0, (component + error) / pivot - error_drawn))
    return ComponentDraws(found[0], found[1], residual)


def _effective(component: float, residual: float, variance: float, df: int, df_residual: int) -> float:
    """The h > 0 for which 2 (E + h C)^2 / df + 2 E^2 / df_residual is h^2 times the variance of the component C."""
    square = variance - 2 * component**2 / df
    if math.isnan(variance) or square <= 1e-12 * variance:
        return math.inf
    half = 2 * residual * component / df
    rest = 2 * residual**2 * (1 / df + 1 / df_residual)
    return (half + math.sqrt(half**2 + square * rest)) / square


@cache
def _points() -> FloatArray:
    """(3, N_POINTS) points that fill the cube evenly, the same on every machine: Roberts' sequence."""
    # The real root of x^4 = x + 1.
    ratio = 1.2207440846057596
    steps = ratio ** -np.arange(1.0, 4.0)
    found: FloatArray = (0.5 + np.outer(steps, np.arange(1, N_POINTS + 1))) % 1
    return found


def _chi_squared(df: int, place: int) -> FloatArray:
    found: FloatArray = 2 * gammaincinv(df / 2, _points()[place])
    return found


def _interval(
    components: Components,
    draws: ComponentDraws,
    is_absolute: bool,
    k: float,
    confidence: float,
    value: float,
) -> Interval:
    if math.isclose(value, 1, abs_tol=1e-12):
        return Interval(reason=Reason.DEGENERATE_SE, method=INTERVAL_METHOD)
    if components.items == components.residual == 0:
        return Interval(reason=Reason.DEGENERATE_MARGINS, method=INTERVAL_METHOD)
    noise = draws.residual + (draws.raters if is_absolute else 0)
    ratios = draws.items / (draws.items + noise / k)
    low, high = np.quantile(ratios, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    return Interval(low=low, high=high, method=INTERVAL_METHOD)
