"""Errors and limits as other programs define them, computed from our figures."""

import math
from dataclasses import replace

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from reports.agreement.sample import Sample, Scale
from reports.agreement.statistic import Statistic as OverallStatistic
from tests.reference.rows import Figures

Z = float(ndtri(0.975))


def with_t_limits(figures: Figures, n_items: int) -> Figures:
    """value +- t SE with n - 1 degrees of freedom, the upper limit clipped at 1 (irrCAC)."""
    margin = float(stdtrit(n_items - 1, 0.975)) * figures.se
    low, high = figures.value - margin, min(1.0, figures.value + margin)
    return replace(figures, low=low, high=high, convention="t limits over all items, upper one clipped at 1")


def with_even_t_limits(figures: Figures, n_items: int, *, convention: str) -> Figures:
    """value +- t SE with n - 1 degrees of freedom, not clipped."""
    margin = float(stdtrit(n_items - 1, 0.975)) * figures.se
    low, high = figures.value - margin, figures.value + margin
    return replace(figures, low=low, high=high, convention=convention)


def with_z_limits(figures: Figures, *, convention: str) -> Figures:
    """value +- z SE, not clipped."""
    margin = Z * figures.se
    low, high = figures.value - margin, figures.value + margin
    return replace(figures, low=low, high=high, convention=convention)


def with_gwet_error(figures: Figures, statistic: OverallStatistic, sample: Sample, scale: Scale) -> Figures:
    """Gwet's error, which counts items with a single label as items without agreement; the same if there are none."""
    units = statistic.units(sample)
    n = units.n_items.sum()
    is_pairable = units.n_labels >= 2
    if statistic.item_values is None or is_pairable.all() or figures.value is None:
        return figures
    ratio = n / units.n_items[is_pairable].sum()
    beyond = statistic.item_values(units, scale, figures.value) - figures.value
    beyond += figures.value * (np.where(is_pairable, ratio, 0) - 1)
    se = math.sqrt(float((beyond**2 * units.n_items).sum()) / n / (n - 1))
    return with_t_limits(replace(figures, se=se), int(n))


def with_se_over_n(figures: Figures, n_items: int) -> Figures:
    """An error with n in the place of n - 1 (irrCAC's tables of two raters)."""
    return replace(figures, se=figures.se * math.sqrt((n_items - 1) / n_items))


def cohen_1960_se(observed: float, expected: float, n_items: int) -> float:
    """The error of Cohen 1960, which takes the expected agreement as known."""
    return math.sqrt(observed * (1 - observed) / (n_items * (1 - expected) ** 2))


def as_of_independent_shares(figures: Figures, first: int, second: int, n_items: int) -> Figures:
    """Normal limits of a difference of two counts over n as if they were counted on different items (epiR)."""
    variance = sum(count / n_items * (1 - count / n_items) / n_items for count in (first, second))
    found = with_z_limits(replace(figures, se=math.sqrt(variance)), convention="shares taken as independent")
    return replace(found, se=None)


def doubled_exact_limits(figures: Figures, n_agreeing: int, n_items: int) -> Figures:
    """2 p - 1 for the exact binomial limits p of the share of agreement (epiR)."""
    low = float(betaincinv(n_agreeing, n_items - n_agreeing + 1, 0.025))
    high = float(betaincinv(n_agreeing + 1, n_items - n_agreeing, 0.975))
    return replace(
        figures,
        low=2 * low - 1,
        high=2 * high - 1,
        convention="exact binomial limits of the share of agreement",
    )
