"""Labels as they stood: what a report read, and whether it would still read the same."""

from collections.abc import Sequence

from django.db import connection
from django.db.models import QuerySet

from core.history import SEEN, Head
from projects.models import Project
from raters.models import Rater
from reports.sources.relation import OF_RATERS, Source

LABELS_THEN = f"""(
    SELECT label_id, revision, at, item_id, rater_id, category_id, category_set, number, pass_number, batch_id,
        guidelines_version
    FROM (
        SELECT DISTINCT ON (label_id) *
        FROM raters_labelrevision
        WHERE question_id = %(question)s AND {OF_RATERS} AND {SEEN}
        ORDER BY label_id, id DESC
    ) last
    WHERE change <> 'D'
)"""  # noqa: S608


def labels_then(head: Head, question_id: int) -> Source:
    """The labels of one question as they stood at this point of the history, to be read in place of those of now."""
    return Source(LABELS_THEN, {"question": question_id, **head.params})


def deciders_of(project: Project) -> QuerySet[Rater]:
    """The raters whose labels are what adjudicators decided; no report reads those."""
    return project.raters.filter(kind=Rater.Kind.CONSENSUS)


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
