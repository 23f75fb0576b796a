"""Ratings for the tests: from lines of codes, from counts on items, and at random with gaps."""

from collections.abc import Sequence

import numpy as np

from reports.agreement.building import build
from reports.agreement.overall.coefficients import overall
from reports.agreement.ratings import Ratings
from reports.agreement.results import Coefficient
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level


def from_lines(*lines: str, categories: str) -> Ratings:
    """A line for each rater with a character for each item; a full stop is no label."""
    labels = [
        (item, rater, categories.index(label))
        for rater, line in enumerate(lines)
        for item, label in enumerate(line)
        if label != "."
    ]
    items, raters, codes = zip(*labels, strict=True) if labels else ((), (), ())
    return build(items, raters, codes, n_categories=len(categories))[0]


def from_counts(counts: Sequence[Sequence[int]]) -> Ratings:
    """Items by how many raters put them in each category; who of the raters did is made up."""
    codes = [np.repeat(np.arange(len(row)), row) for row in counts]
    items = np.repeat(np.arange(len(counts)), [len(row) for row in codes])
    raters = np.concatenate([np.arange(len(row)) for row in codes])
    return build(items, raters, np.concatenate(codes), n_categories=len(counts[0]))[0]


def from_table(table: Sequence[Sequence[int]]) -> Ratings:
    """Two raters from their table of counts."""
    cells = np.argwhere(np.ones_like(table)).repeat(np.ravel(table), axis=0)
    items = np.arange(len(cells)).repeat(2)
    return build(items, np.tile([0, 1], len(cells)), cells.ravel(), n_categories=len(table))[0]


def random_codes(
    seed: int, *, n_items: int, n_raters: int, n_categories: int, share: float = 0.7
) -> np.ndarray:
    """(items, raters) codes with some agreement, -1 where there is no label."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, n_categories, (n_items, 1))
    codes = np.where(
        random.random((n_items, n_raters)) < 0.6,
        truth,
        random.integers(0, n_categories, (n_items, n_raters)),
    )
    return np.where(random.random((n_items, n_raters)) < share, codes, -1)


def from_codes(codes: np.ndarray, *, n_categories: int) -> Ratings:
    items, raters = np.nonzero(codes >= 0)
    return build(items, raters, codes[items, raters], n_categories=n_categories)[0]


def all_coefficients(
    ratings: Ratings, level: str = "nominal", values: Sequence[float] | None = None
) -> dict[str, Coefficient]:
    scale = Scale(ratings.n_categories, Level(level), None if values is None else tuple(values))
    return overall(Sample(ratings), scale)
