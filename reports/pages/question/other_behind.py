"""The items behind a figure of all raters on numbers or sets: as the labels are now, the most disputed first."""

from dataclasses import dataclass
from typing import Any

from django.db import connection

from projects.models import Item, Question
from reports.models import QuestionAgreement
from reports.pages.pair.figures import scope_of
from reports.pages.question.behind import WantedItems, wanted_params

# Nothing but these constants is ever put together into SQL; values are parameters.
# Of each item and rater the first pass in the report's batches counts, as in the report itself.
# Numbers are as disputed as the highest lies above the lowest (halves: the largest numbers have no difference), sets by
# the entropy of the different ones.
ITEMS = """
WITH first AS (
    SELECT DISTINCT ON (item_id, rater_id) item_id, rater_id, number, category_set, is_abstention, labelled_at
    FROM raters_label
    WHERE question_id = %(question)s AND rater_id = ANY (%(raters)s::bigint[])
        AND (%(batches)s::bigint[] IS NULL OR batch_id = ANY (%(batches)s::bigint[]))
    ORDER BY item_id, rater_id, pass_number
), counted AS (
    SELECT item_id, number, category_set, is_abstention, count(*)::float8 AS n,
        bool_or(rater_id = %(rater)s) AS is_said, max(labelled_at) AS last_at
    FROM first GROUP BY item_id, number, category_set, is_abstention
), items AS (
    SELECT item_id,
        coalesce(sum(n) FILTER (WHERE NOT is_abstention), 0)::bigint AS n_labels,
        coalesce(sum(n) FILTER (WHERE is_abstention), 0)::bigint AS n_abstained,
        count(*) FILTER (WHERE NOT is_abstention) AS n_different,
        max(number) / 2 - min(number) / 2 AS spread,
        round((
            ln(sum(n) FILTER (WHERE NOT is_abstention))
            - sum(n * ln(n)) FILTER (WHERE NOT is_abstention) / sum(n) FILTER (WHERE NOT is_abstention)
        )::numeric, 9) AS entropy,
        coalesce(array_agg(number ORDER BY number) FILTER (WHERE number IS NOT NULL), '{}') AS numbers,
        coalesce(array_agg(array_to_string(category_set, ',') ORDER BY n DESC, category_set)
            FILTER (WHERE category_set IS NOT NULL), '{}') AS sets,
        coalesce(array_agg(n::bigint ORDER BY number, n DESC, category_set)
            FILTER (WHERE NOT is_abstention), '{}') AS counts,
        bool_or(is_said AND NOT is_abstention) AS has_rater,
        bool_or(is_said AND category_set @> ARRAY[%(says)s::bigint]) AS is_in_said,
        max(last_at) FILTER (WHERE NOT is_abstention) AS finished_at
    FROM counted GROUP BY item_id
)
SELECT item_id, numbers, sets, counts, n_abstained, count(*) OVER () FROM items
WHERE (%(rater)s::bigint IS NULL OR has_rater)
    AND (%(says)s::bigint IS NULL OR is_in_said)
    AND NOT EXISTS (
        SELECT FROM unnest(%(both)s::bigint[]) category WHERE NOT EXISTS (
            SELECT FROM counted WHERE counted.item_id = items.item_id AND category = ANY (category_set)
        )
    )
    AND n_labels BETWEEN %(least)s AND %(most)s
    AND (%(differ)s::boolean IS NULL OR (n_different > 1) = %(differ)s)
    AND n_abstained >= %(abstained)s
    AND (%(since)s::timestamptz IS NULL OR finished_at BETWEEN %(since)s AND %(until)s)
ORDER BY spread DESC NULLS LAST, entropy DESC NULLS LAST, item_id LIMIT %(limit)s OFFSET %(offset)s"""


@dataclass(frozen=True, slots=True)
class AnsweredItem:
    """answers: each different one, a number or the ids of a set, with how many raters gave it."""

    item: Item
    answers: list[tuple[Any, int]]
    n_abstained: int


def answers_behind(
    agreement: QuestionAgreement, wanted: WantedItems, *, start: int, size: int
) -> tuple[list[AnsweredItem], int]:
    """A page of the wanted items, and how many there are."""
    with connection.cursor() as cursor:
        cursor.execute(ITEMS, wanted_params(agreement, wanted) | {"limit": size, "offset": start})
        rows = cursor.fetchall()
    items = Item.objects.in_bulk([row[0] for row in rows])
    is_number = scope_of(agreement).kind == Question.Kind.NUMBER
    found = [
        AnsweredItem(
            items[item],
            list(zip(numbers if is_number else map(_ids, sets), counts, strict=True)),
            n_abstained,
        )
        for item, numbers, sets, counts, n_abstained, _ in rows
    ]
    return found, rows[0][5] if rows else 0


def _ids(text: str) -> list[int]:
    return [int(each) for each in text.split(",") if each]
