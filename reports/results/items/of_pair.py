"""The items that two raters have both labeled, with what either said."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from projects.models import Item
from reports.agreement.results import IntArray
from reports.models import PairAgreement
from reports.results.items.query import ItemQuery, category_of
from reports.sources.stored import LISTED, blocks_of, joined


@dataclass(frozen=True, slots=True)
class BothAnswers:
    """What both said of one item: categories by their places, two numbers, or two lists of ids of categories."""

    item: Item
    a: Any
    b: Any


@dataclass(frozen=True, slots=True, eq=False)
class PairItems:
    """(n,) items, by their ids, with the label of either rater; for a paginator: a length, and slices.

    a, b: places of categories, numbers, or rows of `members`, (S, K) bool.
    """

    title: str
    items: IntArray
    a: NDArray[Any]
    b: NDArray[Any]
    members: NDArray[np.bool_] | None
    categories: Sequence[int]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, page: slice) -> list[BothAnswers]:
        items = Item.objects.in_bulk(self.items[page].tolist())
        rows = zip(self.items[page].tolist(), self.a[page].tolist(), self.b[page].tolist(), strict=True)
        return [
            BothAnswers(items[item], self._answer(a), self._answer(b)) for item, a, b in rows if item in items
        ]

    def at(self, places: Any) -> "PairItems":
        return replace(self, items=self.items[places], a=self.a[places], b=self.b[places])

    def numbers(self, limit: int) -> list[tuple[int, float, float]]:
        """Item and both numbers, no more than the limit of them."""
        columns = (column[:limit].tolist() for column in (self.items, self.a, self.b))
        return list(zip(*columns, strict=True))

    def neighbors(self, item: int) -> tuple[int | None, int | None]:
        """Those before and after this one, of items by their ids in ascending order."""
        before, after = self.items[self.items < item], self.items[self.items > item]
        return (int(before[-1]) if len(before) else None), (int(after[0]) if len(after) else None)

    def _answer(self, value: Any) -> Any:
        if self.members is None:
            return value
        return sorted(self.categories[place] for place in np.flatnonzero(self.members[value]).tolist())


def shared_items(pair: PairAgreement) -> PairItems:
    """All that both have labeled, by their ids in ascending order."""
    categories = [category["id"] for category in pair.agreement.categories]
    title = "All shared items"
    both = (pair.rater_a_id, pair.rater_b_id)
    blocks = [rows.at(np.isin(rows.raters, both)) for _, rows in blocks_of(pair.agreement, LISTED)]
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
    """Those in a row or a column of the pair's table, or on which the two differ or agree.

    Raises Http404 for a category that the report does not know.
    """
    shared, told = shared_items(pair), []
    keep = np.ones(len(shared), dtype=bool)
    for key, rater, said in ((query.row, pair.rater_a, shared.a), (query.column, pair.rater_b, shared.b)):
        if key is not None:
            place, name = category_of(pair.agreement.categories, key)
            keep &= said == place
            told.append(f"{rater} labeled “{name}”")
    differ = {"dispute": True, "agreement": False}.get(query.among or "")
    if differ is not None:
        keep &= (shared.a != shared.b) == differ
        told.append("they disagree" if differ else "they agree")
    return replace(shared.at(keep), title="Items where " + " and ".join(told) if told else shared.title)


def most_different(pair: PairAgreement) -> PairItems:
    """All that both have labeled, of numbers and of sets, those that differ most first."""
    found = shared_items(pair)
    if found.members is None:
        # Halves: the largest numbers have no difference.
        gaps = np.abs(found.a / 2 - found.b / 2)
    else:
        # How many categories only one of the two sets holds.
        gaps = (found.members[found.a] != found.members[found.b]).sum(axis=1)
    return found.at(np.lexsort((found.items, -gaps)))
