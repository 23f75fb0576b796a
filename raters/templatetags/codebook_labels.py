"""How many labels the codebook concerns, for members who may see labels at any time."""

from typing import Any

from django import template
from django.db import connection

from projects.access import permissions_in
from projects.codebook.number_rules import sql_forbidden
from projects.models import Category, Project, Question
from projects.roles import Permission
from raters.access import also_rates
from raters.merging.actions import n_labels_of

register = template.Library()
# The rules are parameters, because those of a draft are not in the database.
_FORBIDDEN = f"""
SELECT count(*)
FROM raters_label l, (
    SELECT %(minimum)s::float8 AS minimum, %(maximum)s::float8 AS maximum, %(is_whole)s::boolean AS is_whole,
        %(step)s::float8 AS step, %(missing_values)s::float8[] AS missing_values
) asked
WHERE l.question_id = %(question)s AND l.number IS NOT NULL AND {sql_forbidden("l.number", "asked")}
"""  # noqa: S608


@register.simple_tag(takes_context=True)
def n_missing_labels(context: Any, category: Category) -> int | None:
    """Return how many labels have a category; None for those who may not know it."""
    return n_labels_of(category) if _may_know(context, category.question.project) else None


@register.simple_tag(takes_context=True)
def n_forbidden_labels(context: Any, question: Question) -> int:
    """Return how many numbers raters could not enter by the rules of the question; 0 for those who may not know it."""
    if not question.number_rule or not _may_know(context, question.project):
        return 0
    names = ("minimum", "maximum", "is_whole", "step", "missing_values")
    with connection.cursor() as cursor:
        cursor.execute(
            _FORBIDDEN, {"question": question.pk} | {name: getattr(question, name) for name in names}
        )
        return int(cursor.fetchone()[0])


def _may_know(context: Any, project: Project) -> bool:
    """Members who also rate are blind in open rounds."""
    user = context["request"].user
    return Permission.SEE_LABELS in permissions_in(user, project) and not also_rates(user, project)
