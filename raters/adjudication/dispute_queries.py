"""The SQL that finds and counts disputes."""

from core.tolerance import sql_beyond
from raters.adjudication.conditional_questions import is_asked
from raters.adjudication.uncertain_finals import in_question
from raters.missing_codes import is_missing, is_missing_choice
from raters.passes import stage_of, superseded


def decided(row: str) -> str:
    """Return SQL for whether adjudicators have decided on the item and question of a row."""
    return f"""EXISTS (
        SELECT FROM raters_label decided
        WHERE decided.item_id = {row}.item_id AND decided.question_id = {row}.question_id
            AND decided.rater_id = %(consensus)s
    )"""


_LISTED = """(%(items)s::bigint[] IS NULL OR l.item_id = ANY (%(items)s::bigint[]))
    AND (%(list)s::bigint IS NULL OR l.item_id IN (
        SELECT entry.item_id FROM projects_itemlistentry entry WHERE entry.item_list_id = %(list)s
    ))"""
# Raters' labels in scope: each rater's first label per item, as in a report; if rounds label the item again, only
# labels of the latest complete one, as in final labels. "Cannot tell" and labels treated as missing do not count, so
# they are never part of a dispute. Once decided, a dispute of any round counts as resolved, so all labels are compared.
_LABELS = f"""
FROM raters_label l
WHERE l.question_id = ANY (%(questions)s) AND NOT l.is_abstention AND NOT {is_missing("l")}
    AND NOT l.rater_id = ANY (%(no_voters)s::bigint[])
    AND (%(round)s::bigint IS NULL OR l.batch_id = %(round)s)
    AND {_LISTED} AND (NOT {superseded("l")} OR {decided("l")})
"""
_VOTES = f"""{_LABELS}
    AND (l.pass_number = 1 OR (cardinality(%(staged)s::bigint[]) > 0 AND {decided("l")}) OR NOT EXISTS (
        SELECT FROM raters_label earlier
        WHERE earlier.item_id = l.item_id AND earlier.question_id = l.question_id
            AND earlier.rater_id = l.rater_id AND earlier.pass_number < l.pass_number
            AND (%(round)s::bigint IS NULL OR earlier.batch_id = %(round)s)
            AND NOT {is_missing("earlier")} AND NOT {superseded("earlier")}
    ))
"""
# A question that is ruled out by, or waits for, the final label of an earlier one is not in dispute.
# Items are not offered before all planned labels are in. Skipped assignments may never be done, and pending ones of
# closed rounds will not be, so neither is waited for. A later round that labels the item again hides nothing before its
# labels are used.
_VISIBLE = f"""
NOT EXISTS (
    SELECT FROM raters_assignment assignment
    WHERE assignment.item_id = disputes.item_id AND assignment.batch_id = ANY (%(hidden)s::bigint[])
)
AND (%(includes_waiting)s OR {decided("disputes")} OR NOT EXISTS (
    SELECT FROM raters_assignment planned JOIN projects_batch open ON open.id = planned.batch_id
    WHERE planned.item_id = disputes.item_id AND planned.state = 'pending' AND planned.put_off_at IS NULL
        AND open.state = 'open' AND (%(round)s::bigint IS NULL OR open.id = %(round)s)
        AND (cardinality(%(staged)s::bigint[]) = 0 OR {stage_of("planned")} = disputes.stage)
))
AND {is_asked("disputes")}
"""  # noqa: S608
_DECIDED = decided("disputes")
# If a rule has a threshold, exactly the items that it leaves open are in dispute.
# Numbers are in dispute if their range exceeds the question's tolerance.
_BEYOND = sql_beyond(
    "max({number}) - min({number})",
    "(SELECT tolerance FROM projects_question WHERE projects_question.id = {question})",
)
# Entropy of an item's labels in bits, rounded so that it does not depend on the order of summation. Of numbers and
# ordered categories, the spread is the distance between the smallest and the largest answer.
_OF_VOTES = in_question(
    f"""count(*) > 1 AND (min(number) IS NULL OR {_BEYOND.format(number="number", question="votes.question_id")})""",
    item="item_id",
    question="question_id",
)
FOUND = f"""
WITH votes AS (
    SELECT l.item_id, l.question_id, l.category_id, l.category_set, l.number, count(*)::float8 AS n,
        max({stage_of("l")}) AS stage {_VOTES}
    GROUP BY l.item_id, l.question_id, l.category_id, l.category_set, l.number
), ordered AS (
    SELECT category.id, CASE WHEN question.level = 'ordinal' THEN category.position ELSE category.value END AS place
    FROM projects_category category JOIN projects_question question ON question.id = category.question_id
    WHERE question.id = ANY (%(questions)s) AND question.kind = 'single' AND question.level <> 'nominal'
), disputes AS (
    SELECT item_id, question_id, sum(n)::int AS n_labels, max(n)::int AS n_most, count(*)::int AS n_values,
        round(((ln(sum(n)) - sum(n * ln(n)) / sum(n)) / ln(2.0::float8))::numeric, 9) AS entropy,
        coalesce(max(number) - min(number), max(place) - min(place)) AS spread, max(stage) AS stage
    FROM votes LEFT JOIN ordered ON ordered.id = votes.category_id GROUP BY item_id, question_id
    HAVING {_OF_VOTES}
), found AS MATERIALIZED (
    SELECT disputes.*, {_DECIDED} AS is_decided FROM disputes WHERE {_VISIBLE}
)
"""  # noqa: S608
COUNTED = """
SELECT coalesce(json_agg(counted), '[]') FROM (
    SELECT question_id, count(*) AS n, count(*) FILTER (WHERE is_decided) AS n_decided FROM found GROUP BY 1
) counted
"""
# Near answers are disputed less than distant ones: where answers have distances, entropy counts in proportion to the
# spread, relative to the largest of the question.
OPEN = """
SELECT coalesce(json_agg(listed), '[]') FROM (
    SELECT item_id, question_id, n_labels, n_most, n_values, entropy FROM (
        SELECT found.*, coalesce(spread / nullif(max(spread) OVER (PARTITION BY question_id), 0), 1) AS distance
        FROM found
    ) measured
    WHERE NOT is_decided
    ORDER BY entropy * distance DESC, entropy DESC, spread DESC NULLS LAST, item_id, question_id
    LIMIT %(limit)s OFFSET %(offset)s
) listed
"""
BOTH = FOUND + "SELECT (" + COUNTED + "), (" + OPEN + ")"
# How often each answer was given, of some items.
ANSWERS = f"""
SELECT l.item_id, l.question_id, l.category_id, l.category_set, l.number, count(*) {_VOTES}
GROUP BY l.item_id, l.question_id, l.category_id, l.category_set, l.number
"""
# The same disputes without their order, for counts only: labels need not be counted by value.
_OF_LABELS = in_question(
    f"""min(l.category_id) <> max(l.category_id) OR min(l.category_set) <> max(l.category_set)
        OR {_BEYOND.format(number="l.number", question="l.question_id")}""",
    item="l.item_id",
    question="l.question_id",
)
_UNDECIDED = f"""
WITH disputes AS (
    SELECT l.item_id, l.question_id, max({stage_of("l")}) AS stage {{votes}}
    GROUP BY l.item_id, l.question_id
    HAVING {_OF_LABELS}
), undecided AS (
    SELECT item_id FROM disputes WHERE {_VISIBLE} AND NOT {_DECIDED}
)
"""  # noqa: S608
_TOTAL = _UNDECIDED + "SELECT count(*), count(DISTINCT item_id) FROM undecided"  # noqa: S608
TOTAL = _TOTAL.format(votes=_VOTES)
# If each rater labeled each item once, first labels need not be looked up, which is twice as fast.
TOTAL_OF_ONCE = _TOTAL.format(votes=_LABELS)
# A label has a category only if its question is single choice; for such questions, the index suffices.
TOTAL_OF_CHOICES = f"""
WITH disputes AS (
    SELECT l.item_id, l.question_id, 0 AS stage FROM raters_label l
    WHERE l.question_id = ANY (%(questions)s) AND l.category_id IS NOT NULL
        AND NOT {is_missing_choice("l")} AND NOT l.rater_id = ANY (%(no_voters)s::bigint[])
        AND (%(round)s::bigint IS NULL OR l.batch_id = %(round)s)
        AND {_LISTED}
    GROUP BY l.question_id, l.item_id
    HAVING {in_question("min(l.category_id) <> max(l.category_id)", item="l.item_id", question="l.question_id")}
), undecided AS (
    SELECT item_id FROM disputes WHERE {_VISIBLE} AND NOT {_DECIDED}
)
SELECT count(*), count(DISTINCT item_id) FROM undecided
"""  # noqa: S608
ANY = _UNDECIDED.format(votes=_VOTES) + "SELECT EXISTS (SELECT FROM undecided)"  # noqa: S608
ITEMS = _UNDECIDED.format(votes=_VOTES) + "SELECT DISTINCT item_id FROM undecided"  # noqa: S608
