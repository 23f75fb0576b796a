"""Which answers are missing, for members who see labels: shown next to figures that ignore them."""

from collections.abc import Sequence
from typing import Any

from django import template

from projects.access import permissions_in
from projects.models import Project
from projects.roles import Permission
from raters.figures.stored_figures import FiguresNotComputed
from raters.labeling.missing_answers import MissingAnswers, missing_answers_for

register = template.Library()


@register.simple_tag(takes_context=True)
def missing_answers(
    context: Any, project: Project, rounds: Sequence[str] | None = None, question: int | None = None
) -> list[MissingAnswers]:
    """Return missing answers in rounds with these keys or all, and for one question or all; none for nonmembers.

    Those of a large project are stored ones. If there are none yet, the page does not wait for them.
    """
    request = context.get("request")
    if request is None or Permission.SEE_LABELS not in permissions_in(request.user, project):
        return []
    chosen = project.rounds.all() if rounds is None else project.rounds.filter(key__in=rounds)
    try:
        found = missing_answers_for(project, list(chosen.values_list("pk", flat=True)), by=request.user)
    except FiguresNotComputed:
        return []
    return [each for each in found if question in {None, each.question.pk}]
