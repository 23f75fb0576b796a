"""The items that two raters both labeled, with the labels of each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from projects.models import Item
from reports.agreement.results import IntArray
from reports.models import PairAgreement
from reports.results.items.query import ItemQuery, category_of
from reports.sources.stored_labels import LISTED, blocks_of, joined


@dataclass(frozen=True, slots=True)
class ItemAnswerPair:
    """The answers of both raters on one item: positions of categories, two numbers, or two lists of category IDs."""

    item: Item
    a: Any
    b: Any


@dataclass(frozen=True, slots=True, eq=False)
class PairItems:
    """IDs of items, (n,), with the labels of both raters. Supports len() and slices, for a paginator.

    a, b: positions of categories, numbers, or rows of `members`, (S, K) bool.
    """

    title: str
    items: IntArray
    a: NDArray[Any]
    b: NDArray[Any]
    members: NDArray[np.bool_] | None
    categories: Sequence[int]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, page: slice) -> list[ItemAnswerPair]:
        items = Item.objects.in_bulk(self.items[page].tolist())
        rows = zip(self.items[page].tolist(), self.a[page].tolist(), self.b[page].tolist(), strict=True)
        return [
            ItemAnswerPair(items[item], self._answer(a), self._answer(b))
            for item, a, b in rows
            if item in items
        ]

    def at(self, places: Any) -> "PairItems":
        return replace(self, items=self.items[places], a=self.a[places], b=self.b[places])

    def numbers(self, limit: int) -> list[tuple[int, float, float]]:
        """Return items with both numbers, up to the limit."""
        columns = (column[:limit].tolist() for column in (self.items, self.a, self.b))
        return list(zip(*columns, strict=True))

    def neighbors(self, item: int) -> tuple[int | None, int | None]:
        """Return the items before and after this one; requires items in ascending order of ID."""
        before, after = self.items[self.items < item], self.items[self.items > item]
        return (int(before[-1]) if len(before) else None), (int(after[0]) if len(after) else None)

    def _answer(self, value: Any) -> Any:
        if self.members is None:
            return value
        return sorted(self.categories[place] for place in np.flatnonzero(self.members[value]).tolist())


def shared_items(pair: PairAgreement) -> PairItems:
    """Return all items that both raters labeled, in ascending order of ID."""
    categories = [category["id"] for category in pair.agreement.categories]
    title = "All shared items"
    both = (pair.rater_a_id, pair.rater_b_id)
    blocks = [
        rows.at(np.isin(rows.raters, both)) for _, rows in blocks_of(pair.agreement, LISTED, of_any=both)
    ]
    if not blocks:
        nothing = np.empty(0, dtype=np.int64)
        return PairItems(title, nothing, nothing, nothing, None, categories)
    rows = joined(blocks)
    rows = rows.at(rows.is_first)
    rows = rows.at(rows.has_value)
    a, b = (rows.at(rows.raters == rater) for rater in both)
    items, first, second = np.intersect1d(a.items, b.items, assume_unique=True, return_indices=True)
    return PairItems(title, items, a.values[first], b.values[second], rows.members, categories)


def items_of_pair(query: ItemQuery, pair: PairAgreement) -> PairItems:
    """Return the items in a row or column of the pair's matrix, or those on which the raters differ or agree.

    Raises Http404 for a category that the report does not have.
    """
    shared, conditions = shared_items(pair), []
    keep = np.ones(len(shared), dtype=bool)
    for key, rater, labels in ((query.row, pair.rater_a, shared.a), (query.column, pair.rater_b, shared.b)):
        if key is not None:
            place, name = category_of(pair.agreement.categories, key)
            keep &= labels == place
            conditions.append(f"{rater} chose “{name}”")
    differ = {"dispute": True, "agreement": False}.get(query.among or "")
    if differ is not None:
        keep &= (shared.a != shared.b) == differ
        conditions.append("the raters disagree" if differ else "the raters agree")
    return replace(
        shared.at(keep), title="Items where " + " and ".join(conditions) if conditions else shared.title
    )


def most_different(pair: PairAgreement) -> PairItems:
    """Return all items that both raters labeled, for numbers and sets, largest difference first."""
    found = shared_items(pair)
    if found.members is None:
        # Halved first, because the difference of the largest numbers would overflow.
        gaps = np.abs(found.a / 2 - found.b / 2)
    else:
        # The number of categories in only one of the two sets.
        gaps = (found.members[found.a] != found.members[found.b]).sum(axis=1)
    return found.at(np.lexsort((found.items, -gaps)))
