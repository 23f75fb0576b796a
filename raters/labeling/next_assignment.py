"""A rater's next assignment. An item never gets more raters than planned, even with concurrent requests.

`next_assignment_of` only reads. `take_next_assignment` hands out the assignment.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction

from core.prepared import Param, PreparedQuery, prepared_cursor
from raters.models import Rater
from raters.quality.passing import OPEN_TO

_IS_OPEN = f"b.state = 'open' AND b.paused_at IS NULL AND {OPEN_TO.format(round='b')}"

# Rounds in order, and the rater's own queue within each; planned rounds are not open yet.
_OWN = f"""
SELECT own.id, own.is_on_demand
FROM projects_batch b
CROSS JOIN LATERAL (
    SELECT a.id, a.is_on_demand FROM raters_assignment a
    JOIN projects_item i ON i.id = a.item_id AND i.withdrawn_at IS NULL
    WHERE a.rater_id = %(rater)s AND a.batch_id = b.id AND a.state = 'pending' AND a.put_off_at IS NULL
        AND a.id <> ALL (%(held)s)
    ORDER BY a.position, a.id
    LIMIT 1
) own
WHERE b.project_id = %(project)s AND {_IS_OPEN}
ORDER BY b.position, b.id
LIMIT 1
"""  # noqa: S608

# An assignment is free only if it has no rater or has been idle for longer than its round allows.
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

# Skip assignments locked by concurrent requests instead of waiting, so that no two raters get the same one.
_TAKE = f"""
UPDATE raters_assignment
SET rater_id = %(rater)s, handed_out_at = now(), last_seen_at = now(), put_off_at = NULL
WHERE id = ({_FREE} FOR UPDATE OF a SKIP LOCKED)
-- Just taken, it need not be kept.
RETURNING id, false
"""  # noqa: S608

# Skip locked rows: assignments being saved or given to somebody else need no update.
_KEEP = """
UPDATE raters_assignment SET last_seen_at = now()
WHERE id IN (
    SELECT id FROM raters_assignment
    WHERE id = ANY (%(held)s) AND rater_id = %(rater)s AND is_on_demand AND state = 'pending'
    FOR NO KEY UPDATE SKIP LOCKED
)
"""

# Skipped assignments come after everything else, the longest skipped first; skipping again moves them to the end.
_SKIPPED = f"""
SELECT a.id, a.is_on_demand
FROM raters_assignment a
JOIN projects_batch b ON b.id = a.batch_id
JOIN projects_item i ON i.id = a.item_id AND i.withdrawn_at IS NULL
WHERE a.rater_id = %(rater)s AND a.state = 'pending' AND a.put_off_at IS NOT NULL AND a.id <> ALL (%(held)s)
    AND b.project_id = %(project)s AND {_IS_OPEN}
ORDER BY a.put_off_at, a.id
LIMIT 1
"""  # noqa: S608


_RATER = PreparedQuery(lambda: Rater.objects.select_for_update(no_key=True).filter(pk=Param("pk")).only("pk"))


@dataclass(frozen=True, slots=True)
class NextAssignment:
    """A rater's next assignment: one of their own, or a free one to take; neither if nothing is left."""

    own: int | None = None
    is_free: bool = False


def next_assignment_of(rater: Rater, *, held: Collection[int] = ()) -> NextAssignment:
    """Return what `take_next_assignment` would give now, without handing it out. The rater may be a newcomer."""
    if rater.is_paused or rater.project.is_closed:
        return NextAssignment()
    if own := _first(_OWN, rater, held):
        return NextAssignment(own[0])
    if _first(_FREE, rater):
        return NextAssignment(is_free=True)
    skipped = _first(_SKIPPED, rater, held)
    return NextAssignment(skipped[0] if skipped else None)


def take_next_assignment(rater: Rater, *, held: Collection[int] = ()) -> int | None:
    """Return the ID of the rater's next assignment: from their queue, free, or skipped; None if nothing is left.

    held: assignments that the rater already holds, to fetch the one after. They do not count as idle.
    Paused raters get nothing, and nobody does in a closed project.
    """
    if rater.is_paused or rater.project.is_closed:
        return None
    found = _first(_OWN, rater, held) or _taken(rater, held) or _first(_SKIPPED, rater, held)
    used = [*held, found[0]] if found is not None and found[1] else held
    if used:
        _mark_in_use(rater, used)
    return found[0] if found else None


@transaction.atomic
def _taken(rater: Rater, held: Collection[int]) -> tuple[int, bool] | None:
    # Serialize concurrent tabs of one rater, so that both get the same assignment.
    _RATER.first(pk=rater.pk)
    return _first(_OWN, rater, held) or _first(_TAKE, rater)


def _mark_in_use(rater: Rater, held: Collection[int]) -> None:
    """Mark assignments as in use, so that they are not given to anyone else as idle."""
    with prepared_cursor() as cursor:
        cursor.execute(_KEEP, {"rater": rater.pk, "held": list(held)})


def _first(query: str, rater: Rater, held: Collection[int] = ()) -> tuple[int, bool] | None:
    """Return an assignment ID and whether it is on demand."""
    with prepared_cursor() as cursor:
        cursor.execute(query, {"rater": rater.pk, "project": rater.project_id, "held": list(held)})
        found: tuple[int, bool] | None = cursor.fetchone()
    return found
