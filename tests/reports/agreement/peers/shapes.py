"""Random labels in many shapes: few and many raters and categories, gaps, categories that nobody used."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from reports.agreement.ratings import Ratings
from tests.reports.agreement.samples import from_codes, random_codes


@dataclass(frozen=True, slots=True)
class Shape:
    """n_used: of the declared categories, how many occur at most; share: of items that a rater labeled."""

    n_items: int
    n_raters: int
    n_categories: int
    share: float = 1.0
    n_used: int | None = None

    def __str__(self) -> str:
        return f"{self.n_items}x{self.n_raters}, {self.n_categories} categories, {self.share:.0%}"

    @property
    def codes(self) -> np.ndarray:
        """(items, raters) codes, -1 where there is no label; every item and every rater has a label."""
        codes = random_codes(
            self.n_items,
            n_items=self.n_items,
            n_raters=self.n_raters,
            n_categories=self.n_used or self.n_categories,
            share=self.share,
        )
        return codes[(codes >= 0).any(axis=1)][:, (codes >= 0).any(axis=0)]

    @property
    def ratings(self) -> Ratings:
        return from_codes(self.codes, n_categories=self.n_categories)

    def counts(self) -> np.ndarray:
        """(items, K) labels by category."""
        return (self.codes[:, :, None] == np.arange(self.n_categories)).sum(axis=1)


GAPS = [
    Shape(200, 6, 2, 0.8),
    Shape(120, 8, 5, 0.5),
    Shape(60, 12, 7, 0.3),
    Shape(15, 10, 3, 0.4),
    Shape(4, 6, 3, 0.7),
    Shape(80, 60, 4, 0.6),
    Shape(90, 5, 6, 0.8, n_used=3),
    Shape(150, 2, 100, 0.9),
    Shape(500, 4, 40, 0.9),
]
COMPLETE = [
    Shape(400, 3, 13),
    Shape(50, 20, 5),
    Shape(200, 2, 2),
    Shape(30, 60, 3),
    Shape(1, 5, 3),
    Shape(2, 2, 4),
    Shape(70, 4, 9, n_used=2),
    Shape(120, 2, 100),
]
ONE_CATEGORY = [Shape(30, 4, 1), Shape(30, 4, 3, n_used=1), Shape(1, 2, 1)]
SHAPES = GAPS + COMPLETE


@contextmanager
def quiet_peer() -> Iterator[None]:
    """Divisions by zero are the peer's affair: what counts is what it returns."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
