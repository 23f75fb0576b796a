"""Find which items, raters, questions, categories, and rounds of staged labels exist and which are new."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection

from projects.models import Project
from raters.imports.label_options import QuestionOptions

_FIRST = 5

_NAMED = """
CREATE TEMPORARY TABLE staged_{name} ON COMMIT DROP AS
SELECT s.{name} AS key, s.line, s.n, known.id
FROM (
    SELECT {name}, min(line) AS line, min(n) AS n FROM ({rows}) rows WHERE {name} IS NOT NULL GROUP BY {name}
) s
LEFT JOIN {table} known ON known.project_id = %(project)s AND known.key = s.{name};
"""
# Includes items that the file describes but that have no labels.
_ITEMS = (
    "SELECT item, line, n FROM staged UNION ALL SELECT item, line, 9223372036854775807 FROM staged_content"
)
_ASKED = """
ALTER TABLE staged_question ADD kind text, ADD level text;
UPDATE staged_question s SET kind = known.kind, level = known.level FROM projects_question known WHERE known.id = s.id
"""
TABLES = {
    "item": "projects_item",
    "rater": "raters_rater",
    "question": "projects_question",
    "round": "projects_batch",
}


@dataclass(frozen=True, slots=True)
class NewNames:
    """Names in a file that the project does not have: their number, and the first few."""

    n: int
    first: list[str]


def create_name_tables(project: Project, questions: Mapping[str, QuestionOptions]) -> None:
    """Create the temporary tables staged_item, _rater, _question, and _round.

    questions: options of new questions.
    """
    named = "".join(
        _NAMED.format(name=name, table=table, rows=_ITEMS if name == "item" else "SELECT * FROM staged")
        for name, table in TABLES.items()
    )
    with connection.cursor() as cursor:
        cursor.execute(named + _ASKED, {"project": project.pk})
        cursor.executemany(
            "UPDATE staged_question SET kind = %s, level = %s WHERE key = %s AND id IS NULL",
            [(question.kind, question.level, key) for key, question in questions.items()],
        )
        cursor.execute("".join(f"ANALYZE staged_{name};" for name in TABLES))


def new_names() -> dict[str, NewNames]:
    """Return the new names of each kind, in order of first appearance."""
    return {name: _new(name, "key") for name in TABLES} | {
        "category": _new("category", "question || ': ' || key")
    }


def n_new_raters_without_type() -> int:
    """Return the number of new raters whose type neither their file nor their column says."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM staged_rater WHERE id IS NULL AND key NOT IN (SELECT rater FROM staged_kind)"
        )
        return int(cursor.fetchone()[0])


def _new(name: str, shown_as: str) -> NewNames:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM staged_{name} WHERE id IS NULL")
        n = cursor.fetchone()[0]
        cursor.execute(f"SELECT {shown_as} FROM staged_{name} WHERE id IS NULL ORDER BY n LIMIT {_FIRST}")
        return NewNames(n, [key for (key,) in cursor.fetchall()])
