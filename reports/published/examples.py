"""Tables and labels from the literature, in the form in which they were printed."""

import json
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.building import build
from reports.agreement.consensus.item_labels import ItemLabels
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.sample import Sample, Scale
from reports.agreement.sets.members import SetSample
from reports.agreement.weights import Level, Weights

FILE = Path(__file__).with_name("examples.json")
NO_LABEL = "."
EMPTY_SET = "{}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Example:
    """One published data set: a table of two raters (rows for the first), counts of items, a line for each rater, or
    none, for figures computed from their arguments alone.

    custom_similarity: weights published with it. raters: the rater of each line, if several lines may be of one rater.
    """

    name: str
    title: str
    source: str
    categories: tuple[str, ...] = ()
    table: list[list[int]] = field(default_factory=list)
    counts: list[list[int]] = field(default_factory=list)
    lines: list[Any] = field(default_factory=list)
    raters: tuple[str, ...] = ()
    custom_similarity: list[list[float]] = field(default_factory=list)

    @property
    def tables(self) -> NDArray[np.int64]:
        """The table of two raters, (1, K, K)."""
        return np.array([self.table])

    @cached_property
    def sample(self) -> Sample:
        """The labels; raters are made up if only counts were printed."""
        items, raters, codes = self._from_table() if self.table else self._from_lines()
        return Sample(build(items, raters, codes, n_categories=len(self.categories))[0])

    def scale(self, *, level: str = "nominal", weights: str = "unweighted") -> Scale:
        """Return the scale; numeric categories have their numbers as values."""
        is_numeric = all(name.isdigit() for name in self.categories)
        return Scale(
            len(self.categories),
            level=Level(level),
            values=tuple(map(float, self.categories)) if is_numeric else None,
            weights=Weights(weights),
            custom=np.array(self.custom_similarity) if weights == Weights.CUSTOM else None,
        )

    @property
    def numbers(self) -> NumberSample:
        """Items by raters."""
        return NumberSample(np.array(self.lines, dtype=np.float64).T)

    @property
    def sets(self) -> SetSample:
        """Labels such as "A|B", or {} for the empty set."""
        labels = [
            (item, rater, set() if text == EMPTY_SET else set(text.split("|")))
            for rater, line in enumerate(self.lines)
            for item, text in enumerate(line)
        ]
        names = sorted(set().union(*(chosen for _, _, chosen in labels)))
        items, raters, chosen = zip(*labels, strict=True)
        return SetSample.from_labels(items, raters, [[name in each for name in names] for each in chosen])

    @property
    def repeated_labels(self) -> ItemLabels:
        """Labels, of which a rater may have several on one item."""
        items, lines, codes = self._from_lines()
        names = list(dict.fromkeys(self.raters))
        rater_of_line = np.array([names.index(name) for name in self.raters])
        return ItemLabels(
            items=items,
            raters=rater_of_line[lines],
            codes=codes,
            n_items=len(self.lines[0]),
            n_raters=len(names),
            n_categories=len(self.categories),
        )

    def _from_table(self) -> tuple[NDArray[np.int64], ...]:
        cells = np.argwhere(np.ones_like(self.table)).repeat(np.ravel(self.table), axis=0)
        return np.arange(len(cells)).repeat(2), np.tile([0, 1], len(cells)), cells.ravel()

    def _from_lines(self) -> tuple[NDArray[np.int64], ...]:
        lines = self.lines or zip(*(np.repeat(self.categories, row) for row in self.counts), strict=True)
        labels = [
            (item, rater, self.categories.index(str(label)))
            for rater, line in enumerate(lines)
            for item, label in enumerate(line)
            if label != NO_LABEL
        ]
        items, raters, codes = np.array(labels).T
        return items, raters, codes


@cache
def examples() -> dict[str, Example]:
    described = json.loads(FILE.read_text(encoding="utf-8"))
    tuples = ("categories", "raters")
    return {
        name: Example(name=name, **each | {key: tuple(each[key]) for key in tuples if key in each})
        for name, each in described.items()
    }
