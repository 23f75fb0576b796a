"""The items behind a figure of all raters: looked up in the labels as they are now, the most disputed first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from projects.models import Item
from reports.models import QuestionAgreement

# More labels of one item than there can be.
MANY = 2**31
# Nothing but these constants is ever put together into SQL; values are parameters.
# Of each item and rater the first pass in the report's batches counts, as in the report itself.
# Entropy of an item's labels: ln n - sum of n_k ln n_k / n, 0 where all agree.
ITEMS = """
WITH wanted AS NOT MATERIALIZED (
    SELECT item_id, question_id, rater_id, category_id, pass_number, labelled_at
    FROM raters_label
    WHERE question_id = %(question)s AND rater_id = ANY (%(raters)s::bigint[])
        AND (%(batches)s::bigint[] IS NULL OR batch_id = ANY (%(batches)s::bigint[]))
), first AS (
    -- Nearly all are first passes: to sort all labels for the few others would take most of the time.
    SELECT item_id, rater_id, category_id, labelled_at FROM wanted WHERE pass_number = 1
    UNION ALL
    SELECT item_id, rater_id, category_id, labelled_at FROM wanted
    WHERE pass_number > 1 AND NOT EXISTS (
        SELECT FROM raters_label earlier
        WHERE earlier.item_id = wanted.item_id AND earlier.question_id = wanted.question_id
            AND earlier.rater_id = wanted.rater_id AND earlier.pass_number < wanted.pass_number
            AND (%(batches)s::bigint[] IS NULL OR earlier.batch_id = ANY (%(batches)s::bigint[]))
    )
), counted AS (
    SELECT item_id, category_id, count(*)::float8 AS n, bool_or(rater_id = %(rater)s) AS is_said,
        max(CASE WHEN %(since)s::timestamptz IS NOT NULL THEN labelled_at END) AS last_at
    FROM first GROUP BY item_id, category_id
), items AS (
    SELECT item_id,
        coalesce(sum(n) FILTER (WHERE category_id IS NOT NULL), 0)::bigint AS n_labels,
        coalesce(sum(n) FILTER (WHERE category_id IS NULL), 0)::bigint AS n_abstained,
        round((
            ln(sum(n) FILTER (WHERE category_id IS NOT NULL))
            - sum(n * ln(n)) FILTER (WHERE category_id IS NOT NULL)
                / sum(n) FILTER (WHERE category_id IS NOT NULL)
        )::numeric, 9) AS entropy,
        coalesce(array_agg(category_id ORDER BY n DESC, category_id)
            FILTER (WHERE category_id IS NOT NULL), '{}') AS categories,
        coalesce(array_agg(n::bigint ORDER BY n DESC, category_id)
            FILTER (WHERE category_id IS NOT NULL), '{}') AS counts,
        coalesce(array_agg(category_id) FILTER (WHERE is_said AND category_id IS NOT NULL), '{}') AS said,
        max(last_at) FILTER (WHERE category_id IS NOT NULL) AS finished_at
    FROM counted GROUP BY item_id
)
SELECT item_id, categories, counts, n_abstained, count(*) OVER () FROM items
WHERE %(both)s::bigint[] <@ categories
    AND (%(rater)s::bigint IS NULL OR cardinality(said) > 0)
    AND (%(says)s::bigint IS NULL OR %(says)s = ANY (said))
    AND n_labels BETWEEN %(least)s AND %(most)s
    AND (%(differ)s::boolean IS NULL OR (cardinality(categories) > 1) = %(differ)s)
    AND n_abstained >= %(abstained)s
    AND (%(since)s::timestamptz IS NULL OR finished_at BETWEEN %(since)s AND %(until)s)
ORDER BY entropy DESC NULLS LAST, item_id LIMIT %(limit)s OFFSET %(offset)s"""


@dataclass(frozen=True, slots=True)
class WantedItems:
    """both: categories, by id, that somebody gave the item. rater, says: who gave it what. differ: None for any.

    least, most: how many labels it has. abstained: how many at least could not tell. batch: only labels of this round
    count, None for all. finished: when its last label was made, from and to, None for any time.
    """

    both: tuple[int, ...] = ()
    rater: int | None = None
    says: int | None = None
    differ: bool | None = None
    least: int = 1
    most: int = MANY
    abstained: int = 0
    batch: int | None = None
    finished: tuple[datetime, datetime] | None = None


@dataclass(frozen=True, slots=True)
class SplitItem:
    """counts: how many raters said what, by category, the most common first. n_abstained: who could not tell."""

    item: Item
    counts: list[tuple[int, int]]
    n_abstained: int = 0


def items_behind(
    agreement: QuestionAgreement, wanted: WantedItems, *, start: int, size: int
) -> tuple[list[SplitItem], int]:
    """A page of the wanted items, and how many there are."""
    with connection.cursor() as cursor:
        cursor.execute(ITEMS, wanted_params(agreement, wanted) | {"limit": size, "offset": start})
        rows = cursor.fetchall()
    items = Item.objects.in_bulk([row[0] for row in rows])
    found = [
        SplitItem(items[item], _split(categories, counts), n_abstained)
        for item, categories, counts, n_abstained, _ in rows
    ]
    return found, rows[0][4] if rows else 0


def _split(categories: Sequence[int], counts: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(categories, counts, strict=True))


def wanted_params(agreement: QuestionAgreement, wanted: WantedItems) -> dict[str, Any]:
    batches = agreement.report.codebook["batches"]
    ids = None if batches is None else [batch["id"] for batch in batches]
    since, until = wanted.finished or (None, None)
    return {
        "question": agreement.question_id,
        "raters": [rater["id"] for rater in agreement.raters],
        "batches": ids if wanted.batch is None else [wanted.batch],
        "both": list(wanted.both),
        "rater": wanted.rater,
        "says": wanted.says,
        "differ": wanted.differ,
        "least": wanted.least,
        "most": wanted.most,
        "abstained": wanted.abstained,
        "since": since,
        "until": until,
    }
