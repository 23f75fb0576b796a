"""Validation of user input for planning; error messages state the rule that was broken."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from reports.agreement.results import FloatArray

# The sum of typed shares, such as 0.333 three times, may differ from 1 by this much; they are rescaled.
SUM_TOLERANCE = 0.005
MAX_CATEGORIES = 30


def shares(values: ArrayLike, name: str) -> FloatArray:
    """Return (K,) shares of categories, scaled to sum to 1.

    Raises ValueError unless they are 2 to 30 numbers from 0 to 1 that sum to 1, and two of them are not 0.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or not 2 <= len(numbers) <= MAX_CATEGORIES:
        raise ValueError(f"{name} must be 2 to {MAX_CATEGORIES} shares, one for each category")
    if not ((numbers >= 0) & (numbers <= 1)).all():
        raise ValueError(f"{name} must be shares from 0 to 1, got {_listed(numbers)}")
    if abs(numbers.sum() - 1) > SUM_TOLERANCE:
        raise ValueError(f"{name} must sum to 1, got {_listed(numbers)}, which sum to {numbers.sum():g}")
    if np.count_nonzero(numbers) < 2:
        raise ValueError(f"{name} must give at least two categories a share above 0")
    return numbers / numbers.sum()


def inside(value: float, name: str, *, low: float, high: float) -> float:
    """Return the value if it lies strictly between the limits; otherwise raise ValueError."""
    if not low < value < high:
        raise ValueError(f"{name} must be above {low:g} and below {high:g}, got {value:g}")
    return float(value)


def share(value: float, name: str) -> float:
    """Return the value if it lies from 0 to 1, inclusive; otherwise raise ValueError."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must be from 0 to 1, got {value:g}")
    return float(value)


def critical_z(confidence: float, *, n_sides: int) -> float:
    """Return the normal quantile of a one- or two-sided test or interval. Raises ValueError."""
    inside(confidence, "confidence", low=0, high=1)
    if n_sides not in (1, 2):
        raise ValueError(f"n_sides must be 1 or 2, got {n_sides}")
    return float(ndtri(1 - (1 - confidence) / n_sides))


def power_z(power: float) -> float:
    """Return the normal quantile of the power of a test. Raises ValueError."""
    return float(ndtri(inside(power, "power", low=0.5 - 1e-9, high=1)))


def _listed(numbers: Sequence[float] | FloatArray) -> str:
    return ", ".join(f"{number:g}" for number in numbers)
