"""Labels as they stood: what a stored snapshot saw, and whether it would still see the same."""

from collections.abc import Sequence

from django.db import connection
from django.db.models import QuerySet

from projects.models import Project
from raters.models import Rater
from reports.labels.reading import Source
from reports.labels.sources import OF_RATERS

# A snapshot and the transaction of each revision are compared by number alone, so this holds for a restored database
# too, as long as its transaction counter is not behind the snapshot's.
LABELS_THEN = f"""(
    SELECT label_id, revision, at, item_id, rater_id, category_id, category_set, number, pass_number, batch_id,
        guidelines_version
    FROM (
        SELECT DISTINCT ON (label_id) *
        FROM raters_labelrevision
        WHERE question_id = %(question)s AND {OF_RATERS}
            AND pg_visible_in_snapshot(transaction, %(then_snapshot)s::pg_snapshot)
        ORDER BY label_id, revision DESC
    ) last
    WHERE change <> 'D'
)"""  # noqa: S608


def labels_then(snapshot: str, question_id: int) -> Source:
    """The labels of one question as the stored snapshot saw them, to be read in place of the present ones."""
    return Source(LABELS_THEN, {"question": question_id, "then_snapshot": snapshot})


def deciders_of(project: Project) -> QuerySet[Rater]:
    """The raters whose labels are what adjudicators decided; no report reads those."""
    return project.raters.filter(kind=Rater.Kind.CONSENSUS)


# In the order of an index: transactions have no statistics, and without it all revisions of a question are read to
# find that none is newer.
CHANGED = """
SELECT EXISTS (
    SELECT FROM unnest(%(questions)s::bigint[]) question (id), LATERAL (
        SELECT FROM raters_labelrevision
        WHERE question_id = question.id
            AND transaction >= pg_snapshot_xmin(%(snapshot)s::pg_snapshot)
            AND NOT pg_visible_in_snapshot(transaction, %(snapshot)s::pg_snapshot)
            AND rater_id NOT IN (SELECT id FROM raters_rater WHERE kind = 'consensus')
        ORDER BY transaction LIMIT 1
    ) newer
)"""


def labels_changed_since(snapshot: str, question_ids: Sequence[int]) -> bool:
    """Whether a rater's label of these questions was made, changed or withdrawn after the snapshot."""
    with connection.cursor() as cursor:
        cursor.execute(CHANGED, {"questions": list(question_ids), "snapshot": snapshot})
        return bool(cursor.fetchone()[0])
