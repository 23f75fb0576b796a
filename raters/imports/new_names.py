"""The items, raters, questions, categories and rounds that staged labels name: which exist, and which are new."""

from dataclasses import dataclass

from django.db import connection

from projects.models import Project
from raters.imports.options import LabelOptions

_FIRST = 5

_NAMED = """
CREATE TEMPORARY TABLE staged_{name} ON COMMIT DROP AS
SELECT s.{name} AS key, s.line, s.n, known.id
FROM (
    SELECT {name}, min(line) AS line, min(n) AS n FROM staged WHERE {name} IS NOT NULL GROUP BY {name}
) s
LEFT JOIN {table} known ON known.project_id = %(project)s AND known.key = s.{name};
"""
# Every way of answering that the file holds, except numbers, and the categories it is made of.
_ANSWERS = """
CREATE TEMPORARY TABLE staged_answer ON COMMIT DROP AS
SELECT question, label, min(line) AS line, min(n) AS n, NULL::bigint AS category_id, NULL::bigint[] AS category_set
FROM staged WHERE number IS NULL GROUP BY question, label;

CREATE TEMPORARY TABLE staged_category ON COMMIT DROP AS
SELECT a.question, part.key, min(a.line) AS line, min(a.n) AS n,
    -- What was merged into another category means that one now.
    min(coalesce(c.merged_into_id, c.id)) AS id
FROM staged_answer a
JOIN staged_question q ON q.key = a.question
LEFT JOIN projects_question known ON known.id = q.id
CROSS JOIN LATERAL unnest(
    CASE coalesce(known.kind, %(new_kind)s) WHEN 'multiple' THEN string_to_array(a.label, '|') ELSE ARRAY[a.label] END
) AS part (key)
LEFT JOIN projects_category c ON c.question_id = q.id AND c.key = part.key
GROUP BY a.question, part.key;
"""
TABLES = {
    "item": "projects_item",
    "rater": "raters_rater",
    "question": "projects_question",
    "round": "projects_batch",
}


@dataclass(frozen=True, slots=True)
class New:
    """What a file brings that the project does not have: how many, and the first few."""

    n: int
    first: list[str]


def gather_names(project: Project, options: LabelOptions) -> None:
    """Make the tables staged_item, _rater, _question, _round, _answer and _category of this transaction."""
    named = "".join(_NAMED.format(name=name, table=table) for name, table in TABLES.items())
    analyze = "".join(f"ANALYZE staged_{name};" for name in (*TABLES, "answer", "category"))
    with connection.cursor() as cursor:
        cursor.execute(named + _ANSWERS, {"project": project.pk, "new_kind": options.question_kind})
        cursor.execute(analyze)


def new_names() -> dict[str, New]:
    """The new names of each sort, in the order of first appearance."""
    return {name: _new(name, "key") for name in TABLES} | {
        "category": _new("category", "question || ': ' || key")
    }


def _new(name: str, shown_as: str) -> New:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM staged_{name} WHERE id IS NULL")
        n = cursor.fetchone()[0]
        cursor.execute(f"SELECT {shown_as} FROM staged_{name} WHERE id IS NULL ORDER BY n LIMIT {_FIRST}")
        return New(n, [key for (key,) in cursor.fetchall()])
