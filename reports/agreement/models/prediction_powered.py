"""Prediction-powered inference: a mean or share from few human labels and many labels of a model."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from reports.agreement.results import FloatArray, Reason

# With fewer human labels, the normal interval is poor.
FEW = 30
# An error this small, in proportion, is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionPowered:
    """The estimate, or the reason why there is none.

    n, n_others: items with a human label, and without. tuning: λ, the weight of the model's labels. correlation:
    of human and model labels, None where either never varies. worth: number of human labels that would be as precise
    without the model's; None where the error is 0.
    """

    value: float | None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    tuning: float | None = None
    correlation: float | None = None
    worth: float | None = None
    n: int
    n_others: int
    reason: Reason = Reason.NONE

    @property
    def is_of_few(self) -> bool:
        return self.n < FEW

    def p_value(self, null: float) -> float | None:
        """Return the two-sided p-value for a mean of `null`; None without an error."""
        if self.value is None or not self.se:
            return None
        return float(2 * ndtr(-abs(self.value - null) / self.se))


def prediction_powered(
    labels: FloatArray,
    predicted: FloatArray,
    others: FloatArray,
    *,
    tuning: float | None = None,
    confidence: float = 0.95,
) -> PredictionPowered:
    """Estimate the mean of people's labels over all items: PPI++, with the tuning that minimizes the error.

    labels, predicted: (n,) labels by people and the model on the items with both. others: (N,) the model's labels of
    the rest. For a category: 1 or 0, or the share of an item's people who chose it. The items with a human label must
    be a simple random sample of all, which the data cannot show.
    θ = λ mean(others) + mean(labels - λ predicted); SE² = λ² var(others) / N + var(labels - λ predicted) / n, variances
    divided by n and N; λ = cov(labels, predicted) / ((1 + n / N) var of all predictions, divided by n + N - 1), within
    [0, 1], 0 where predictions never vary. λ = 1 is the first form of the method, λ = 0 the human labels alone.
    Undefined: fewer than two labels (`n<2`); labels and predictions that never vary, so that there is no basis for an
    error (`no_variation`); no other item (`no_overlap`). Where only the error is 0, as for a category that no person
    chose, there is a value without an interval (`degenerate_se`): a few labels don't make it certain.
    Raises ValueError if labels and predictions differ in length, or tuning is outside [0, 1].
    Source: Angelopoulos, Duchi & Zrnic 2023, PPI++: Efficient prediction-powered inference, arXiv 2311.01453.
    """
    if labels.shape != predicted.shape:
        raise ValueError(f"labels and predictions must be as many, got {labels.shape} and {predicted.shape}")
    if tuning is not None and not 0 <= tuning <= 1:
        raise ValueError(f"tuning must be from 0 to 1, got {tuning}")
    n, n_others = len(labels), len(others)
    if n < 2 or not n_others:
        reason = Reason.ONE_ITEM if n < 2 else Reason.NO_OVERLAP
        return PredictionPowered(value=None, n=n, n_others=n_others, reason=reason)
    if not np.ptp(labels) and not np.ptp(predicted):
        return PredictionPowered(value=None, n=n, n_others=n_others, reason=Reason.NO_VARIATION)
    lam = best_tuning(labels, predicted, others) if tuning is None else tuning
    rest = labels - lam * predicted
    value = float(lam * others.mean() + rest.mean())
    se = math.sqrt(lam**2 * others.var() / n_others + rest.var() / n)
    if se <= ROUNDING * max(1.0, abs(value)):
        reason = Reason.DEGENERATE_SE
        return PredictionPowered(value=value, tuning=lam, n=n, n_others=n_others, reason=reason)
    margin = float(ndtri((1 + confidence) / 2)) * se
    return PredictionPowered(
        value=value,
        se=se,
        ci_low=value - margin,
        ci_high=value + margin,
        tuning=lam,
        correlation=correlation(labels, predicted),
        worth=float(labels.var()) / se**2,
        n=n,
        n_others=n_others,
    )


def best_tuning(labels: FloatArray, predicted: FloatArray, others: FloatArray) -> float:
    """λ, within [0, 1]; 0 where the model's labels never vary."""
    spread = float(np.concatenate((predicted, others)).var(ddof=1))
    if not spread:
        return 0.0
    shared = float(np.mean((labels - labels.mean()) * (predicted - predicted.mean())))
    return min(1.0, max(0.0, shared / ((1 + len(labels) / len(others)) * spread)))


def correlation(labels: FloatArray, predicted: FloatArray) -> float | None:
    """Pearson's correlation, None where either never varies."""
    product = float(labels.std() * predicted.std())
    if not product:
        return None
    return float(np.mean((labels - labels.mean()) * (predicted - predicted.mean()))) / product


def effective_sample_size(n: int, n_others: int, r: float) -> float:
    """The number of human labels that alone would be as precise as n with the model's labels of all n + N items.

    n (n + N) / (n + (1 - r²) N), where human and model labels correlate with r in [-1, 1].
    Raises ValueError for fewer than one label, or a correlation outside [-1, 1].
    Source: Angelopoulos et al. 2023, as above: the error with the best λ, instead of σ² / n.
    """
    if n < 1 or n_others < 0 or not -1 <= r <= 1:
        raise ValueError(f"needs n >= 1, N >= 0, and r from -1 to 1, got {n}, {n_others}, and {r}")
    return n * (n + n_others) / (n + (1 - r**2) * n_others)


def labels_needed(
    half_width: float, *, sd: float, n_items: int, r: float, confidence: float = 0.95
) -> int | None:
    """The number of n_items that people must label for an interval of ± half_width; None if no number is enough.

    sd: of people's labels, sqrt(p (1 - p)) for a share p. r: the correlation of human and model labels, 0 for no model.
    The smallest n with `worth(n, n_items - n, r)` >= (z sd / half_width)². No finite-population correction: the
    interval is for items like these.
    Raises ValueError if half_width or sd is not above 0, n_items below 2, or r outside [-1, 1].
    """
    if half_width <= 0 or sd <= 0 or n_items < 2 or not -1 <= r <= 1:
        raise ValueError("half_width and sd must be above 0, n_items 2 or more, and r from -1 to 1")
    m = (float(ndtri((1 + confidence) / 2)) * sd / half_width) ** 2
    if m > n_items:
        return None
    n = m * (1 - r**2) * n_items / (n_items - m * r**2) if n_items > m * r**2 else n_items
    # A whole number that exceeds itself only through rounding is not rounded up.
    return min(n_items, max(2, math.ceil(n * (1 - 1e-9))))
