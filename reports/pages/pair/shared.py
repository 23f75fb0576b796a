"""What two raters said of the items that both have labelled: from the labels that the report read."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import IntArray
from reports.models import PairAgreement
from reports.sources.rows import Rows
from reports.sources.stored import LISTED, blocks_of, joined


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """(n,) items, by their ids in ascending order, with the label of either rater.

    a, b: places of categories, numbers, or rows of `members`, (S, K) bool.
    """

    items: IntArray
    a: NDArray[Any]
    b: NDArray[Any]
    members: NDArray[np.bool_] | None

    def __len__(self) -> int:
        return len(self.items)

    def at(self, places: NDArray[Any]) -> "Shared":
        return Shared(self.items[places], self.a[places], self.b[places], self.members)


def shared_of(pair: PairAgreement) -> Shared:
    both = (pair.rater_a_id, pair.rater_b_id)
    blocks = [rows.at(np.isin(rows.raters, both)) for _, rows in blocks_of(pair.agreement, LISTED)]
    if not blocks:
        nothing = np.empty(0, dtype=np.int64)
        return Shared(nothing, nothing, nothing, None)
    rows = joined(blocks)
    rows = rows.at(rows.is_first)
    rows = rows.at(rows.has_value)
    return _beside(rows, *both)


def _beside(rows: Rows, rater_a: int, rater_b: int) -> Shared:
    a, b = (rows.at(rows.raters == rater) for rater in (rater_a, rater_b))
    items, first, second = np.intersect1d(a.items, b.items, assume_unique=True, return_indices=True)
    return Shared(items, a.values[first], b.values[second], rows.members)
