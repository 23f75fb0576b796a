"""Distances between categories: costs of disagreement for kappa, differences for alpha."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reports.agreement.results import FloatArray


class Level(StrEnum):
    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


# Between these, squares of values and their reciprocals are far from the limits of floats.
SMALLEST, LARGEST = 1e-100, 1e100
# Levels on which the declared values matter, and not only their order.
NUMERIC_LEVELS = (Level.INTERVAL, Level.RATIO)


class Weights(StrEnum):
    UNWEIGHTED = "unweighted"
    LINEAR = "linear"
    QUADRATIC = "quadratic"
    ORDINAL = "ordinal"
    RADICAL = "radical"
    RATIO = "ratio"
    CIRCULAR = "circular"
    BIPOLAR = "bipolar"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True, eq=False)
class Weighting:
    """The costs of disagreements, and the cost at which no agreement is left.

    costs: (K, K) >= 0, symmetric, 0 on the diagonal; unscaled, because kappa and its error do not depend on the scale
    and integers keep sums exact. unit: > 0, the cost of full disagreement.
    """

    name: Weights
    costs: FloatArray
    unit: float

    @property
    def similarity(self) -> FloatArray:
        """(K, K) the agreement credited to a cell, 1 - cost / unit, 1 on the diagonal."""
        return 1 - self.costs / self.unit


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


def weighting(
    weights: Weights | str,
    *,
    n_categories: int,
    values: Sequence[float] | None = None,
    similarity: ArrayLike | None = None,
) -> Weighting:
    """Return the cost of putting an item in category k while the other rater chose l, for all k and l.

    v are the values, or ranks 1..K; g = |v_k - v_l|. Costs before scaling: unweighted 1[k != l]; linear g; quadratic
    g^2; radical sqrt(g); ordinal m (m + 1) / 2 for m ranks apart; ratio ((v_k - v_l) / (v_k + v_l))^2, 0 where k = l;
    circular sin^2(pi g / (range + 1)); bipolar g^2 / ((v_k + v_l - 2 min)(2 max - v_k - v_l)), 0 where k = l. The
    unit is the largest cost. custom: 1 - similarity with unit 1.
    similarity: (K, K), for custom only; in [0, 1], symmetric, 1 on the diagonal.
    Raises ValueError for invalid values or similarity, or if values are negative with ratio weights.
    Sources: Cohen 1960; Cicchetti & Allison 1971 (linear); Fleiss & Cohen 1973 (quadratic); Gwet 2014, Handbook of
    Inter-Rater Reliability, 4th ed., chapter 3 (the others).
    """
    name = Weights(weights)
    if name is Weights.CUSTOM:
        return Weighting(name, 1 - _checked_similarity(similarity, n_categories), 1.0)
    numbers = category_values(n_categories, values)
    if name is Weights.ORDINAL:
        numbers = np.argsort(np.argsort(numbers)).astype(np.float64) + 1
    costs = _costs(name, numbers)
    return Weighting(name, costs, float(costs.max(initial=0.0)) or 1.0)


def _scaled(v: FloatArray) -> tuple[FloatArray, float]:
    """Return the values and 1, both times a power of two if the squares would exceed the range of floats.

    The scale of costs is irrelevant, and this product is exact.
    """
    exponent = -far_exponent(v)
    return times_power(v, exponent), math.ldexp(1.0, exponent) if exponent < 1000 else math.inf


def far_exponent(v: FloatArray) -> int:
    """Return the exponent of two near the largest value if the squares would exceed the range of floats, else 0."""
    largest = float(np.abs(v).max(initial=0.0))
    return 0 if largest == 0 or SMALLEST <= largest <= LARGEST else math.frexp(largest)[1]


def times_power(v: FloatArray, exponent: int | NDArray[np.int64]) -> FloatArray:
    """Return v * 2^exponent, in two steps: a power of two may be too large for a float even if the product is not."""
    half = np.asarray(exponent) // 2
    return np.ldexp(np.ldexp(v, half), exponent - half)


def _costs(name: Weights, values: FloatArray) -> FloatArray:
    v, one = _scaled(values)
    gaps = np.abs(v[:, None] - v[None, :])
    sums = v[:, None] + v[None, :]
    low, high = (v.min(), v.max()) if len(v) else (0.0, 0.0)
    match name:
        case Weights.UNWEIGHTED:
            return (gaps > 0).astype(np.float64)
        case Weights.LINEAR:
            return gaps
        case Weights.QUADRATIC:
            return gaps**2
        case Weights.ORDINAL:
            return gaps * (gaps + 1) / 2
        case Weights.RADICAL:
            return np.sqrt(gaps)
        case Weights.RATIO:
            return _ratio_distances(v)
        case Weights.CIRCULAR:
            return np.sin(np.pi * gaps / (high - low + one)) ** 2
        case _:
            products = (sums - 2 * low) * (2 * high - sums)
            return np.divide(gaps**2, products, out=np.zeros_like(gaps), where=gaps > 0)


def _ratio_distances(values: FloatArray) -> FloatArray:
    if len(values) and values.min() < 0:
        raise ValueError(f"ratios need values of 0 or more, got {values.min():g}")
    v, _ = _scaled(values)
    gaps, sums = v[:, None] - v[None, :], v[:, None] + v[None, :]
    return np.divide(gaps, sums, out=np.zeros_like(gaps), where=gaps != 0) ** 2


def _checked_similarity(similarity: ArrayLike | None, n_categories: int) -> FloatArray:
    if similarity is None:
        raise ValueError("custom weights need a matrix")
    matrix = np.asarray(similarity, dtype=np.float64)
    if matrix.shape != (n_categories, n_categories):
        raise ValueError(f"weights must be {n_categories} x {n_categories}, got shape {matrix.shape}")
    if not ((matrix >= 0) & (matrix <= 1)).all():
        raise ValueError("weights must be numbers from 0 to 1")
    if (np.diagonal(matrix) != 1).any() or (matrix != matrix.T).any():
        raise ValueError("weights must be symmetric, with 1 on the diagonal")
    return matrix


def distances(
    level: Level | str, *, label_counts: FloatArray, values: Sequence[float] | None = None
) -> FloatArray:
    """Return Krippendorff's squared difference between two categories.

    label_counts: (K,) pairable labels in each category, n_c; the ordinal metric depends on them.
    Returns (K, K) float64: nominal 1[c != k]; ordinal (sum of n_g for g from c to k - (n_c + n_k) / 2)^2;
    interval (v_c - v_k)^2; ratio ((v_c - v_k) / (v_c + v_k))^2, 0 where both are 0.
    Raises ValueError for values that `category_values` rejects, or negative values at the ratio level.
    Source: Krippendorff 2011, Computing Krippendorff's alpha-reliability.
    """
    numbers = category_values(len(label_counts), values)
    match Level(level):
        case Level.ORDINAL:
            order = np.argsort(numbers, kind="stable")
            middles = np.empty_like(label_counts)
            middles[order] = np.cumsum(label_counts[order]) - label_counts[order] / 2
            return (middles[:, None] - middles[None, :]) ** 2
        case Level.RATIO:
            return _ratio_distances(numbers)
        case Level.INTERVAL:
            return _costs(Weights.QUADRATIC, numbers)
        case _:
            return _costs(Weights.UNWEIGHTED, numbers)
