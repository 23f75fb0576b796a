"""Detecting whether labels have changed since they were read."""

from collections.abc import Sequence

from django.db import connection

from core.history import Head

# Nearly all new revisions have a higher entry, which the index finds immediately; the rest were being written then.
CHANGED = """
SELECT EXISTS (
    SELECT FROM unnest(%(questions)s::bigint[]) question (id), LATERAL (
        SELECT FROM raters_labelrevision
        WHERE question_id = question.id AND entry_id > %(head_entry)s
            AND rater_id NOT IN (SELECT id FROM raters_rater WHERE kind = 'consensus')
        ORDER BY entry_id LIMIT 1
    ) newer
) OR EXISTS (
    SELECT FROM raters_labelrevision
    WHERE question_id = ANY (%(questions)s::bigint[])
        AND entry_id = ANY (ARRAY(
            SELECT id FROM core_historyentry
            WHERE project_id = %(head_project)s AND id <= %(head_entry)s
                AND (position > %(head_position)s OR position IS NULL)
        ))
        AND rater_id NOT IN (SELECT id FROM raters_rater WHERE kind = 'consensus')
)"""


def labels_changed_since(head: Head, question_ids: Sequence[int]) -> bool:
    """Return whether a rater's label for these questions was added, changed, or withdrawn since."""
    with connection.cursor() as cursor:
        cursor.execute(CHANGED, {"questions": list(question_ids), **head.params})
        return bool(cursor.fetchone()[0])
