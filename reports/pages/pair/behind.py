"""The items behind a cell of a pair's table: looked up in the labels as they are now."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection

from projects.models import Item
from reports.agreement.results import IntArray
from reports.models import PairAgreement

# Nothing but these constants is ever put together into SQL; values are parameters.
# Of each item and rater the first pass in the report's batches counts, as in the report itself. Both raters are
# read at once: joined with itself, a table that was just imported has no statistics yet, and may take the square.
SHARED = """
WITH first AS (
    SELECT DISTINCT ON (item_id, rater_id) item_id, rater_id, category_id
    FROM raters_label
    WHERE question_id = %(question)s AND rater_id IN (%(a)s, %(b)s)
        AND (%(batches)s::bigint[] IS NULL OR batch_id = ANY (%(batches)s::bigint[]))
    ORDER BY item_id, rater_id, pass_number
), shared AS (
    SELECT item_id,
        max(category_id) FILTER (WHERE rater_id = %(a)s) AS category_a,
        max(category_id) FILTER (WHERE rater_id = %(b)s) AS category_b
    FROM first GROUP BY item_id
    HAVING count(category_id) = 2
)
"""
COUNTS = SHARED + "SELECT category_a, category_b, count(*) FROM shared GROUP BY 1, 2"  # noqa: S608
WANTED = """
    WHERE (%(row)s::bigint IS NULL OR category_a = %(row)s)
        AND (%(column)s::bigint IS NULL OR category_b = %(column)s)
        AND (%(differ)s::boolean IS NULL OR (category_a <> category_b) = %(differ)s)
"""
PAGE = (
    SHARED  # noqa: S608
    + "SELECT item_id, category_a, category_b FROM shared"
    + WANTED
    + " ORDER BY item_id LIMIT %(limit)s OFFSET %(offset)s"
)
NEIGHBOURS = (
    SHARED  # noqa: S608
    + "SELECT (SELECT max(item_id) FROM shared "
    + WANTED
    + " AND item_id < %(item)s), (SELECT min(item_id) FROM shared "
    + WANTED
    + " AND item_id > %(item)s)"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items of a pair: in this row, in this column, where they differ (or agree); None is any."""

    row: int | None = None
    column: int | None = None
    differ: bool | None = None


@dataclass(frozen=True, slots=True)
class ItemBehind:
    item: Item
    category_a: int
    category_b: int


def _params(pair: PairAgreement) -> dict[str, Any]:
    batches = pair.agreement.report.codebook["batches"]
    return {
        "question": pair.agreement.question_id,
        "a": pair.rater_a_id,
        "b": pair.rater_b_id,
        "batches": None if batches is None else [batch["id"] for batch in batches],
    }


def _wanted_params(wanted: Wanted) -> dict[str, Any]:
    return {"row": wanted.row, "column": wanted.column, "differ": wanted.differ}


def table_now(pair: PairAgreement) -> IntArray:
    """(K, K) counts of the pair from the labels as they are now, over the report's categories."""
    places = {category["id"]: place for place, category in enumerate(pair.agreement.categories)}
    table = np.zeros((len(places), len(places)), dtype=np.int64)
    with connection.cursor() as cursor:
        cursor.execute(COUNTS, _params(pair))
        for a, b, n in cursor.fetchall():
            if a in places and b in places:
                table[places[a], places[b]] = n
    return table


def n_wanted(table: IntArray, row: int | None, column: int | None, differ: bool | None) -> int:
    """How many items of a table are wanted; row and column are positions."""
    chosen = table.copy()
    if row is not None:
        chosen[np.arange(len(table)) != row] = 0
    if column is not None:
        chosen[:, np.arange(len(table)) != column] = 0
    agreeing = int(np.trace(chosen))
    if differ is None:
        return int(chosen.sum())
    return int(chosen.sum()) - agreeing if differ else agreeing


class ItemsBehind:
    """The wanted items, for a paginator: a length, and slices."""

    def __init__(self, pair: PairAgreement, wanted: Wanted, *, n_items: int) -> None:
        self._params = _params(pair) | _wanted_params(wanted)
        self._n_items = n_items

    def __len__(self) -> int:
        return self._n_items

    def __getitem__(self, page: slice) -> Sequence[ItemBehind]:
        limits = {"limit": page.stop - page.start, "offset": page.start}
        with connection.cursor() as cursor:
            cursor.execute(PAGE, self._params | limits)
            rows = cursor.fetchall()
        items = Item.objects.in_bulk([row[0] for row in rows])
        return [ItemBehind(items[item], a, b) for item, a, b in rows]


def neighbours(pair: PairAgreement, wanted: Wanted, item: int) -> tuple[int | None, int | None]:
    """The wanted items before and after this one."""
    with connection.cursor() as cursor:
        cursor.execute(NEIGHBOURS, _params(pair) | _wanted_params(wanted) | {"item": item})
        before, after = cursor.fetchone()
    return before, after
