"""Whether labels have changed since somebody read them."""

from collections.abc import Sequence

from django.db import connection

from core.history import Head

# Nearly all that is new has a higher entry, which the index finds at once; the rest was being written at that moment.
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
    """Whether a rater's label of these questions was made, changed or withdrawn since."""
    with connection.cursor() as cursor:
        cursor.execute(CHANGED, {"questions": list(question_ids), **head.params})
        return bool(cursor.fetchone()[0])
