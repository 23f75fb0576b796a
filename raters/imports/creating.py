"""Create items, raters, questions, categories, and rounds that are in a file but not in the project."""

from collections import defaultdict
from collections.abc import Mapping

from django.conf import settings
from django.db import connection
from django.db.models import Max

from projects.codebook.imports import value_of
from projects.codebook.versions import store_version
from projects.final_rules import initial_rule
from projects.models import MAX_ANSWER_TEXT, MAX_TEXT, Category, Project, Question, Round
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.imports.new_names import TABLES
from raters.reading.values import in_order

# IDs of created rows, as few ranges as possible; concurrent inserts may leave gaps.
_RANGES = """
WITH made AS ({insert} RETURNING id)
SELECT min(id), max(id) FROM (SELECT id, id - row_number() OVER (ORDER BY id) AS island FROM made) made
GROUP BY island ORDER BY 1
"""
_ITEMS = """
INSERT INTO projects_item (project_id, key, content, attributes)
SELECT %(project)s, s.key, coalesce(described.content, '[]'), coalesce(described.attributes, '{}')
FROM staged_item s LEFT JOIN (
    SELECT DISTINCT ON (item) item, content, attributes FROM staged_content ORDER BY item, line
) described ON described.item = s.key
WHERE s.id IS NULL ORDER BY s.n, s.line
"""
# Fill in empty content and attributes of items; never replace any.
_FILL_ITEMS = """
UPDATE projects_item i SET content = CASE i.content WHEN '[]' THEN described.content ELSE i.content END,
    attributes = CASE i.attributes WHEN '{}' THEN described.attributes ELSE i.attributes END
FROM staged_item s
JOIN (SELECT DISTINCT ON (item) item, content, attributes FROM staged_content ORDER BY item, line) described
    ON described.item = s.key
WHERE i.id = s.id AND (
    (i.content = '[]' AND described.content <> '[]') OR (i.attributes = '{}' AND described.attributes <> '{}')
)
"""
# By name, because pairs of raters are ordered by ID.
_RATERS = """
INSERT INTO raters_rater (project_id, key, kind)
SELECT %(project)s, s.key, coalesce(nullif(k.kind, ''), %(kind)s)
FROM staged_rater s LEFT JOIN staged_kind k ON k.rater = s.key WHERE s.id IS NULL ORDER BY s.key
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


# New questions, with the length of their longest text.
_NEW_QUESTIONS = """
SELECT q.key, q.kind, q.level, (SELECT max(length(s.text)) FROM staged s WHERE s.question = q.key)
FROM staged_question q WHERE q.id IS NULL ORDER BY q.n
"""


# Kind, first ID, and last ID of created rows.
IdRange = tuple[str, int, int]


def create_names(project: Project, options: LabelOptions, prompts: Mapping[str, str]) -> list[IdRange]:
    """Create what is new, and set all IDs in the staged tables. Returns the IDs of new rows.

    prompts: those of questions that the file declares.
    """
    with connection.cursor() as cursor:
        cursor.execute(_FILL_ITEMS)
        cursor.execute(_RANGES.format(insert=_ITEMS), {"project": project.pk})
        ranges = [("item", first, last) for first, last in cursor.fetchall()]
        cursor.execute(_RANGES.format(insert=_RATERS), {"project": project.pk, "kind": options.rater_kind})
        ranges += [("rater", first, last) for first, last in cursor.fetchall()]
        questions = _create_questions(project, prompts)
        rounds = _create_rounds(project)
        for name, table in TABLES.items():
            cursor.execute(_IDS.format(name=name, table=table), {"project": project.pk})
        categories = _create_categories(project, options)
        cursor.execute(_CATEGORY_IDS)
    if questions or categories or rounds:
        store_version(project)
    ranges += [("question", row.pk, row.pk) for row in questions]
    ranges += [("round", row.pk, row.pk) for row in rounds]
    return ranges + [("category", row.pk, row.pk) for row in categories]


def _create_questions(project: Project, prompts: Mapping[str, str]) -> list[Question]:
    before = project.questions.aggregate(last=Max("position"))["last"] or 0
    with connection.cursor() as cursor:
        cursor.execute(_NEW_QUESTIONS)
        new = cursor.fetchall()
    return Question.objects.bulk_create(
        Question(
            project=project,
            key=key,
            prompt=prompts.get(key, "")[:MAX_TEXT],
            kind=kind,
            level=level,
            final_rule=initial_rule(kind, level),
            max_length=MAX_ANSWER_TEXT if (longest or 0) > settings.TEXT_ANSWER_LENGTH else None,
            position=before + place,
        )
        for place, (key, kind, level, longest) in enumerate(new, start=1)
    )


def _create_rounds(project: Project) -> list[Round]:
    before = project.rounds.aggregate(last=Max("position"))["last"] or 0
    return Round.objects.bulk_create(
        Round(project=project, key=key, position=before + place)
        for place, key in enumerate(_new_keys("round"), start=1)
    )


def _create_categories(project: Project, options: LabelOptions) -> list[Category]:
    made: list[Category] = []
    new: dict[str, dict[str, str]] = defaultdict(dict)
    with connection.cursor() as cursor:
        cursor.execute("SELECT question, key, name FROM staged_category WHERE id IS NULL ORDER BY n")
        for question, key, name in cursor.fetchall():
            new[question][key] = name
    for question in project.questions.filter(key__in=new).annotate(last=Max("categories__position")):
        before = -1 if question.last is None else question.last
        names = new[question.key]
        chosen = options.questions.get(question.key, QuestionOptions()).order
        order = [key for key in chosen if key in names]
        order += [key for key in in_order(list(names)) if key not in order]
        made += Category.objects.bulk_create(
            Category(
                question=question,
                key=key,
                name=names[key],
                position=before + place,
                value=value_of(key, question.level),
            )
            for place, key in enumerate(order, start=1)
        )
    return made


def _new_keys(name: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT key FROM staged_{name} WHERE id IS NULL ORDER BY n")
        return [key for (key,) in cursor.fetchall()]
