"""Data sets of reference rows, as published (committed) or in a folder of long files."""

import csv
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.building import build
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level, Weights

# A place in a matrix of codes that has no label.
MISSING = -1
# The weights of reference rows by the names of ours.
WEIGHTS = {"none": "unweighted", "custom_similarity": "custom"}

Label = tuple[str, str, str]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labels of one question.

    labels: (item, rater, category or number or set) in the order of their source. is_numeric: whether the categories
    are numbers that count as such. similarity: of the data set's own weights, if it has any.
    """

    name: str
    raters: tuple[str, ...]
    labels: tuple[Label, ...]
    categories: tuple[str, ...] = ()
    is_numeric: bool = False
    similarity: tuple[tuple[float, ...], ...] | None = None

    @cached_property
    def items(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item for item, _, _ in self.labels))

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """(items, raters) positions of categories, MISSING where there is no label."""
        codes = np.full((len(self.items), len(self.raters)), MISSING)
        for item, rater, label in self.labels:
            codes[self.items.index(item), self.raters.index(rater)] = self.categories.index(label)
        return codes

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """(items, raters) labels as numbers, NaN where there is none."""
        numbers = np.full((len(self.items), len(self.raters)), np.nan)
        for item, rater, label in self.labels:
            numbers[self.items.index(item), self.raters.index(rater)] = float(label)
        return numbers

    @cached_property
    def sample(self) -> Sample:
        return sample_of(self.codes, n_categories=len(self.categories))

    @property
    def values(self) -> tuple[float, ...] | None:
        """The categories as numbers, or None to count their ranks."""
        return tuple(map(float, self.categories)) if self.is_numeric else None

    def scale(self, *, weights: str = "none", metric: str = "nominal") -> Scale:
        return Scale(
            len(self.categories),
            level=Level(metric),
            values=self.values,
            weights=Weights(WEIGHTS.get(weights, weights)),
            custom=None if weights != "custom_similarity" else np.array(self.similarity),
        )

    def table(self, raters: tuple[str, str] | None = None) -> NDArray[np.int64]:
        """(K, K) items by the category of the first rater (rows) and of the second, where both labeled."""
        first, second = (self.raters.index(name) for name in raters or self.raters[:2])
        shared = self.codes[(self.codes[:, [first, second]] != MISSING).all(axis=1)]
        counts = np.zeros((len(self.categories),) * 2, dtype=np.int64)
        np.add.at(counts, (shared[:, first], shared[:, second]), 1)
        return counts


def sample_of(codes: NDArray[np.int64], *, n_categories: int) -> Sample:
    """A sample from (items, raters) codes with MISSING ones."""
    items, raters = np.nonzero(codes != MISSING)
    return Sample(build(items, raters, codes[items, raters], n_categories=n_categories)[0])


def read_folder(folder: Path) -> dict[str, Dataset]:
    """Every data set of folder/datasets.json, with its labels from folder/data/."""
    described = json.loads((folder / "datasets.json").read_text())
    return {name: _from_file(name, each, folder / "data" / f"{name}.csv") for name, each in described.items()}


def _from_file(name: str, described: dict[str, Any], path: Path) -> Dataset:
    with path.open(newline="") as lines:
        labels = tuple((row["item"], row["rater"], row["label"]) for row in csv.DictReader(lines))
    return _dataset(name, described, labels)


def read_published(described: dict[str, Any]) -> dict[str, Dataset]:
    """The committed data sets, each typed in the shape in which it is printed."""
    return {name: _dataset(name, each, tuple(_typed(each))) for name, each in described.items()}


def _dataset(name: str, described: dict[str, Any], labels: tuple[Label, ...]) -> Dataset:
    similarity = described.get("custom_similarity")
    return Dataset(
        name=name,
        raters=tuple(described["raters"]),
        labels=labels,
        categories=tuple(described.get("categories") or ()),
        is_numeric=described.get("numeric", False),
        similarity=None if similarity is None else tuple(map(tuple, similarity)),
    )


def _typed(described: dict[str, Any]) -> list[Label]:
    """Labels out of a table of two raters, of counts on items, or of lines, one for each rater."""
    if "table" in described:
        return _from_table(described)
    lines = described["lines"] if "lines" in described else _from_counts(described)
    return [
        (str(item), rater, str(label))
        for rater, line in zip(described["raters"], lines, strict=True)
        for item, label in enumerate(line, start=1)
        if label not in (".", None)
    ]


def _from_table(described: dict[str, Any]) -> list[Label]:
    categories, (first, second) = described["categories"], described["raters"]
    cells = [
        (row, column)
        for row, counts in zip(categories, described["table"], strict=True)
        for column, count in zip(categories, counts, strict=True)
        for _ in range(count)
    ]
    return [
        (str(item), rater, label)
        for item, (row, column) in enumerate(cells, start=1)
        for rater, label in ((first, row), (second, column))
    ]


def _from_counts(described: dict[str, Any]) -> list[tuple[str, ...]]:
    """Lines of raters who are told apart only by the order of their labels, as the source does not name them."""
    rows = [np.repeat(described["categories"], counts).tolist() for counts in described["counts"]]
    return list(zip(*rows, strict=True))
