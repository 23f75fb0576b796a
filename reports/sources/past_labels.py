"""Labels at a point of the history: what a report read, and whether it would still read the same."""

from django.db.models import QuerySet

from core.history import VISIBLE_ENTRIES, Head
from projects.models import Project
from raters.models import Rater
from reports.analysis.question import QuestionScope
from reports.sources.relation import OF_RATERS, LabelSource

LABELS_THEN = f"""(
    SELECT label_id, revision, at, item_id, rater_id, category_id, category_set, number, pass_number, batch_id,
        guidelines_version, confidence, from_suggestion
    FROM (
        SELECT DISTINCT ON (label_id) *
        FROM raters_labelrevision
        WHERE question_id = %(question)s AND {OF_RATERS} AND {VISIBLE_ENTRIES}
        ORDER BY label_id, id DESC
    ) last
    WHERE change <> 'D'
)"""  # noqa: S608


# The time of a label and its duration are only in its row or, once it was changed, in the old values kept by its next
# revision.
LABELS_THEN_WITH_TIMES = f"""(
    SELECT past.item_id, past.rater_id, past.category_id, past.category_set, past.number, past.pass_number,
        past.batch_id, past.guidelines_version, past.confidence, past.from_suggestion,
        coalesce((next.old_value ->> 'labelled_at')::timestamptz, label.labelled_at, past.at) AS labelled_at,
        coalesce((next.old_value ->> 'seconds')::float8, label.seconds) AS seconds
    FROM {LABELS_THEN} past
    LEFT JOIN raters_label label ON label.id = past.label_id AND label.revision = past.revision
    LEFT JOIN raters_labelrevision next ON next.question_id = %(question)s
        AND next.label_id = past.label_id AND next.revision = past.revision + 1
)"""  # noqa: S608


def labels_then(head: Head, scope: QuestionScope) -> LabelSource:
    """Return the labels of one question at this point of the history, to be read instead of the current ones."""
    relation = LABELS_THEN_WITH_TIMES if scope.is_of_some_time else LABELS_THEN
    return LabelSource(relation, {"question": scope.question["id"], **head.params})


def deciders_of(project: Project) -> QuerySet[Rater]:
    """Return the raters whose labels are adjudicators' decisions; reports do not read these."""
    return project.raters.filter(kind=Rater.Kind.CONSENSUS)
