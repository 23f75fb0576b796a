"""The items of a round in pages, each of which takes about as long however many items and labels there are."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.core.cache import cache
from django.db.models import QuerySet

from projects.models import Item, Round

# The number of more items than this is kept for a minute, and so is where each page after them ends.
FEW, KEPT_SECONDS = 10_000, 60


class RoundItems(Sequence[Item]):
    """Those with assignments or labels in the round, by ID."""

    def __init__(self, round_: Round, *, reader: Any) -> None:
        """reader: the user who goes through the pages; where pages end is kept for each user."""
        self._round, self._reader = round_, reader
        self._questions = list(round_.project.questions.values_list("pk", flat=True))

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, page: slice) -> list[Item]:  # type: ignore[override]
        start, stop = page.start or 0, page.stop
        after = cache.get(self._end(start, stop - start)) if start > FEW else None
        ids = self._ids(start, stop) if after is None else self._ids(0, stop - start, after=after)
        if len(ids) == stop - start and stop > FEW:
            cache.set(self._end(stop, stop - start), ids[-1], KEPT_SECONDS)
        return list(Item.objects.filter(pk__in=ids).order_by("pk"))

    @cached_property
    def _n(self) -> int:
        key = f"n_items:{self._round.pk}"
        found: int | None = cache.get(key)
        if found is None:
            found = self._all.count()
            if found > FEW:
                cache.set(key, found, KEPT_SECONDS)
        return found

    @property
    def _all(self) -> QuerySet[Any, Any]:
        """In the database, the union of two indexes: neither items nor rows of labels are read."""
        placed = self._round.assignments.order_by().values_list("item", flat=True)
        labeled = self._round.labels.filter(question__in=self._questions).order_by()
        found: QuerySet[Any, Any] = placed.union(labeled.values_list("item", flat=True))
        return found

    def _ids(self, start: int, stop: int, *, after: int = 0) -> list[int]:
        """Of each index, the first `stop` items after this ID are enough."""
        placed = self._round.assignments.filter(item__gt=after)
        of_questions = [
            self._round.labels.filter(question=question, item__gt=after) for question in self._questions
        ]
        parts = [
            rows.order_by("item").values_list("item", flat=True).distinct()[:stop]
            for rows in (placed, *of_questions)
        ]
        merged = parts[0].union(*parts[1:]).order_by("item") if parts[1:] else parts[0]
        return list(merged[start:stop])

    def _end(self, stop: int, size: int) -> str:
        """The key of the last ID before this place, for this reader and this size of pages."""
        return f"end_of_items:{self._round.pk}:{self._reader.pk}:{size}:{stop}"
