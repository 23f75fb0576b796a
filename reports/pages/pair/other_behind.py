"""The items behind a pair's figures on numbers or sets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from projects.models import Item
from reports.agreement.results import FloatArray
from reports.models import PairAgreement
from reports.pages.pair.shared import Shared, shared_of


@dataclass(frozen=True, slots=True)
class Answers:
    """What both raters said of one item: two numbers, or two lists of ids of categories."""

    item: Item
    a: Any
    b: Any


class SharedAnswers:
    """The shared items, those that differ most first, for a paginator: a length, and slices."""

    def __init__(self, pair: PairAgreement) -> None:
        shared = shared_of(pair)
        self._ids = [category["id"] for category in pair.agreement.categories]
        self._found = shared.at(np.lexsort((shared.items, -_gaps(shared))))

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, page: slice) -> Sequence[Answers]:
        found = self._found.at(np.arange(len(self._found))[page])
        items = Item.objects.in_bulk(found.items.tolist())
        rows = zip(found.items.tolist(), found.a.tolist(), found.b.tolist(), strict=True)
        return [
            Answers(items[item], self._answer(a), self._answer(b)) for item, a, b in rows if item in items
        ]

    def items(self, limit: int) -> Sequence[int]:
        """The ids of the shared items, no more than the limit of them."""
        ids: list[int] = self._found.items[:limit].tolist()
        return ids

    def numbers(self, limit: int) -> list[tuple[float, float]]:
        """Both numbers of the shared items, no more than the limit of them."""
        return list(zip(self._found.a[:limit].tolist(), self._found.b[:limit].tolist(), strict=True))

    def _answer(self, value: Any) -> Any:
        members = self._found.members
        if members is None:
            return value
        return sorted(self._ids[place] for place in np.flatnonzero(members[value]).tolist())


def _gaps(shared: Shared) -> FloatArray:
    """(n,) how far the numbers are apart; of sets, how many categories only one of them holds."""
    if shared.members is None:
        # Halves: the largest numbers have no difference.
        return np.abs(shared.a / 2 - shared.b / 2)
    members = shared.members
    differ = members[shared.a] != members[shared.b]
    return differ.sum(axis=1).astype(np.float64)
