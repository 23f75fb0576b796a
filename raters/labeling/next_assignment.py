"""Which assignment a rater gets next: never more raters on an item than planned, however many ask at once.

`tell_next` only reads, for whoever looks. `take_next` hands out, for whoever works.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection, transaction

from raters.models import Rater
from raters.quality.passing import OPEN_TO

_IS_OPEN = f"b.state = 'open' AND b.paused_at IS NULL AND {OPEN_TO.format(round='b')}"

# Rounds in their order, and within one its own queue; a planned round is not open yet.
_OWN = f"""
SELECT own.id, own.is_on_demand
FROM projects_batch b
CROSS JOIN LATERAL (
    SELECT a.id, a.is_on_demand FROM raters_assignment a
    JOIN projects_item i ON i.id = a.item_id AND i.withdrawn_at IS NULL
    WHERE a.rater_id = %(rater)s AND a.batch_id = b.id AND a.state = 'pending' AND a.put_off_at IS NULL
        AND a.id <> ALL (%(besides)s)
    ORDER BY a.position, a.id
    LIMIT 1
) own
WHERE b.project_id = %(project)s AND {_IS_OPEN}
ORDER BY b.position, b.id
LIMIT 1
"""  # noqa: S608

# An assignment is free if it is nobody's, or has been idle for longer than its round allows; nothing else frees it.
_FREE = f"""
SELECT a.id
FROM raters_assignment a
JOIN projects_batch b ON b.id = a.batch_id
JOIN projects_item i ON i.id = a.item_id AND i.withdrawn_at IS NULL
WHERE b.project_id = %(project)s AND {_IS_OPEN} AND a.is_on_demand AND a.state = 'pending'
    AND (
        a.rater_id IS NULL
        -- What is asked again is for the rater who labeled it.
        OR (a.asked_again = '{{}}' AND a.last_seen_at < now() - make_interval(mins => b.idle_minutes))
    )
    -- A rater has an item once, unless a blind repeat of it was planned.
    AND NOT EXISTS (
        SELECT FROM raters_assignment mine WHERE mine.rater_id = %(rater)s AND mine.item_id = a.item_id
    )
ORDER BY b.position, b.id, a.position, a.id
LIMIT 1
"""  # noqa: S608

# Assignments that others are just taking are passed over instead of waited for, so that no two raters get the same.
_TAKE = f"""
UPDATE raters_assignment
SET rater_id = %(rater)s, handed_out_at = now(), last_seen_at = now(), put_off_at = NULL
WHERE id = ({_FREE} FOR UPDATE OF a SKIP LOCKED)
-- Just taken, it need not be kept.
RETURNING id, false
"""  # noqa: S608

# What is just being saved, or given to somebody else, is passed over: neither needs to be kept.
_KEEP = """
UPDATE raters_assignment SET last_seen_at = now()
WHERE id IN (
    SELECT id FROM raters_assignment
    WHERE id = ANY (%(held)s) AND rater_id = %(rater)s AND is_on_demand AND state = 'pending'
    FOR NO KEY UPDATE SKIP LOCKED
)
"""

# What was put off comes after everything else, the longest ago first; put off once more, it is the last again.
_SKIPPED = f"""
SELECT a.id, a.is_on_demand
FROM raters_assignment a
JOIN projects_batch b ON b.id = a.batch_id
JOIN projects_item i ON i.id = a.item_id AND i.withdrawn_at IS NULL
WHERE a.rater_id = %(rater)s AND a.state = 'pending' AND a.put_off_at IS NOT NULL AND a.id <> ALL (%(besides)s)
    AND b.project_id = %(project)s AND {_IS_OPEN}
ORDER BY a.put_off_at, a.id
LIMIT 1
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Upcoming:
    """What comes next for a rater: one of their own assignments, or a free one to be taken; neither at the end."""

    own: int | None = None
    is_free: bool = False


def tell_next(rater: Rater, *, besides: Collection[int] = ()) -> Upcoming:
    """What `take_next` would give now; nothing is handed out. The rater may be a newcomer."""
    if rater.is_paused:
        return Upcoming()
    if own := _first(_OWN, rater, besides):
        return Upcoming(own[0])
    if _first(_FREE, rater):
        return Upcoming(is_free=True)
    skipped = _first(_SKIPPED, rater, besides)
    return Upcoming(skipped[0] if skipped else None)


def take_next(rater: Rater, *, besides: Collection[int] = ()) -> int | None:
    """The id of what the rater labels next: their queue, a free assignment, what was skipped; None at the end.

    besides: assignments that the rater has before them already, to fetch the one after. They are not idle.
    A rater who is paused gets nothing.
    """
    if rater.is_paused:
        return None
    found = _first(_OWN, rater, besides) or _taken(rater, besides) or _first(_SKIPPED, rater, besides)
    held = list(besides)
    if found is not None and found[1]:
        held.append(found[0])
    if held:
        _keep(rater, held)
    return found[0] if found else None


@transaction.atomic
def _taken(rater: Rater, besides: Collection[int]) -> tuple[int, bool] | None:
    # Two tabs of one rater wait for each other here, so that both get the same one.
    Rater.objects.select_for_update(no_key=True).only("pk").get(pk=rater.pk)
    return _first(_OWN, rater, besides) or _first(_TAKE, rater)


def _keep(rater: Rater, held: Collection[int]) -> None:
    """What a rater works on is not idle, so that nobody else gets it."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, {"rater": rater.pk, "held": list(held)})


def _first(query: str, rater: Rater, besides: Collection[int] = ()) -> tuple[int, bool] | None:
    """An assignment, and whether it is on demand."""
    with connection.cursor() as cursor:
        cursor.execute(query, {"rater": rater.pk, "project": rater.project_id, "besides": list(besides)})
        found: tuple[int, bool] | None = cursor.fetchone()
    return found
