"""The items behind a figure of all raters: looked up in the labels as they are now, the most disputed first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from projects.models import Item
from reports.models import QuestionAgreement

# Nothing but these constants is ever put together into SQL; values are parameters.
# Of each item and rater the first pass in the report's batches counts, as in the report itself.
# Entropy of an item's labels: ln n - sum of n_k ln n_k / n, 0 where all agree.
ITEMS = """
WITH first AS (
    SELECT DISTINCT ON (item_id, rater_id) item_id, rater_id, category_id
    FROM raters_label
    WHERE question_id = %(question)s AND rater_id = ANY (%(raters)s::bigint[])
        AND (%(batches)s::bigint[] IS NULL OR batch_id = ANY (%(batches)s::bigint[]))
    ORDER BY item_id, rater_id, pass_number
), counted AS (
    SELECT item_id, category_id, count(*)::float8 AS n,
        bool_or(rater_id = %(rater)s) AS is_said
    FROM first WHERE category_id IS NOT NULL GROUP BY item_id, category_id
), items AS (
    SELECT item_id, sum(n)::bigint AS n_labels,
        round((ln(sum(n)) - sum(n * ln(n)) / sum(n))::numeric, 9) AS entropy,
        array_agg(category_id ORDER BY n DESC, category_id) AS categories,
        array_agg(n::bigint ORDER BY n DESC, category_id) AS counts,
        coalesce(array_agg(category_id) FILTER (WHERE is_said), '{}') AS said
    FROM counted GROUP BY item_id
)
SELECT item_id, categories, counts, count(*) OVER () FROM items
WHERE %(both)s::bigint[] <@ categories
    AND (%(rater)s::bigint IS NULL OR cardinality(said) > 0)
    AND (%(says)s::bigint IS NULL OR %(says)s = ANY (said))
    AND (%(differ)s::boolean IS NULL OR n_labels > 1 AND (cardinality(categories) > 1) = %(differ)s)
ORDER BY entropy DESC, item_id LIMIT %(limit)s OFFSET %(offset)s"""


@dataclass(frozen=True, slots=True)
class WantedItems:
    """both: categories, by id, that somebody gave the item. rater, says: who gave it what. differ: None for any."""

    both: tuple[int, ...] = ()
    rater: int | None = None
    says: int | None = None
    differ: bool | None = None


@dataclass(frozen=True, slots=True)
class SplitItem:
    """counts: how many raters said what, by category, the most common first."""

    item: Item
    counts: list[tuple[int, int]]


def items_behind(
    agreement: QuestionAgreement, wanted: WantedItems, *, start: int, size: int
) -> tuple[list[SplitItem], int]:
    """A page of the wanted items, and how many there are."""
    with connection.cursor() as cursor:
        cursor.execute(ITEMS, _params(agreement, wanted) | {"limit": size, "offset": start})
        rows = cursor.fetchall()
    items = Item.objects.in_bulk([row[0] for row in rows])
    found = [SplitItem(items[item], _split(categories, counts)) for item, categories, counts, _ in rows]
    return found, rows[0][3] if rows else 0


def _split(categories: Sequence[int], counts: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip(categories, counts, strict=True))


def _params(agreement: QuestionAgreement, wanted: WantedItems) -> dict[str, Any]:
    batches = agreement.report.codebook["batches"]
    return {
        "question": agreement.question_id,
        "raters": [rater["id"] for rater in agreement.raters],
        "batches": None if batches is None else [batch["id"] for batch in batches],
        "both": list(wanted.both),
        "rater": wanted.rater,
        "says": wanted.says,
        "differ": wanted.differ,
    }
