"""The items behind a pair's figures on numbers or sets: looked up in the labels as they are now."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from projects.models import Item
from reports.models import PairAgreement

# Of each item and rater the first pass in the report's batches counts, as in the report itself. Both raters are
# read at once, for the reason told in `reports.pages.pair.behind`.
SHARED = """
WITH first AS (
    SELECT DISTINCT ON (item_id, rater_id) item_id, rater_id, number, category_set, is_abstention
    FROM raters_label
    WHERE question_id = %(question)s AND rater_id IN (%(a)s, %(b)s)
        AND (%(batches)s::bigint[] IS NULL OR batch_id = ANY (%(batches)s::bigint[]))
    ORDER BY item_id, rater_id, pass_number
), shared AS (
    SELECT item_id,
        max(number) FILTER (WHERE rater_id = %(a)s) AS number_a,
        max(number) FILTER (WHERE rater_id = %(b)s) AS number_b,
        max(category_set) FILTER (WHERE rater_id = %(a)s) AS set_a,
        max(category_set) FILTER (WHERE rater_id = %(b)s) AS set_b
    FROM first WHERE NOT is_abstention GROUP BY item_id HAVING count(*) = 2
)
"""
COUNT = SHARED + "SELECT count(*) FROM shared"  # noqa: S608
NUMBERS = (
    SHARED  # noqa: S608
    + "SELECT item_id, number_a, number_b FROM shared"
    + " ORDER BY abs(number_a - number_b) DESC, item_id LIMIT %(limit)s OFFSET %(offset)s"
)
# Those with most categories that only one holds come first.
SETS = (
    SHARED  # noqa: S608
    + "SELECT item_id, set_a, set_b FROM shared ORDER BY ("
    + "SELECT count(*) FROM (SELECT unnest(set_a || set_b) AS category) either"
    + " WHERE (category = ANY (set_a)) <> (category = ANY (set_b))"
    + ") DESC, item_id LIMIT %(limit)s OFFSET %(offset)s"
)


@dataclass(frozen=True, slots=True)
class Answers:
    """What both raters said of one item: two numbers, or two lists of ids of categories."""

    item: Item
    a: Any
    b: Any


class SharedAnswers:
    """The shared items, those that differ most first, for a paginator: a length, and slices."""

    def __init__(self, pair: PairAgreement, page: str) -> None:
        batches = pair.agreement.report.codebook["batches"]
        self._page = page
        self._params: dict[str, Any] = {
            "question": pair.agreement.question_id,
            "a": pair.rater_a_id,
            "b": pair.rater_b_id,
            "batches": None if batches is None else [batch["id"] for batch in batches],
        }
        [(self._n_items,)] = self._rows(COUNT, {})

    def __len__(self) -> int:
        return int(self._n_items)

    def __getitem__(self, page: slice) -> Sequence[Answers]:
        rows = self._rows(self._page, {"limit": page.stop - page.start, "offset": page.start})
        items = Item.objects.in_bulk([item for item, _, _ in rows])
        return [Answers(items[item], a, b) for item, a, b in rows]

    def numbers(self, limit: int) -> list[tuple[float, float]]:
        """Both numbers of the shared items, no more than the limit of them."""
        rows = self._rows(NUMBERS, {"limit": limit, "offset": 0})
        return [(a, b) for _, a, b in rows]

    def _rows(self, query: str, more: dict[str, Any]) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(query, self._params | more)
            return cursor.fetchall()


def shared_answers(pair: PairAgreement, *, is_number: bool) -> SharedAnswers:
    return SharedAnswers(pair, NUMBERS if is_number else SETS)
