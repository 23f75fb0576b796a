"""A model of raters' errors: every item has a true category, which each rater reports with known error rates."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reports.agreement.planning.checked import share, shares
from reports.agreement.results import FloatArray

SUM_TOLERANCE = 0.005
MAX_RATERS = 100


@dataclass(frozen=True, slots=True, eq=False)
class LatentClassModel:
    """Raters whose errors are independent, given an item's true category.

    prevalence: (K,) shares of the true categories. confusion: (R, K, K); how often rater r puts an item of true
    category t (row) into category k (column); rows sum to 1.
    Source: the model is that of Dawid & Skene 1979, Applied Statistics 28, 20-28.
    """

    prevalence: FloatArray
    confusion: FloatArray

    def __post_init__(self) -> None:
        q = len(shares(self.prevalence, "prevalence"))
        if self.confusion.ndim != 3 or self.confusion.shape[1:] != (q, q):
            raise ValueError(f"each rater needs a {q} x {q} matrix of rates, got {self.confusion.shape[1:]}")
        if not 2 <= len(self.confusion) <= MAX_RATERS:
            raise ValueError(f"there must be 2 to {MAX_RATERS} raters, got {len(self.confusion)}")
        if not (np.abs(self.confusion.sum(axis=2) - 1) <= 1e-9).all():
            raise ValueError("the rates of each true category must sum to 1")

    @property
    def n_raters(self) -> int:
        return len(self.confusion)

    @property
    def n_categories(self) -> int:
        return len(self.prevalence)

    def n_patterns(self) -> int:
        """The number of possible splits of an item's labels across the categories."""
        return math.comb(self.n_raters + self.n_categories - 1, self.n_categories - 1)

    def patterns(self) -> tuple[NDArray[np.uint8], FloatArray]:
        """(U, K) all splits of an item's labels across the categories, and (U,) their probabilities."""
        q = self.n_categories
        counts, given_truth = np.zeros((1, q), dtype=np.uint8), np.ones((1, q))
        for rates in self.confusion:
            # One more rater: each split leads to K others, by the category that this rater chooses.
            grown = (counts[:, None, :] + np.eye(q, dtype=np.uint8)).reshape(-1, q)
            chances = (given_truth[:, None, :] * rates.T[None, :, :]).reshape(-1, q)
            counts, places = np.unique(grown, axis=0, return_inverse=True)
            given_truth = np.zeros((len(counts), q))
            np.add.at(given_truth, places.reshape(-1), chances)
        return counts, given_truth @ self.prevalence

    def draw_counts(self, random: np.random.Generator, n_items: int) -> NDArray[np.uint8]:
        """(n_items, K) the splits of the labels of random items across the categories."""
        truth = np.searchsorted(np.cumsum(self.prevalence)[:-1], random.random(n_items), side="right")
        counts = np.zeros((n_items, self.n_categories), dtype=np.uint8)
        rows = np.arange(n_items)
        for rates in self.confusion:
            limits = np.cumsum(rates, axis=1)[truth, :-1]
            counts[rows, (random.random(n_items)[:, None] >= limits).sum(axis=1)] += 1
        return counts


def confusion_of(matrix: ArrayLike, *, name: str = "confusion matrix") -> FloatArray:
    """(K, K) the rates of one rater, with rows scaled to sum to 1. Raises ValueError for invalid rates."""
    rates = np.asarray(matrix, dtype=np.float64)
    if rates.ndim != 2 or rates.shape[0] != rates.shape[1] or len(rates) < 2:
        raise ValueError(f"the {name} must be square, with a row and a column for each category")
    if not ((rates >= 0) & (rates <= 1)).all() or (np.abs(rates.sum(axis=1) - 1) > SUM_TOLERANCE).any():
        raise ValueError(f"each row of the {name} must be rates from 0 to 1 that sum to 1")
    return rates / rates.sum(axis=1, keepdims=True)


def by_accuracy(accuracy: float, *, n_categories: int) -> FloatArray:
    """(K, K) a rater who is right this often for every category, else picks any other with equal probability."""
    wrong = (1 - share(accuracy, "accuracy")) / (n_categories - 1)
    return np.where(np.eye(n_categories, dtype=bool), accuracy, wrong)


def by_sensitivity(sensitivity: float, specificity: float) -> FloatArray:
    """(2, 2) a rater with this sensitivity for the first category, and this specificity for the second."""
    found, cleared = share(sensitivity, "sensitivity"), share(specificity, "specificity")
    return np.array([[found, 1 - found], [1 - cleared, cleared]])
