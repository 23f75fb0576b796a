"""How many assigned labels of a question are missing, as opposed to empty cells of a design."""

from collections.abc import Collection
from typing import TypedDict

from raters.models import Assignment
from reports.analysis.question import QuestionScope
from reports.sources.shared_snapshots import Snapshot

# The key of these counts among the statistics of a stored result.
ASSIGNED = "assigned"


class AssignmentCountsJson(TypedDict):
    """n: assignments to raters who count, in rounds that were opened. n_missing: those without an answer to the
    question; n_skipped: the missing ones that the rater skipped.
    """

    n: int
    n_missing: int
    n_skipped: int


# An assignment that is done has answers to every question that was asked.
QUERY = """
SELECT count(*), count(*) FILTER (WHERE is_missing), count(*) FILTER (WHERE is_missing AND put_off_at IS NOT NULL)
FROM (
    SELECT assignment.put_off_at, assignment.state = %(pending)s AND NOT EXISTS (
        SELECT FROM raters_label AS label
        WHERE label.item_id = assignment.item_id AND label.question_id = %(question)s
            AND label.rater_id = assignment.rater_id AND label.pass_number = assignment.pass_number
    ) AS is_missing
    FROM raters_assignment AS assignment
    JOIN raters_rater AS rater ON rater.id = assignment.rater_id
    JOIN projects_item AS item ON item.id = assignment.item_id
    LEFT JOIN projects_batch AS round ON round.id = assignment.batch_id
    WHERE rater.project_id = %(project)s AND rater.kind = ANY(%(kinds)s)
        AND (round.id IS NULL OR round.state <> 'draft')
        AND (item.withdrawn_at IS NULL OR assignment.state <> %(pending)s)
        AND (%(rounds)s::bigint[] IS NULL OR round.id = ANY(%(rounds)s))
        AND (%(raters)s::bigint[] IS NULL OR rater.id = ANY(%(raters)s))
        AND (%(items)s::bigint[] IS NULL OR item.id = ANY(%(items)s))
        AND (%(parent)s::bigint IS NULL OR EXISTS (
            SELECT FROM raters_label AS label
            WHERE label.item_id = assignment.item_id AND label.question_id = %(parent)s
                AND label.rater_id = assignment.rater_id AND label.pass_number = assignment.pass_number
                AND (label.category_id = ANY(%(categories)s::bigint[])
                    OR label.category_set && %(categories)s::bigint[])
        ))
) AS found"""


def read_assigned(
    snapshot: Snapshot, scope: QuestionScope, *, project: int, kinds: Collection[str]
) -> AssignmentCountsJson | None:
    """Return the counts. kinds: of the raters who count.

    None if nothing was assigned, as when all labels were imported, or if the scope is limited in time, because missing
    labels have no time.
    """
    if scope.is_of_some_time:
        return None
    condition = scope.question.get("asked_if")
    asked = {
        # For a conditional question: if it was not asked, its label is not missing.
        "parent": condition["question"] if condition else None,
        "categories": condition["categories"] if condition else [],
        "pending": Assignment.State.PENDING.value,
        "question": scope.question["id"],
        "project": project,
        "kinds": [str(kind) for kind in kinds],
        "rounds": scope.counted_rounds,
        "raters": scope.only["raters"] if scope.only else None,
        "items": scope.only["items"] if scope.only else None,
    }
    found = snapshot.connections[0].execute(QUERY, asked).fetchone()
    n, n_missing, n_skipped = found or (0, 0, 0)
    return AssignmentCountsJson(n=n, n_missing=n_missing, n_skipped=n_skipped) if n else None
