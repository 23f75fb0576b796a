"""How far apart two categories are: costs of disagreement for kappa, distances for alpha."""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from reports.agreement.results import FloatArray


class Level(StrEnum):
    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


class Weights(StrEnum):
    UNWEIGHTED = "unweighted"
    LINEAR = "linear"
    QUADRATIC = "quadratic"


def category_values(n_categories: int, values: Sequence[float] | None = None) -> FloatArray:
    """The declared numeric values of the categories, or their ranks 1..K.

    Raises ValueError if there are not K finite values, or two are equal.
    """
    if values is None:
        return np.arange(1, n_categories + 1, dtype=np.float64)
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.shape != (n_categories,) or not np.isfinite(numbers).all():
        raise ValueError(f"values must be {n_categories} finite numbers, got {list(values)}")
    if len(np.unique(numbers)) != n_categories:
        raise ValueError(f"values of categories must differ, got {list(values)}")
    return numbers


def disagreement(
    weights: Weights | str, *, n_categories: int, values: Sequence[float] | None = None
) -> FloatArray:
    """The cost of putting an item in category k while the other rater chose l.

    Returns (K, K) float64, 0 on the diagonal: 1[k != l], |v_k - v_l| or (v_k - v_l)^2, unscaled, because
    kappa and its error do not depend on the scale and whole numbers keep sums exact. The agreement credited
    to a cell is 1 - cost / largest cost.
    Sources: Cohen 1960; Cicchetti & Allison 1971 (linear); Fleiss & Cohen 1973 (quadratic).
    """
    numbers = category_values(n_categories, values)
    gaps = np.abs(numbers[:, None] - numbers[None, :])
    match Weights(weights):
        case Weights.UNWEIGHTED:
            return (gaps > 0).astype(np.float64)
        case Weights.LINEAR:
            return gaps
        case Weights.QUADRATIC:
            return gaps**2


def distances(
    level: Level | str, *, label_counts: FloatArray, values: Sequence[float] | None = None
) -> FloatArray:
    """Krippendorff's squared difference between two categories.

    label_counts: (K,) pairable labels in each category, n_c; the ordinal metric depends on them.
    Returns (K, K) float64: nominal 1[c != k]; ordinal (sum of n_g for g from c to k - (n_c + n_k) / 2)^2;
    interval (v_c - v_k)^2.
    Source: Krippendorff 2011, Computing Krippendorff's alpha-reliability.
    """
    if Level(level) is Level.ORDINAL:
        order = np.argsort(category_values(len(label_counts), values), kind="stable")
        middles = np.empty_like(label_counts)
        middles[order] = np.cumsum(label_counts[order]) - label_counts[order] / 2
        return (middles[:, None] - middles[None, :]) ** 2
    weights = Weights.UNWEIGHTED if Level(level) is Level.NOMINAL else Weights.QUADRATIC
    return disagreement(weights, n_categories=len(label_counts), values=values)
