"""Labels as they stood: what a report read, and whether it would still read the same."""

from django.db.models import QuerySet

from core.history import SEEN, Head
from projects.models import Project
from raters.models import Rater
from reports.analysis.question import Scope
from reports.sources.relation import OF_RATERS, Source

LABELS_THEN = f"""(
    SELECT label_id, revision, at, item_id, rater_id, category_id, category_set, number, pass_number, batch_id,
        guidelines_version, confidence
    FROM (
        SELECT DISTINCT ON (label_id) *
        FROM raters_labelrevision
        WHERE question_id = %(question)s AND {OF_RATERS} AND {SEEN}
        ORDER BY label_id, id DESC
    ) last
    WHERE change <> 'D'
)"""  # noqa: S608


# The moment of a label and how long it took are in its row alone; once it was changed, in what its next revision tells
# of the row before.
LABELS_THEN_WITH_TIMES = f"""(
    SELECT past.item_id, past.rater_id, past.category_id, past.category_set, past.number, past.pass_number,
        past.batch_id, past.guidelines_version, past.confidence,
        coalesce((next.old_value ->> 'labelled_at')::timestamptz, label.labelled_at, past.at) AS labelled_at,
        coalesce((next.old_value ->> 'seconds')::float8, label.seconds) AS seconds
    FROM {LABELS_THEN} past
    LEFT JOIN raters_label label ON label.id = past.label_id AND label.revision = past.revision
    LEFT JOIN raters_labelrevision next ON next.question_id = %(question)s
        AND next.label_id = past.label_id AND next.revision = past.revision + 1
)"""  # noqa: S608


def labels_then(head: Head, scope: Scope) -> Source:
    """The labels of one question as they stood at this point of the history, to be read in place of those of now."""
    relation = LABELS_THEN_WITH_TIMES if scope.is_of_some_time else LABELS_THEN
    return Source(relation, {"question": scope.question["id"], **head.params})


def deciders_of(project: Project) -> QuerySet[Rater]:
    """The raters whose labels are what adjudicators decided; no report reads those."""
    return project.raters.filter(kind=Rater.Kind.CONSENSUS)
