"""The order of questions, and of the categories of a question."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from projects.codebook.refusals import CodebookRefused


def set_order(rows: QuerySet[Any], ids: Sequence[int], *, thing: str) -> None:
    """Set the order of the rows. Raises CodebookRefused unless each is listed exactly once."""
    found = {row.pk: row for row in rows}
    if sorted(ids) != sorted(found):
        raise CodebookRefused(
            "order", f"List every {thing} exactly once. The codebook may have changed; reload and try again."
        )
    for position, pk in enumerate(ids):
        found[pk].position = position
    rows.bulk_update(found.values(), ["position"])


def moved(ids: Sequence[int], pk: int, step: int) -> list[int]:
    """Return the IDs with one of them moved by a step, within the list."""
    place = ids.index(pk)
    rest = [other for other in ids if other != pk]
    to = min(max(place + step, 0), len(rest))
    return [*rest[:to], pk, *rest[to:]]
