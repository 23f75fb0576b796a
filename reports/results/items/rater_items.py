"""The items behind a figure of one rater, with the rater's label and the consensus of the others."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.http import Http404
from numpy.typing import NDArray

from core.numbers import whole_number
from raters.models import Assignment
from reports.access import RaterAccess
from reports.agreement.results import IntArray
from reports.analysis.drift import windows_in
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import RaterAndOtherLabels, Series, is_same
from reports.analysis.question import QuestionScope
from reports.analysis.rater_consensus import rater_and_consensus
from reports.results.items.items_by_attribute import requested_group
from reports.results.items.query import ItemQuery, category_of
from reports.results.rater_figures import visible_labels

BoolArray = NDArray[np.bool_]

# Values of the parameter `in`, in words that follow “Items”.
AGREEMENT_FILTERS = {
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
    """Items with both answers, (n,), in display order. has_second: whether there is a second answer.

    n_hidden: the number of items left out because the viewer still labels them.
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


def items_of_rater(query: ItemQuery, access: RaterAccess) -> RaterItems:
    """Return the items that the query selects, for numbers largest difference first. Raises Http404 for an invalid
    query.
    """
    labels = visible_labels(access)
    find = _labeled_twice if query.repeat else _items_with_consensus
    found, keep, conditions = find(query, access.scope, labels)
    # Every item has a first answer, but not necessarily a second.
    for key, values, has, is_wanted, words in (
        (query.row, found.first, True, True, "labeled “{}”"),
        (query.row_lacks, found.first, True, False, "labeled without “{}”"),
        (query.column, found.second, found.has_second, True, "with “{}” as the other answer"),
        (query.column_lacks, found.second, found.has_second, False, "without “{}” in the other answer"),
    ):
        if key is not None:
            place, name = category_of(access.scope.question["categories"], key)
            keep &= ((values[:, place] if values.ndim > 1 else values == place) == is_wanted) & has
            conditions.append(words.format(name))
    if query.attribute is not None:
        # Raters themselves see no attributes of items.
        if access.is_own:
            raise Http404("There is no such list.")
        group = requested_group(query, access.agreement.report)
        keep &= np.isin(found.items, group.ids)
        conditions.append(f"with {query.attribute} “{group.value or '(empty)'}”")
    found = replace(found, title="Items " + ", ".join(conditions) if conditions else "All labeled items").at(
        keep
    )
    if found.first.dtype.kind == "f":
        gaps = np.abs(np.nan_to_num(found.first - found.second, nan=-1.0))
        # Rounded, because the mean of the same numbers in another order differs in the last digits.
        found = found.at(np.argsort(-np.round(gaps, 9), kind="stable"))
    if not access.blind_in:
        return found
    # Others' answers are hidden on items that the viewer still labels.
    ids = Assignment.objects.filter(round__in=access.blind_in).values_list("item", flat=True).distinct()
    seen = ~np.isin(found.items, np.fromiter(ids, dtype=np.int64))
    return replace(found.at(seen), n_hidden=int(np.count_nonzero(~seen)))


Found = tuple[RaterItems, BoolArray, list[str]]


def _labeled_twice(query: ItemQuery, scope: QuestionScope, labels: RaterAndOtherLabels) -> Found:
    """Return items with both labels of the rater, which of them are selected, and this selection in words."""
    if query.repeat not in REPEATS:
        raise Http404("There is no such list.")
    kind = kind_of(scope)
    first, again = kind.series(labels.first).values, kind.series(labels.again).values
    every = np.ones(len(first), dtype=bool)
    found = RaterItems("", labels.first.items, first, again, every)
    keep = every.copy() if query.repeat == "all" else found.is_same == (query.repeat == "same")
    return found, keep, [REPEATS[query.repeat]]


def _items_with_consensus(query: ItemQuery, scope: QuestionScope, labels: RaterAndOtherLabels) -> Found:
    """Return items with the label of the rater and the consensus of the others."""
    compared = rater_and_consensus(scope, labels)
    found = RaterItems("", compared.items, compared.own.values, compared.others.values, compared.is_known)
    keep, conditions = np.ones(len(found.items), dtype=bool), []
    if query.among:
        if query.among not in AGREEMENT_FILTERS:
            raise Http404("There is no such list.")
        conditions.append(AGREEMENT_FILTERS[query.among])
        keep &= {
            "agreement": found.is_same,
            "dispute": compared.is_known & ~found.is_same,
            "tied": compared.is_tied,
            "alone": compared.n_others == 0,
            "compared": compared.is_known,
        }[query.among]
    if query.window:
        windows = windows_in(compared)
        number = whole_number(query.window, least=1, most=len(windows))
        if number is None:
            raise Http404("There is no such window.")
        conditions.append(f"of window {number}")
        keep &= np.isin(np.arange(len(keep)), windows[number - 1])
    return found, keep, conditions
