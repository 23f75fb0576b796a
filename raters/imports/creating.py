"""Items, raters, questions, categories and rounds that a file names and the project does not have yet."""

from collections import defaultdict
from decimal import Decimal

from django.db import connection
from django.db.models import Max

from projects.codebook.imports import NUMBER, value_of
from projects.models import Category, Project, Question, Round
from raters.imports.new_names import TABLES
from raters.imports.options import LabelOptions

_ITEMS = """
INSERT INTO projects_item (project_id, key, content)
SELECT %(project)s, key, '[]' FROM staged_item WHERE id IS NULL ORDER BY n
"""
# By name, because the raters of a pair stand in the order of their ids.
_RATERS = """
INSERT INTO raters_rater (project_id, key, kind)
SELECT %(project)s, key, %(kind)s FROM staged_rater WHERE id IS NULL ORDER BY key
"""
_IDS = """
UPDATE staged_{name} s SET id = known.id
FROM {table} known
WHERE known.project_id = %(project)s AND known.key = s.key AND s.id IS NULL;
ANALYZE staged_{name};
"""
_CATEGORY_IDS = """
UPDATE staged_category s SET id = c.id
FROM staged_question q JOIN projects_category c ON c.question_id = q.id
WHERE q.key = s.question AND c.key = s.key AND s.id IS NULL;
ANALYZE staged_category;
"""


def create_names(project: Project, options: LabelOptions) -> None:
    """Create what is new, and note the ids of all in the staged tables."""
    with connection.cursor() as cursor:
        cursor.execute(_ITEMS, {"project": project.pk})
        cursor.execute(_RATERS, {"project": project.pk, "kind": options.rater_kind})
        _create_questions(project, options)
        _create_rounds(project)
        for name, table in TABLES.items():
            cursor.execute(_IDS.format(name=name, table=table), {"project": project.pk})
        _create_categories(project)
        cursor.execute(_CATEGORY_IDS)


def in_order(keys: list[str]) -> list[str]:
    """The order of new categories: by size if all are numbers, else as they come."""
    if all(NUMBER.fullmatch(key) for key in keys):
        return sorted(keys, key=Decimal)
    return keys


def _create_questions(project: Project, options: LabelOptions) -> None:
    before = project.questions.aggregate(last=Max("position"))["last"] or 0
    Question.objects.bulk_create(
        Question(
            project=project,
            key=key,
            kind=options.question_kind,
            level=options.level,
            position=before + place,
        )
        for place, key in enumerate(_new_keys("question"), start=1)
    )


def _create_rounds(project: Project) -> None:
    before = project.rounds.aggregate(last=Max("position"))["last"] or 0
    Round.objects.bulk_create(
        Round(project=project, key=key, position=before + place)
        for place, key in enumerate(_new_keys("round"), start=1)
    )


def _create_categories(project: Project) -> None:
    new: dict[str, list[str]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute("SELECT question, key FROM staged_category WHERE id IS NULL ORDER BY n")
        for question, key in cursor.fetchall():
            new[question].append(key)
    for question in project.questions.filter(key__in=new).annotate(last=Max("categories__position")):
        before = -1 if question.last is None else question.last
        Category.objects.bulk_create(
            Category(question=question, key=key, position=before + place, value=value_of(key, question.level))
            for place, key in enumerate(in_order(new[question.key]), start=1)
        )


def _new_keys(name: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT key FROM staged_{name} WHERE id IS NULL ORDER BY n")
        return [key for (key,) in cursor.fetchall()]
