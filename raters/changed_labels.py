"""Detecting whether labels have changed since they were read."""

from collections.abc import Sequence

from django.db import connection

from core.history import Head

# Nearly all new revisions have a higher entry; the rest were being written then. The index finds both immediately, and
# ORDER BY makes PostgreSQL use it: after a large import, which is one entry, it expects any row to be a hit and would
# read the whole table. BETWEEN, because for a single value it ignores the order.
CHANGED = """
SELECT EXISTS (
    SELECT FROM unnest(%(questions)s::bigint[]) question (id), LATERAL (
        SELECT FROM raters_labelrevision
        WHERE question_id = question.id AND entry_id > %(head_entry)s
            AND rater_id NOT IN (SELECT id FROM raters_rater WHERE kind = 'consensus')
        ORDER BY entry_id LIMIT 1
    ) newer
) OR EXISTS (
    SELECT FROM unnest(%(questions)s::bigint[]) question (id), core_historyentry entry, LATERAL (
        SELECT FROM raters_labelrevision
        WHERE question_id = question.id AND entry_id BETWEEN entry.id AND entry.id
            AND rater_id NOT IN (SELECT id FROM raters_rater WHERE kind = 'consensus')
        ORDER BY entry_id LIMIT 1
    ) written
    WHERE entry.project_id = %(head_project)s AND entry.id <= %(head_entry)s
        AND (entry.position > %(head_position)s OR entry.position IS NULL)
)"""


def labels_changed_since(head: Head, question_ids: Sequence[int]) -> bool:
    """Return whether a rater's label for these questions was added, changed, or withdrawn since."""
    with connection.cursor() as cursor:
        cursor.execute(CHANGED, {"questions": list(question_ids), **head.params})
        return bool(cursor.fetchone()[0])
