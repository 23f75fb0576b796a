"""Errors and limits as other programs define them, computed from our figures."""

import math
from dataclasses import replace

from scipy.special import ndtri, stdtrit

from tests.reference.rows import Figures

Z = float(ndtri(0.975))


def with_t_limits(figures: Figures, n_items: int) -> Figures:
    """value +- t SE with n - 1 degrees of freedom, the upper limit clipped at 1 (R irrCAC)."""
    margin = float(stdtrit(n_items - 1, 0.975)) * figures.se
    low, high = figures.value - margin, min(1.0, figures.value + margin)
    return replace(figures, low=low, high=high, convention="t limits over all items, upper one clipped at 1")


def with_z_limits(figures: Figures, *, convention: str) -> Figures:
    """value +- z SE, not clipped."""
    margin = Z * figures.se
    return replace(figures, low=figures.value - margin, high=figures.value + margin, convention=convention)


def cohen_1960_se(observed: float, expected: float, n_items: int) -> float:
    """The error of Cohen 1960, which takes the expected agreement as known."""
    return math.sqrt(observed * (1 - observed) / (n_items * (1 - expected) ** 2))
