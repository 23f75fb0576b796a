"""For a conditional question: how many labels call for an answer, and on how many items raters differ about that.

Whether the question applies depends on the answer to its parent question, so raters may disagree on it.
"""

from collections.abc import Collection

from reports.analysis.condition_wording import ConditionCounts
from reports.analysis.question import QuestionScope
from reports.sources.relation import IN_TIME
from reports.sources.shared_snapshots import Snapshot

# The first pass of each item and rater in the scope counts, as in all statistics.
QUERY = f"""
WITH first_labels AS (
    SELECT DISTINCT ON (label.item_id, label.rater_id) label.item_id,
        coalesce(label.category_id = ANY(%(categories)s::bigint[]), false)
            OR coalesce(label.category_set && %(categories)s::bigint[], false) AS is_asked
    FROM raters_label AS label JOIN raters_rater AS rater ON rater.id = label.rater_id
    WHERE label.question_id = %(parent)s AND rater.kind = ANY(%(kinds)s)
        AND (%(rounds)s::bigint[] IS NULL OR label.batch_id = ANY(%(rounds)s))
        AND (%(raters)s::bigint[] IS NULL OR label.rater_id = ANY(%(raters)s))
        AND (%(items)s::bigint[] IS NULL OR label.item_id = ANY(%(items)s))
        AND {IN_TIME}
    ORDER BY label.item_id, label.rater_id, label.pass_number
), items AS (
    SELECT count(*) AS n, count(*) FILTER (WHERE is_asked) AS n_asked FROM first_labels GROUP BY item_id
)
SELECT coalesce(sum(n), 0)::bigint, coalesce(sum(n_asked), 0)::bigint, count(*) FILTER (WHERE n > 1),
    count(*) FILTER (WHERE n > 1 AND n_asked > 0 AND n_asked < n)
FROM items"""  # noqa: S608


def count_conditions(
    snapshot: Snapshot, scope: QuestionScope, *, kinds: Collection[str]
) -> ConditionCounts | None:
    """Return the counts, or None for a question that is always asked. kinds: of the raters who count."""
    condition = scope.question.get("asked_if")
    if condition is None:
        return None
    params = {
        "parent": condition["question"],
        "categories": condition["categories"],
        "kinds": [str(kind) for kind in kinds],
        "rounds": scope.counted_rounds,
        "raters": scope.only["raters"] if scope.only else None,
        "items": scope.only["items"] if scope.only else None,
        "only_since": scope.only_since,
        "only_until": scope.only_until,
    }
    found = snapshot.connections[0].execute(QUERY, params).fetchone()
    n_answers, n_asked, n_items, n_split = found or (0, 0, 0, 0)
    return ConditionCounts(n_answers=n_answers, n_asked=n_asked, n_items=n_items, n_split=n_split)
