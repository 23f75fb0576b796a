"""Some of the labels that a report keeps: of some raters, on some items, of one round or some time."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.analysis.labels import COLUMNS, IdArray, LabelColumns
from reports.models import QuestionAgreement
from reports.sources.rows import Rows
from reports.sources.stored import blocks_of, joined, no_rows

READ = ("items", "raters", "values")


@dataclass(frozen=True, slots=True, eq=False)
class Keep:
    """Which labels are kept; None for all.

    raters, items: ids. round: the id of one. since, until: microseconds since 1970; a label of the latter is not kept.
    """

    raters: IdArray | None = None
    items: IdArray | None = None
    round: int | None = None
    since: int | None = None
    until: int | None = None

    @property
    def has_moments(self) -> bool:
        return self.since is not None or self.until is not None

    def of(self, rows: Rows) -> Rows:
        keep = np.ones(len(rows), dtype=bool)
        if self.raters is not None:
            keep &= np.isin(rows.raters, self.raters)
        if self.items is not None:
            keep &= np.isin(rows.items, self.items)
        if self.round is not None:
            keep &= rows.rounds == self.round
        if self.since is not None:
            keep &= rows.moments >= self.since
        if self.until is not None:
            keep &= rows.moments < self.until
        return rows.at(keep)


@dataclass(frozen=True, slots=True, eq=False)
class FilteredLabels:
    """labels: of each item and rater the first that is kept, with items, raters, and values alone.

    abstained: (M,) who could not tell, by their ids, once for each item.
    """

    labels: LabelColumns
    abstained: NDArray[np.int64]


def read_filtered(agreement: QuestionAgreement, keep: Keep) -> FilteredLabels:
    """Without a round, the labels that the figures of the report are about; else those of any round that it read."""
    kept = [rows.at(rows.is_first) for rows in _blocks(agreement, keep)]
    rows = joined(kept) if kept else no_rows(agreement)
    has_value = rows.has_value
    labels = rows.at(has_value)
    columns = {name: getattr(labels, name) for name in COLUMNS}
    return FilteredLabels(LabelColumns(**columns, members=labels.members), rows.raters[~has_value])


def _blocks(agreement: QuestionAgreement, keep: Keep) -> Iterator[Rows]:
    # A column that is not looked at stays empty.
    columns = [
        *READ,
        *(["rounds"] if keep.round is not None else []),
        *(["moments"] if keep.has_moments else []),
    ]
    for _, rows in blocks_of(agreement, columns, all_rounds=keep.round is not None):
        if len(kept := keep.of(rows)):
            yield kept
