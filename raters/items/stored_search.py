"""Searching the items of a large project: a worker reads all of them, and the page lists what it found."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet

from core.shapes import Json
from projects.models import Item, Project
from raters.figures.stored_figures import StoredFigure, stored_figures
from raters.items.queries import items_of, items_or_texts_of
from raters.models import Assignment, StoredFigures

# The number listed, in order.
MOST_LISTED = 10_000


def found_to_store(project: Project, asked: Json) -> Json:
    """Find the words of a search in items and, if so asked, in what raters wrote about them."""
    found = _found(project, asked["words"], asked["hidden"], in_texts=asked["in_texts"])
    return {"n": found.count(), "ids": list(found.values_list("pk", flat=True)[:MOST_LISTED])}


def _found(project: Project, words: str, hidden: Sequence[int], *, in_texts: bool) -> QuerySet[Item]:
    return items_or_texts_of(project, words, hidden=hidden) if in_texts else items_of(project, words)


class StoredSearchResult:
    """What a search found, for a paginator. n: how many; those listed are the first of them."""

    def __init__(self, project: Project, words: str, hidden: Sequence[int], stored: StoredFigure) -> None:
        self._project, self._words, self._hidden = project, words, hidden
        self._ids: list[int] = stored.result["ids"]
        self.n: int = stored.result["n"]
        self.counted = stored.counted

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, page: slice) -> list[Item]:
        ids = self._ids[page]
        items = Item.objects.filter(pk__in=ids).order_by("pk")
        if not self._hidden:
            return list(items)
        # The viewer may have come to label an item blind since, about which others wrote the words.
        blind = Assignment.objects.filter(round__in=self._hidden, item__in=ids).values("item")
        own = items_of(self._project, self._words).filter(pk__in=ids).order_by().values("pk")
        return list(items.filter(~Q(pk__in=blind) | Q(pk__in=own)))


def search(
    project: Project, words: str, hidden: Sequence[int], *, in_texts: bool, by: Any
) -> StoredSearchResult:
    """Return what was found. Raises FiguresNotComputed."""
    asked = {"words": words, "hidden": sorted(hidden), "in_texts": in_texts}
    stored = stored_figures(project, StoredFigures.What.SEARCH, asked, by=by)
    return StoredSearchResult(project, words, hidden, stored)
