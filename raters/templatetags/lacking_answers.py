"""Which answers are lacking now, for members who see labels: beside figures that do not know of them."""

from collections.abc import Sequence
from typing import Any

from django import template

from projects.access import rights_in
from projects.models import Project
from projects.roles import Right
from raters.labeling.lacking import Lacking, lacking_in

register = template.Library()


@register.simple_tag(takes_context=True)
def lacking_answers(
    context: Any, project: Project, rounds: Sequence[str] | None = None, question: int | None = None
) -> list[Lacking]:
    """Of the rounds with these keys, or of all; of one question, or of all. Nothing for who is no member."""
    request = context.get("request")
    if request is None or Right.SEE_LABELS not in rights_in(request.user, project):
        return []
    chosen = project.rounds.all() if rounds is None else project.rounds.filter(key__in=rounds)
    found = lacking_in(project, list(chosen.values_list("pk", flat=True)))
    return [each for each in found if question in {None, each.question.pk}]
