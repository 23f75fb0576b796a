"""The items behind a cell of a pair's table."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from projects.models import Item
from reports.models import PairAgreement
from reports.pages.pair.shared import Shared, shared_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items of a pair: in this row, in this column (places of categories), where they differ (or agree); None is
    any.
    """

    row: int | None = None
    column: int | None = None
    differ: bool | None = None


@dataclass(frozen=True, slots=True)
class ItemBehind:
    """a, b: the places of the categories that the two chose."""

    item: Item
    a: int
    b: int


class ItemsBehind:
    """The wanted items, for a paginator: a length, and slices."""

    def __init__(self, pair: PairAgreement, wanted: Wanted) -> None:
        self._found = wanted_of(shared_of(pair), wanted)

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, page: slice) -> Sequence[ItemBehind]:
        found = self._found.at(np.arange(len(self._found))[page])
        items = Item.objects.in_bulk(found.items.tolist())
        rows = zip(found.items.tolist(), found.a.tolist(), found.b.tolist(), strict=True)
        return [ItemBehind(items[item], a, b) for item, a, b in rows if item in items]


def wanted_of(shared: Shared, wanted: Wanted) -> Shared:
    keep = np.ones(len(shared), dtype=bool)
    if wanted.row is not None:
        keep &= shared.a == wanted.row
    if wanted.column is not None:
        keep &= shared.b == wanted.column
    if wanted.differ is not None:
        keep &= (shared.a != shared.b) == wanted.differ
    return shared.at(keep)


def neighbours(pair: PairAgreement, wanted: Wanted, item: int) -> tuple[int | None, int | None]:
    """The wanted items before and after this one."""
    items = wanted_of(shared_of(pair), wanted).items
    before, after = items[items < item], items[items > item]
    return (int(before[-1]) if len(before) else None), (int(after[0]) if len(after) else None)
