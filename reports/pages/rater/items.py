"""The items behind the figures of a rater's page: with the rater's label and what the others say together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.http import Http404, HttpRequest
from django.urls import reverse
from numpy.typing import NDArray

from core.numbers import whole_number
from core.web.paging import page_of
from projects.models import Item, Question
from raters.items.queries import excerpt
from raters.models import Assignment
from reports.access import Sight
from reports.agreement.results import IntArray
from reports.analysis.drift import windows_in
from reports.analysis.kinds import kind_of
from reports.analysis.labels import LabelsBeside, Series, is_same
from reports.analysis.question import Scope
from reports.analysis.rater_consensus import Beside, beside_of
from reports.pages.pair.items import TwoAnswers
from reports.pages.rater.page import rater_head, who_of
from reports.results.measured import measured
from reports.results.rater import labels_seen
from reports.store.agreements import scope_of

# What the address may ask for besides cells and windows, in words that follow “Items”.
IN = {
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
class Listed:
    """(n,) items with both answers, in the order they are shown. has_second: whether there is a second one."""

    items: IntArray
    first: NDArray[Any]
    second: NDArray[Any]
    has_second: NDArray[np.bool_]

    def at(self, places: NDArray[Any]) -> "Listed":
        return Listed(self.items[places], self.first[places], self.second[places], self.has_second[places])


def rater_items(request: HttpRequest, sight: Sight) -> dict[str, Any]:
    """The items that the address asks for. Raises Http404 for what there is not."""
    scope = scope_of(sight.agreement)
    labels = labels_seen(sight)
    beside = beside_of(scope, labels)
    repeat = request.GET.get("repeat", "")
    found = (
        _repeats(scope, labels, repeat)
        if repeat
        else Listed(beside.items, beside.own.values, beside.others.values, beside.is_known)
    )
    keep, words = _kept(request, scope, found, beside, repeat)
    found = found.at(keep)
    found, n_hidden = _without_hidden(found, sight)
    page = page_of(request, found.items.tolist())
    start = (page.number - 1) * page.paginator.per_page
    shown = found.at(np.arange(start, start + len(page)))
    return {
        **rater_head(sight),
        "words": words,
        "is_of_repeats": bool(repeat),
        "page": page,
        "n": len(found.items),
        "n_hidden": n_hidden,
        "rows": _rows(scope, sight, shown),
        "second": "again"
        if repeat
        else "most others"
        if scope.kind != Question.Kind.NUMBER
        else "mean of the others",
        "first": "first" if repeat else who_of(sight),
    }


def _repeats(scope: Scope, labels: LabelsBeside, repeat: str) -> Listed:
    if repeat not in REPEATS:
        raise Http404("There is no such list.")
    first, again = kind_of(scope).series(labels.first).values, kind_of(scope).series(labels.again).values
    return Listed(labels.first.items, first, again, np.ones(len(first), dtype=bool))


def _kept(
    request: HttpRequest, scope: Scope, found: Listed, beside: Beside, repeat: str
) -> tuple[NDArray[np.int64], str]:
    """The places of the wanted items, the largest difference of numbers first; and in words what they are."""
    is_kept = np.ones(len(found.items), dtype=bool)
    parts = [REPEATS[repeat]] if repeat else []
    equal = found.has_second & _equal(found)
    if repeat in {"changed", "same"}:
        is_kept &= equal == (repeat == "same")
    elif not repeat:
        is_kept &= _in(request, beside, equal, parts) & _in_window(request, beside, parts)
    is_kept &= _in_cell(request, scope, found, parts)
    places = np.flatnonzero(is_kept)
    if scope.kind == Question.Kind.NUMBER:
        gaps = np.abs(np.nan_to_num(found.first[places] - found.second[places], nan=-1.0))
        places = places[np.argsort(-gaps, kind="stable")]
    return places, "Items " + ", ".join(parts) if parts else "All labeled items"


def _equal(found: Listed) -> NDArray[np.bool_]:
    return is_same(Series(found.first), Series(found.second))


def _in(
    request: HttpRequest, beside: Beside, equal: NDArray[np.bool_], parts: list[str]
) -> NDArray[np.bool_]:
    wanted = request.GET.get("in", "")
    if not wanted:
        return np.ones(len(equal), dtype=bool)
    if wanted not in IN:
        raise Http404("There is no such list.")
    parts.append(IN[wanted])
    masks: dict[str, NDArray[np.bool_]] = {
        "agreement": equal,
        "dispute": beside.is_known & ~equal,
        "tied": beside.is_tied,
        "alone": beside.n_others == 0,
        "compared": beside.is_known,
    }
    return masks[wanted]


def _in_window(request: HttpRequest, beside: Beside, parts: list[str]) -> NDArray[np.bool_]:
    asked = request.GET.get("window", "")
    if not asked:
        return np.ones(len(beside.items), dtype=bool)
    windows = windows_in(beside)
    number = whole_number(asked, least=1, most=len(windows))
    if number is None:
        raise Http404("There is no such window.")
    parts.append(f"of window {number}")
    is_in = np.zeros(len(beside.items), dtype=bool)
    is_in[windows[number - 1]] = True
    return is_in


def _in_cell(request: HttpRequest, scope: Scope, found: Listed, parts: list[str]) -> NDArray[np.bool_]:
    """row: a category of the first answer; column: one of the second."""
    places = {
        c["key"]: (place, c["name"] or c["key"]) for place, c in enumerate(scope.question["categories"])
    }
    is_in = np.ones(len(found.items), dtype=bool)
    for name, values, has, words in (
        ("row", found.first, is_in, "labeled “{}”"),
        ("column", found.second, found.has_second, "with “{}” as the other answer"),
    ):
        key = request.GET.get(name)
        if key is None:
            continue
        if key not in places:
            raise Http404("The report has no such category.")
        place, title = places[key]
        holds = values[:, place] if values.ndim > 1 else values == place
        is_in = is_in & holds & has
        parts.append(words.format(title))
    return is_in


def _without_hidden(found: Listed, sight: Sight) -> tuple[Listed, int]:
    """Nothing that others said of items that the one who looks still labels."""
    if not sight.blind_in:
        return found, 0
    ids = Assignment.objects.filter(batch__in=sight.blind_in).values_list("item", flat=True).distinct()
    keep = ~np.isin(found.items, np.fromiter(ids, dtype=np.int64))
    return found.at(keep), int(np.count_nonzero(~keep))


def _rows(scope: Scope, sight: Sight, shown: Listed) -> list[TwoAnswers]:
    items = Item.objects.in_bulk(shown.items.tolist())
    places = _own_places(sight, shown) if sight.is_own else {}
    names = [category["name"] or category["key"] for category in scope.question["categories"]]
    equal = _equal(shown)
    return [
        TwoAnswers(
            items[pk],
            _address(sight, pk, places),
            excerpt(items[pk]),
            _said(shown.first[place], names),
            _said(shown.second[place], names) if shown.has_second[place] else "no consensus",
            bool(shown.has_second[place] and not equal[place]),
        )
        for place, pk in enumerate(shown.items.tolist())
    ]


def _own_places(sight: Sight, shown: Listed) -> dict[int, int]:
    """The rater's own places, whose pages show the items."""
    rows = Assignment.objects.filter(rater=sight.rater.id, item__in=shown.items.tolist(), pass_number=1)
    return dict(rows.values_list("item", "pk"))


def _address(sight: Sight, pk: int, places: Mapping[int, int]) -> str:
    if not sight.is_own:
        return reverse("item", args=[sight.project.slug, pk])
    return reverse("label_item", args=[sight.project.slug, places[pk]]) if pk in places else ""


def _said(value: Any, names: Sequence[str]) -> str:
    if isinstance(value, np.ndarray):
        return ", ".join(name for name, holds in zip(names, value, strict=True) if holds) or "none"
    return measured(float(value)) if isinstance(value, np.floating) else names[int(value)]
