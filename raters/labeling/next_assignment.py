"""Which assignment a rater gets next: never more raters on an item than planned, however many ask at once."""

from collections.abc import Collection
from typing import Any

from django.db import connection, transaction

from raters.models import Assignment, Rater

# Rounds in their order, and within one its own queue; a planned round is not open yet.
_OWN = """
SELECT own.id
FROM projects_batch b
CROSS JOIN LATERAL (
    SELECT a.id FROM raters_assignment a
    JOIN projects_item i ON i.id = a.item_id AND i.withdrawn_at IS NULL
    WHERE a.rater_id = %(rater)s AND a.batch_id = b.id AND a.state = 'pending' AND a.put_off_at IS NULL
        AND a.id <> ALL (%(besides)s)
    ORDER BY a.position, a.id
    LIMIT 1
) own
WHERE b.project_id = %(project)s AND b.state = 'open'
ORDER BY b.position, b.id
LIMIT 1
"""

# An assignment is free if it is nobody's, or has been idle for longer than its round allows; nothing else frees it.
# Assignments that others are just taking are passed over instead of waited for, so that no two raters get the same.
_FREE = """
UPDATE raters_assignment
SET rater_id = %(rater)s, handed_out_at = now(), last_seen_at = now(), put_off_at = NULL
WHERE id = (
    SELECT a.id
    FROM raters_assignment a
    JOIN projects_batch b ON b.id = a.batch_id
    JOIN projects_item i ON i.id = a.item_id AND i.withdrawn_at IS NULL
    WHERE b.project_id = %(project)s AND b.state = 'open' AND a.is_on_demand AND a.state = 'pending'
        AND (
            a.rater_id IS NULL
            OR (a.rater_id <> %(rater)s AND a.last_seen_at < now() - make_interval(mins => b.idle_minutes))
        )
        -- A rater has an item once, unless a blind repeat of it was planned.
        AND NOT EXISTS (
            SELECT FROM raters_assignment mine WHERE mine.rater_id = %(rater)s AND mine.item_id = a.item_id
        )
    ORDER BY b.position, b.id, a.position, a.id
    LIMIT 1
    FOR UPDATE OF a SKIP LOCKED
)
RETURNING id
"""

# What was put off comes after everything else, the longest ago first; put off once more, it is the last again.
_SKIPPED = """
SELECT a.id
FROM raters_assignment a
JOIN projects_batch b ON b.id = a.batch_id
JOIN projects_item i ON i.id = a.item_id AND i.withdrawn_at IS NULL
WHERE a.rater_id = %(rater)s AND a.state = 'pending' AND a.put_off_at IS NOT NULL AND a.id <> ALL (%(besides)s)
    AND b.project_id = %(project)s AND b.state = 'open'
ORDER BY a.put_off_at, a.id
LIMIT 1
"""


def next_assignment(rater: Rater, *, besides: Collection[int] = ()) -> int | None:
    """The id of what the rater labels next: their queue, a free assignment, what was skipped; None at the end.

    besides: assignments that the rater has before them already, to fetch the one after.
    """
    asked = {"rater": rater.pk, "project": rater.project_id, "besides": list(besides)}
    if (own := _first(_OWN, asked)) is not None:
        return own
    with transaction.atomic():
        # Two tabs of one rater wait for each other here, so that both get the same one.
        Rater.objects.select_for_update(no_key=True).only("pk").get(pk=rater.pk)
        if (own := _first(_OWN, asked)) is not None:
            return own
        if (free := _first(_FREE, asked)) is not None:
            return free
    return _first(_SKIPPED, asked)


def _first(query: str, asked: dict[str, Any]) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(query, asked)
        row = cursor.fetchone()
    return row[0] if row else None


def seen(assignment: Assignment) -> None:
    """An assignment that is looked at is not idle."""
    if assignment.is_on_demand and assignment.state == Assignment.State.PENDING:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE raters_assignment SET last_seen_at = now() WHERE id = %s AND rater_id = %s",
                [assignment.pk, assignment.rater_id],
            )
