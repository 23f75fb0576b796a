"""Checks across all rows of a file, in SQL on the staged labels."""

from django.db import connection

from core.tables.faults import MAX_LISTED, Faults, shown
from projects.codebook.conditions import in_words
from projects.codebook.imports import NUMBER
from projects.codebook.number_rules import sql_forbidden
from projects.imports.folding import folded
from projects.models import Project, Question
from raters.imports.fault_columns import FaultyCell, column_with, faults_in
from raters.imports.label_options import LabelOptions
from raters.imports.values import MOST_CATEGORIES

# Above these limits, most likely the wrong column was chosen.
MOST = {"question": 500, "category": MOST_CATEGORIES, "round": 1_000, "rater": 100_000}
_TWICE = """
SELECT line, rater, label, 'already labeled by ' || rater || ' on line ' || first_line
    || '; choose which label to keep'
FROM (
    SELECT line, rater, coalesce(label, number::text, text, 'cannot tell') AS label, n,
        min(line) OVER same AS first_line, row_number() OVER same AS place
    FROM staged JOIN (
        SELECT item, rater, question, round, pass FROM staged
        GROUP BY item, rater, question, round, pass HAVING count(*) > 1
    ) twice USING (item, rater, question)
    WHERE staged.round IS NOT DISTINCT FROM twice.round AND staged.pass IS NOT DISTINCT FROM twice.pass
    WINDOW same AS (PARTITION BY item, rater, question, staged.round, staged.pass ORDER BY n)
) s
WHERE place > 1
"""
_UNDECLARED = """
SELECT s.line, s.rater, s.{name}, {rule}
FROM staged s JOIN staged_{name} known ON known.key = s.{name}
WHERE known.id IS NULL
"""
_UNDECLARED_CATEGORY = """
SELECT s.line, s.rater, s.label,
    'unknown category of ' || s.question || coalesce('; must be one of: ' || declared.keys, '')
FROM staged s
JOIN (
    SELECT DISTINCT a.question, a.label FROM staged_answer a
    JOIN staged_category c ON c.question = a.question AND c.id IS NULL AND c.key = ANY (a.keys)
) unknown USING (question, label)
JOIN staged_question q ON q.key = s.question
LEFT JOIN LATERAL (
    SELECT string_agg(key, ', ' ORDER BY position) AS keys
    FROM (SELECT key, position FROM projects_category WHERE question_id = q.id AND merged_into_id IS NULL
        ORDER BY position LIMIT 12) few
) declared ON true
"""
# Keys that look the same but differ would split the labels of one item or rater.
_CONFUSABLE = """
WITH fresh AS (SELECT key, line, n, {scope} AS scope, {fold} AS folded FROM staged_{name} WHERE id IS NULL),
others AS (
    SELECT key, line, n, scope, folded FROM fresh
    UNION ALL
    SELECT o.key, 0, 0, {other_scope}, {other_fold} FROM {others} AND EXISTS (SELECT FROM fresh)
)
SELECT DISTINCT ON (fresh.n, fresh.key) fresh.line, fresh.key, fresh.key,
    'differs from "' || others.key
    || CASE others.line WHEN 0 THEN '" in the project' ELSE '" on line ' || others.line END
    || ' only by case or Unicode form; use the same spelling'
FROM fresh JOIN others USING (scope, folded)
WHERE others.key <> fresh.key AND (others.n, others.key) < (fresh.n, fresh.key)
"""
# Reports use the values of categories on numeric scales, so they must differ.
_EQUAL_VALUES = """
WITH fresh AS (
    SELECT c.question, c.key, c.line, c.n, CASE WHEN c.key ~ %(number)s THEN c.key::float8 END AS value
    FROM staged_category c JOIN staged_question q ON q.key = c.question
    WHERE c.id IS NULL AND q.level IN ('interval', 'ratio')
), others AS (
    SELECT question, key, line, n, value FROM fresh
    UNION ALL
    SELECT q.key, o.key, 0, 0, o.value FROM projects_category o JOIN projects_question q ON q.id = o.question_id
    WHERE q.project_id = %(project)s AND o.merged_into_id IS NULL
)
SELECT DISTINCT ON (fresh.n, fresh.key) fresh.line, fresh.key, fresh.key,
    'has the same value as "' || others.key
    || CASE others.line WHEN 0 THEN '" in the project' ELSE '" on line ' || others.line END
FROM fresh JOIN others USING (question, value)
WHERE others.key <> fresh.key AND (others.n, others.key) < (fresh.n, fresh.key)
"""
# A source ID identifies a label, and the item of a label never changes.
_MOVED = """
SELECT s.line, s.rater, s.source_id,
    'already the id of this rater’s label for item "' || known.key || '"; a label can’t move to another item'
FROM staged s
JOIN staged_rater r ON r.key = s.rater
JOIN staged_question q ON q.key = s.question
JOIN raters_label l ON l.rater_id = r.id AND l.question_id = q.id AND l.source_id = s.source_id AND l.source_id <> ''
JOIN projects_item known ON known.id = l.item_id
WHERE s.source_id <> '' AND known.key <> s.item
"""
_FORBIDDEN = f"""
SELECT s.line, s.rater, s.number::text, %(rule)s
FROM staged s JOIN projects_question q ON q.key = s.question AND q.project_id = %(project)s
WHERE s.question = %(question)s AND s.number IS NOT NULL AND {sql_forbidden("s.number", "q")}
"""
_TOO_LONG = """
SELECT s.line, s.rater, s.text, %(rule)s FROM staged s
WHERE s.question = %(question)s AND length(s.text) > %(most)s
"""
# For conditional questions: the label of the other question, in the file or else in the project, must be one for which
# this question is asked.
_NOT_ASKED = """
SELECT s.line, s.rater, coalesce(s.label, s.number::text, s.text, 'cannot tell'), %(rule)s
FROM staged s
WHERE s.question = %(question)s AND NOT CASE
    WHEN EXISTS (SELECT FROM staged p WHERE p.question = %(parent)s AND {same}) THEN EXISTS (
        SELECT FROM staged p JOIN staged_answer a ON a.question = p.question AND a.label = p.label
        WHERE p.question = %(parent)s AND {same} AND a.keys && %(categories)s::text[]
    )
    ELSE EXISTS (
        SELECT FROM raters_label l
        JOIN projects_item i ON i.id = l.item_id JOIN raters_rater r ON r.id = l.rater_id
        JOIN projects_question q ON q.id = l.question_id
        JOIN projects_category c ON c.question_id = q.id
            AND (c.id = l.category_id OR c.id = ANY (l.category_set))
        WHERE q.project_id = %(project)s AND q.key = %(parent)s AND i.key = s.item AND r.key = s.rater
            AND i.project_id = q.project_id AND r.project_id = q.project_id
            AND (s.pass IS NULL OR s.pass::int = l.pass_number)
            AND c.key = ANY (%(categories)s::text[])
    )
END
""".format(
    same="p.item = s.item AND p.rater = s.rater AND p.round IS NOT DISTINCT FROM s.round"
    " AND p.pass IS NOT DISTINCT FROM s.pass"
)
_OTHERS = {
    "item": "projects_item o WHERE o.project_id = %(project)s",
    "rater": "raters_rater o WHERE o.project_id = %(project)s",
    "question": "projects_question o WHERE o.project_id = %(project)s",
    "round": "projects_batch o WHERE o.project_id = %(project)s",
    "category": (
        "projects_category o JOIN projects_question q ON q.id = o.question_id WHERE q.project_id = %(project)s"
    ),
}


def check_staged(
    project: Project, options: LabelOptions, faults: Faults, *, has_source_ids: bool = False
) -> None:
    """Collect the faults that only show in the whole file."""
    checks = _StagedChecks(project, options, faults)
    checks.repeated()
    checks.undeclared()
    checks.too_many()
    checks.confusable()
    checks.equal_values()
    checks.numbers()
    checks.texts()
    checks.unasked()
    if has_source_ids:
        checks.moved()


class _StagedChecks:
    def __init__(self, project: Project, options: LabelOptions, faults: Faults) -> None:
        self.project, self.options, self.faults = project, options, faults

    def repeated(self) -> None:
        self._gather(_TWICE, "label", "duplicate_label")

    def undeclared(self) -> None:
        closed, declared_only = self.project.is_codebook_closed, self.options.declared_only
        if not closed and not declared_only:
            return
        self._gather(_UNDECLARED_CATEGORY, "label", "unknown_category")
        for name in ("question", "rater"):
            self._gather(_undeclared(name), name, f"unknown_{name}")
        if declared_only:
            for name in ("item", "round"):
                self._gather(_undeclared(name), name, f"unknown_{name}")

    def too_many(self) -> None:
        with connection.cursor() as cursor:
            for name in ("question", "round", "rater"):
                cursor.execute(f"SELECT count(*) FROM staged_{name}")
                self._refuse_above(MOST[name], cursor.fetchone()[0], name, f"{name}s")
            cursor.execute("SELECT question, count(*) FROM staged_category GROUP BY question")
            for question, n in cursor.fetchall():
                self._refuse_above(MOST["category"], n, "label", f"categories of {shown(question)}")

    def confusable(self) -> None:
        for name, others in _OTHERS.items():
            is_category = name == "category"
            sql = _CONFUSABLE.format(
                name=name,
                others=others,
                fold=folded("key"),
                other_fold=folded("o.key"),
                scope="question" if is_category else "''",
                other_scope="q.key" if is_category else "''",
            )
            self._gather(sql, "label" if is_category else name, "confusable_id")

    def equal_values(self) -> None:
        self._gather(_EQUAL_VALUES, "label", "equal_values")

    def numbers(self) -> None:
        """Check numbers against the codebook's limits for raters."""
        for question in self.project.questions.filter(kind=Question.Kind.NUMBER):
            if rule := question.number_rule:
                self._gather(
                    _FORBIDDEN, "label", "out_of_range", question=question.key, rule=f"must be {rule}"
                )

    def texts(self) -> None:
        """Check texts against the codebook's maximum length."""
        for question in self.project.questions.filter(kind=Question.Kind.TEXT):
            most = question.most_characters
            rule = f"must have at most {most:,} characters"
            self._gather(_TOO_LONG, "label", "too_long", question=question.key, rule=rule, most=most)

    def unasked(self) -> None:
        """Check that there are no labels for questions that the rater was not asked; statistics must not count them."""
        questions = list(self.project.questions.all())
        for question in questions:
            if question.asked_if_question:
                condition = in_words(question, questions)
                self._gather(
                    _NOT_ASKED,
                    "label",
                    "not_asked",
                    question=question.key,
                    parent=question.asked_if_question,
                    categories=question.asked_if_categories,
                    rule=f"a{condition[1:]}, which this rater did not choose for this item",
                )

    def moved(self) -> None:
        self._gather(_MOVED, "source_id", "source_id_moved")

    def _refuse_above(self, most: int, n: int, column: str, things: str) -> None:
        if n > most:
            rule = f"{n:,} different {things}, but at most {most:,} are allowed; is the right column chosen?"
            self.faults.add(0, column_with(column, self.options), "", "too_many_names", rule)

    def _gather(self, sql: str, role: str, code: str, **more: str | int | list[str]) -> None:
        """Collect faults from rows of (line, rater, value, rule)."""
        sql = f"SELECT f.*, count(*) OVER () FROM ({sql}) f (line, rater, value, rule) ORDER BY line LIMIT {MAX_LISTED}"
        with connection.cursor() as cursor:
            cursor.execute(sql, {**self._params, **more})
            rows = cursor.fetchall()
        cells = [(FaultyCell(line, rater, value), rule) for line, rater, value, rule, _ in rows]
        self.faults.extend(faults_in(role, cells, code, self.options), n=rows[0][-1] if rows else 0)

    @property
    def _params(self) -> dict[str, str | int]:
        return {
            "project": self.project.pk,
            "number": f"^{NUMBER.pattern}$",
        }


def _undeclared(name: str) -> str:
    rule = f"'unknown {name}, and this import can’t create new ones'"
    return _UNDECLARED.format(name=name, rule=rule)
