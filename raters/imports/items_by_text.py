"""Find the items that a file names by their text: the item of the project whose content has exactly this text."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from core.tables.faults import MAX_LISTED, Fault, Faults, shown
from projects.models import Project
from raters.imports.fault_columns import column_with
from raters.imports.label_options import LabelOptions
from raters.imports.staging import kind_and_name
from raters.reading.columns import ITEM, ITEM_TEXT

SEVERAL_ITEMS = "several_items"
_MOST_NAMED = 5

# Content by which items are found, of items that the project does not have by their keys.
_BY_CONTENT = """
CREATE TEMPORARY TABLE staged_text ON COMMIT DROP AS
SELECT item, line, content FROM (
    SELECT DISTINCT ON (item) item, line, (
        SELECT jsonb_agg(jsonb_build_object('value', part -> 'value'))
        FROM jsonb_array_elements(content) part WHERE part ->> 'name' = ANY (%(texts)s)
    ) AS content
    FROM staged_content ORDER BY item, line
) described
WHERE content IS NOT NULL AND {is_new}
"""
# Short texts are keys themselves. A single word may be anything, such as a key of another kind.
_BY_KEY = """
CREATE TEMPORARY TABLE staged_text ON COMMIT DROP AS
SELECT item, line, jsonb_build_array(jsonb_build_object('value', item)) AS content FROM (
    SELECT item, min(line) AS line FROM staged WHERE item LIKE '%% %%' GROUP BY item
) named
WHERE {is_new}
"""
_IS_NEW = (
    "NOT EXISTS (SELECT FROM projects_item known WHERE known.project_id = %(project)s AND known.key = item)"
)
# Withdrawn items only count if there is no other.
_MATCH = """
ANALYZE staged_text;
CREATE TEMPORARY TABLE staged_match ON COMMIT DROP AS
SELECT item, line, key, row_number() OVER of_text AS place, count(*) OVER (PARTITION BY item) AS n
FROM (
    SELECT s.item, s.line, known.id, known.key,
        rank() OVER (PARTITION BY s.item ORDER BY known.withdrawn_at IS NOT NULL) AS tier
    FROM staged_text s
    JOIN projects_item known ON known.project_id = %(project)s AND known.content @> s.content
) found
WHERE tier = 1 WINDOW of_text AS (PARTITION BY item ORDER BY id);
ANALYZE staged_match;
"""
_SEVERAL = """
SELECT line, item, n, (array_agg(key ORDER BY place))[:%(most)s], count(*) OVER ()
FROM staged_match WHERE n > 1 GROUP BY item, line, n ORDER BY line LIMIT %(listed)s
"""
_RENAME = """
UPDATE {table} s SET item = m.key FROM staged_match m
WHERE m.item = s.item AND m.place = 1 AND (m.n = 1 OR %(takes_first)s)
"""


def find_items_by_text(project: Project, options: LabelOptions, faults: Faults) -> int:
    """Give staged labels the key of the item that has their text. Returns the number of items found.

    If several items have a text, that is a problem, unless the options say that it is the first of them.
    """
    columns = options.columns
    texts = [kind_and_name(name)[1] for name, column in columns.items() if column.role == ITEM_TEXT]
    roles = {column.role for column in columns.values()}
    if not {ITEM, ITEM_TEXT} & roles:
        return 0
    unknown = (_BY_KEY if ITEM in roles else _BY_CONTENT).format(is_new=_IS_NEW)
    takes_first = options.same_texts == "first"
    asked: dict[str, Any] = {"project": project.pk, "texts": texts, "takes_first": takes_first}
    with connection.cursor() as cursor:
        cursor.execute(unknown, asked)
        # Finding the content in all items at once would read them all.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(_MATCH, asked)
        cursor.execute("SET LOCAL enable_seqscan TO DEFAULT")
        cursor.execute(
            "SELECT count(*) FROM staged_match WHERE place = 1 AND (n = 1 OR %(takes_first)s)", asked
        )
        n_found = int(cursor.fetchone()[0])
        for table in ("staged", "staged_content") if n_found else ():
            cursor.execute(_RENAME.format(table=table), asked)
            cursor.execute(f"ANALYZE {table}")
    if not takes_first:
        _gather_several(options, faults)
    return n_found


def _gather_several(options: LabelOptions, faults: Faults) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_SEVERAL, {"most": _MOST_NAMED, "listed": MAX_LISTED})
        rows = cursor.fetchall()
    column = column_with(ITEM, options)
    found = [
        Fault(line, shown(column), shown(item), SEVERAL_ITEMS, _rule(keys, n))
        for line, item, n, keys, _ in rows
    ]
    faults.extend(found, n=rows[0][-1] if rows else 0)


def _rule(keys: Sequence[str], n: int) -> str:
    named = ", ".join(map(shown, keys)) + (f", and {n - len(keys):,} more" if n > len(keys) else "")
    return f"is the text of several items: {named}; use the first of them, or add a column with their keys"
