"""The items behind a number of one rater: with the rater's label and what the others say together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.http import Http404
from numpy.typing import NDArray

from core.numbers import whole_number
from raters.models import Assignment
from reports.access import Sight
from reports.agreement.results import IntArray
from reports.analysis.drift import windows_in
from reports.analysis.kinds import kind_of
from reports.analysis.labels import Series, is_same
from reports.analysis.question import CategoryRead
from reports.analysis.rater_consensus import Beside, beside_of
from reports.results.items.query import ItemQuery
from reports.results.rater_figures import labels_seen

BoolArray = NDArray[np.bool_]

# What `in` of an address may ask for, in words that follow “Items”.
AMONG = {
    "agreement": "where the label matches most others",
    "dispute": "where the label differs from most others",
    "tied": "where the others are tied",
    "alone": "that no one else labeled",
    "compared": "on which the others have a consensus",
}
REPEATS = {
    "all": "labeled twice",
    "changed": "labeled differently the second time",
    "same": "labeled the same both times",
}


@dataclass(frozen=True, slots=True, eq=False)
class RaterItems:
    """(n,) items with both answers, in the order they are shown. has_second: whether there is a second one.

    n_hidden: how many are left out, for the one who looks still labels them.
    """

    title: str
    items: IntArray
    first: NDArray[Any]
    second: NDArray[Any]
    has_second: BoolArray
    n_hidden: int = 0

    def at(self, places: Any) -> "RaterItems":
        return replace(
            self,
            items=self.items[places],
            first=self.first[places],
            second=self.second[places],
            has_second=self.has_second[places],
        )

    @property
    def is_same(self) -> BoolArray:
        return self.has_second & is_same(Series(self.first), Series(self.second))


def items_of_rater(query: ItemQuery, sight: Sight) -> RaterItems:
    """Those that the query asks for, the largest difference of numbers first. Raises Http404 for what there is not."""
    scope = sight.scope
    labels = labels_seen(sight)
    told: list[str] = []
    if query.repeat:
        if query.repeat not in REPEATS:
            raise Http404("There is no such list.")
        told.append(REPEATS[query.repeat])
        first, again = kind_of(scope).series(labels.first).values, kind_of(scope).series(labels.again).values
        found = RaterItems("", labels.first.items, first, again, np.ones(len(first), dtype=bool))
        keep = np.ones(len(first), dtype=bool)
        if query.repeat != "all":
            keep = found.is_same == (query.repeat == "same")
    else:
        beside = beside_of(scope, labels)
        found = RaterItems("", beside.items, beside.own.values, beside.others.values, beside.is_known)
        keep = _among(query, beside, found, told) & _in_window(query, beside, told)
    keep &= _in_cell(query, scope.question["categories"], found, told)
    title = "Items " + ", ".join(told) if told else "All labeled items"
    return _without_hidden(_in_order(replace(found, title=title).at(keep)), sight)


def _among(query: ItemQuery, beside: Beside, found: RaterItems, told: list[str]) -> BoolArray:
    if not query.among:
        return np.ones(len(found.items), dtype=bool)
    if query.among not in AMONG:
        raise Http404("There is no such list.")
    told.append(AMONG[query.among])
    masks: dict[str, BoolArray] = {
        "agreement": found.is_same,
        "dispute": beside.is_known & ~found.is_same,
        "tied": beside.is_tied,
        "alone": beside.n_others == 0,
        "compared": beside.is_known,
    }
    return masks[query.among]


def _in_window(query: ItemQuery, beside: Beside, told: list[str]) -> BoolArray:
    if not query.window:
        return np.ones(len(beside.items), dtype=bool)
    windows = windows_in(beside)
    number = whole_number(query.window, least=1, most=len(windows))
    if number is None:
        raise Http404("There is no such window.")
    told.append(f"of window {number}")
    is_in = np.zeros(len(beside.items), dtype=bool)
    is_in[windows[number - 1]] = True
    return is_in


def _in_cell(
    query: ItemQuery, categories: Sequence[CategoryRead], found: RaterItems, told: list[str]
) -> BoolArray:
    """row: a category of the first answer; column: one of the second."""
    places = {c["key"]: (place, c["name"] or c["key"]) for place, c in enumerate(categories)}
    is_in = np.ones(len(found.items), dtype=bool)
    for key, values, has, words in (
        (query.row, found.first, is_in, "labeled “{}”"),
        (query.column, found.second, found.has_second, "with “{}” as the other answer"),
    ):
        if key is None:
            continue
        if key not in places:
            raise Http404("The report has no such category.")
        place, title = places[key]
        holds = values[:, place] if values.ndim > 1 else values == place
        is_in = is_in & holds & has
        told.append(words.format(title))
    return is_in


def _in_order(found: RaterItems) -> RaterItems:
    if found.first.dtype.kind != "f":
        return found
    gaps = np.abs(np.nan_to_num(found.first - found.second, nan=-1.0))
    return found.at(np.argsort(-gaps, kind="stable"))


def _without_hidden(found: RaterItems, sight: Sight) -> RaterItems:
    """Nothing that others said of items that the one who looks still labels."""
    if not sight.blind_in:
        return found
    ids = Assignment.objects.filter(round__in=sight.blind_in).values_list("item", flat=True).distinct()
    keep = ~np.isin(found.items, np.fromiter(ids, dtype=np.int64))
    return replace(found.at(keep), n_hidden=int(np.count_nonzero(~keep)))
