"""How many labels have a category treated as missing, for members who may see labels at any time."""

from typing import Any

from django import template

from projects.access import permissions_in
from projects.models import Category
from projects.roles import Permission
from raters.access import also_rates
from raters.merging.actions import n_labels_of

register = template.Library()


@register.simple_tag(takes_context=True)
def n_missing_labels(context: Any, category: Category) -> int | None:
    """Return None for members who may not know it, or not yet: members who also rate are blind in open rounds."""
    user, project = context["request"].user, category.question.project
    if Permission.SEE_LABELS not in permissions_in(user, project) or also_rates(user, project):
        return None
    return n_labels_of(category)
