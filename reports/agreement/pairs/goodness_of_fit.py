"""The goodness-of-fit interval of kappa with two categories, valid where the normal one is too narrow."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from reports.agreement.results import FloatArray, IntArray

# The normal interval is used from this number of labels of the rarer category, by both raters together.
FEW_LABELS = 50
# Each step halves the interval that contains the limit.
STEPS = 52


def of_two_categories(tables: IntArray) -> tuple[NDArray[np.bool_], IntArray]:
    """(P,) which tables have exactly two categories, and those tables without the others, (Q, 2, 2)."""
    labels = tables.sum(axis=1) + tables.sum(axis=2)
    is_two = np.count_nonzero(labels, axis=1) == 2
    used = np.nonzero(labels[is_two])[1].reshape(-1, 2)
    places = np.arange(len(used))[:, None, None]
    return is_two, tables[is_two][places, used[:, :, None], used[:, None, :]]


def is_rare(tables: IntArray) -> NDArray[np.bool_]:
    """(P,) which tables of two categories have few labels of one, so that the normal interval is too narrow.

    This includes all tables with fewer than 50 items.
    """
    labels = tables.sum(axis=1) + tables.sum(axis=2)
    found: NDArray[np.bool_] = labels.min(axis=1) < FEW_LABELS
    return found


def fitted_limits(tables: IntArray, *, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """(P,) limits of the kappas that fit the table if both raters use the categories equally often (Scott's pi).

    tables: (P, 2, 2) with labels of both categories. With the pooled shares p and q and a = n (p^2 + kappa p q),
    d = n (q^2 + kappa p q), m = 2 n p q (1 - kappa) expected, the limits are where chi-squared of the numbers of items
    in both, in neither, and disputed equals the quantile of the confidence, with one degree of freedom. They always lie
    between the lowest kappa possible with p and 1, and exist also in full agreement. NaN where a category has no label.
    Source: Donner & Eliasziw 1992, Statistics in Medicine 11, 1511-1519.
    """
    both, neither = tables[:, 0, 0].astype(np.float64), tables[:, 1, 1].astype(np.float64)
    disputed = (tables[:, 0, 1] + tables[:, 1, 0]).astype(np.float64)
    n = both + neither + disputed
    with np.errstate(divide="ignore", invalid="ignore"):
        p = (both + disputed / 2) / n
        product = p * (1 - p)
        kappa = 1 - disputed / (2 * n * product)
        # There, no expected item is left on which both raters choose the rarer category.
        least = -np.minimum(p, 1 - p) / np.maximum(p, 1 - p)
    critical = float(ndtri((1 + confidence) / 2)) ** 2

    def misfit(at: FloatArray) -> FloatArray:
        # All three numbers change together: by n p q (kappa - at), and twice that.
        moved = n * product * (kappa - at)
        expected = n * (p**2 + at * product), n * ((1 - p) ** 2 + at * product), n * product * (1 - at)
        return moved**2 * (1 / expected[0] + 1 / expected[1] + 2 / expected[2])

    def limit(outside: FloatArray) -> FloatArray:
        inside = kappa
        for _ in range(STEPS):
            middle = (inside + outside) / 2
            fits = misfit(middle) <= critical
            inside, outside = np.where(fits, middle, inside), np.where(fits, outside, middle)
        return (inside + outside) / 2

    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = limit(least), limit(np.ones_like(kappa))
    is_there = product > 0
    return np.where(is_there, low, np.nan), np.where(is_there, np.where(disputed == 0, 1.0, high), np.nan)


def cohen_limits(tables: IntArray, *, confidence: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """(P,) the same for Cohen's kappa: 1 - kappa = (1 - pi) times the ratio of their expected disagreements.

    Raters who use the categories equally often have the limits of Donner & Eliasziw; for others the limits are slightly
    conservative, and never below -1.
    """
    low, high = fitted_limits(tables, confidence=confidence)
    rows, columns = tables.sum(axis=2).astype(np.float64), tables.sum(axis=1).astype(np.float64)
    pooled = rows + columns
    with np.errstate(divide="ignore", invalid="ignore"):
        disputed = rows[:, 0] * columns[:, 1] + rows[:, 1] * columns[:, 0]
        ratio = pooled[:, 0] * pooled[:, 1] / 2 / disputed
        return np.maximum(1 - (1 - low) * ratio, -1), 1 - (1 - high) * ratio
