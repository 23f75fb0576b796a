"""A part of a report's labels: of some raters, on some items, or in one round or period."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from raters.lettered import real_ids
from reports.analysis.label_arrays import COLUMNS, IdArray, LabelColumns
from reports.models import QuestionAgreement
from reports.sources.rows import Rows
from reports.sources.stored_blocks import Block, rows_of, stored_blocks
from reports.sources.stored_labels import joined, no_rows

READ = ("items", "raters", "values")


@dataclass(frozen=True, slots=True, eq=False)
class LabelCriteria:
    """Which labels are kept; None keeps all.

    raters, items: IDs. round: the ID of one. since, until: microseconds since 1970; `until` itself is excluded.
    """

    raters: IdArray | None = None
    items: IdArray | None = None
    round: int | None = None
    since: int | None = None
    until: int | None = None

    @property
    def has_moments(self) -> bool:
        return self.since is not None or self.until is not None

    def places_in(self, block: Block) -> NDArray[np.int64]:
        """Return the positions of the kept labels in a block."""
        keep = np.ones(len(block["raters"].values), dtype=bool)
        ids = {
            "raters": None
            if self.raters is None
            else np.array(real_ids(self.raters.tolist()), dtype=np.int64),
            "items": self.items,
            "rounds": None if self.round is None else np.array([self.round]),
        }
        for name, wanted in ids.items():
            if wanted is not None:
                keep &= block[name].is_one_of(wanted)
        if self.has_moments:
            moments = block["moments"].wide
            keep &= moments >= (self.since if self.since is not None else moments.min(initial=0))
            keep &= moments < self.until if self.until is not None else True
        return np.flatnonzero(keep)


@dataclass(frozen=True, slots=True, eq=False)
class FilteredLabels:
    """labels: the first kept label of each item and rater, with items, raters, and values only.

    abstained: (M,) IDs of the raters who abstained, once for each item.
    """

    labels: LabelColumns
    abstained: NDArray[np.int64]


def read_filtered(agreement: QuestionAgreement, keep: LabelCriteria) -> FilteredLabels:
    """Read the labels that the report's figures use, or with `keep.round`, those of any round that it read."""
    kept = [rows.at(rows.is_first) for rows in _blocks(agreement, keep)]
    rows = joined(kept) if kept else no_rows(agreement)
    has_value = rows.has_value
    labels = rows.at(has_value)
    columns = {name: getattr(labels, name) for name in COLUMNS}
    return FilteredLabels(LabelColumns(**columns, members=labels.members), rows.raters[~has_value])


def _blocks(agreement: QuestionAgreement, keep: LabelCriteria) -> Iterator[Rows]:
    if keep.round is None and agreement.lead is not None:
        keep = replace(keep, round=agreement.lead["id"])
    # Columns that are not needed stay empty.
    columns = [
        *READ,
        *(["rounds"] if keep.round is not None else []),
        *(["moments"] if keep.has_moments else []),
    ]
    for block in stored_blocks(agreement, columns):
        places = keep.places_in(block)
        if len(places):
            yield rows_of(agreement, block, places)
