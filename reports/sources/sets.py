"""Sets of categories from PostgreSQL: each distinct set gets a number, which is read like a category."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from reports.analysis.question import QuestionNotComputable
from reports.sources.relation import LabelSource, UndeclaredCategory

# The most sets that a two-byte code can number.
MAX_SETS = 65_535
DISTINCT_SETS = """
SELECT category_set, row_number() OVER (ORDER BY category_set) AS category_id
FROM (SELECT DISTINCT category_set FROM {relation} AS labels WHERE category_set IS NOT NULL) found"""
NUMBERED_SETS = """(
    SELECT labels.item_id, labels.rater_id, sets.category_id, labels.pass_number, labels.batch_id
    FROM {relation} AS labels LEFT JOIN ({sets}) sets USING (category_set)
)"""


def numbered_sets(source: LabelSource) -> LabelSource:
    """Return the same labels with the number of their set as the category."""
    sets = DISTINCT_SETS.format(relation=source.relation)
    return LabelSource(NUMBERED_SETS.format(relation=source.relation, sets=sets), source.params)


def distinct_sets(
    connection: psycopg.Connection[Any], source: LabelSource, category_ids: Sequence[int]
) -> tuple[NDArray[np.bool_], list[int]]:
    """Return the sets, (S, K), in an order that depends only on them, and the number of each in the database."""
    places = {category: place for place, category in enumerate(category_ids)}
    with psycopg.ClientCursor(connection) as cursor:
        text = cursor.mogrify(DISTINCT_SETS.format(relation=source.relation), source.params)
    rows = connection.execute(text.encode()).fetchall()
    if len(rows) > MAX_SETS:
        raise QuestionNotComputable("too_many_sets")
    members = np.zeros((max(1, len(rows)), len(category_ids)), dtype=bool)
    for row, (categories, _) in enumerate(rows):
        if not places.keys() >= set(categories):
            raise UndeclaredCategory(f"one of the categories {categories} is not declared")
        members[row, [places[category] for category in categories]] = True
    order = np.lexsort(members.T[::-1])
    numbers = [number for _, number in rows] or [0]
    return members[order], [numbers[row] for row in order]
