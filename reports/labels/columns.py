"""The labels that a report read as whole columns: each with its item, rater, value, round, guidelines and moment."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.labels.kept import blocks_of, joined, no_rows
from reports.labels.rows import NO_ROUND, NO_VERSION, Rows
from reports.labels.sources import IdArray
from reports.models import QuestionAgreement

__all__ = ["NO_ROUND", "NO_VERSION", "LabelColumns", "read_columns"]

COLUMNS = ("items", "raters", "values", "batches", "versions", "moments")


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumns:
    """(L,) of everything, one row for each label, ordered by item and rater.

    items, raters: ids. values: positions of categories, numbers, or rows of `members`, by the kind of question.
    batches: ids of rounds, or NO_ROUND. versions: of the guidelines, or NO_VERSION. moments: microseconds since 1970.
    members: (S, K) bool, the sets of a multiple choice.
    """

    items: IdArray
    raters: IdArray
    values: NDArray[Any]
    batches: IdArray
    versions: IdArray
    moments: IdArray
    members: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.items)

    def of(self, rows: NDArray[Any]) -> "LabelColumns":
        """Some of the labels, in the order that they have here."""
        chosen = {name: getattr(self, name)[rows] for name in COLUMNS}
        return replace(self, **chosen)


def of_raters(labels: LabelColumns, raters: Sequence[int]) -> LabelColumns:
    return labels.of(np.isin(labels.raters, np.array(raters, dtype=np.int64)))


def read_columns(agreement: QuestionAgreement, *, each_round: bool = False) -> LabelColumns:
    """The labels that the report read, abstentions left out.

    Of each item and rater the first pass counts; with each_round, the first in each round.
    """
    blocks = [_counting(rows, each_round) for _, rows in blocks_of(agreement, COLUMNS)]
    rows = joined(blocks) if blocks else no_rows(agreement)
    columns = {name: getattr(rows, name) for name in COLUMNS}
    return LabelColumns(**columns, members=rows.members)


def _counting(rows: Rows, each_round: bool) -> Rows:
    if not each_round:
        rows = rows.at(rows.is_first)
        return rows.at(rows.has_value)
    # Rows stand in the order of their passes, and a stable sort keeps it within each round.
    order = np.lexsort((rows.batches, rows.raters, rows.items))
    rows = rows.at(order)
    is_first = rows.is_first
    is_first[1:] |= rows.batches[1:] != rows.batches[:-1]
    rows = rows.at(is_first)
    return rows.at(rows.has_value)
