"""Events in words."""

from django import template

from core.templatetags.shown import with_article
from projects.models import Event, Membership

register = template.Library()


@register.filter
def event_words(event: Event) -> str:
    """Joined as a rater; Left the project as a rater; Role changed from rater to auditor; …"""
    has_left = event.kind == Event.Kind.MEMBER_REMOVED and event.user_name == event.about
    words = "Left the project" if has_left else str(event.get_kind_display())
    detail = event.detail
    if "old" in detail and "new" in detail:
        words += f" from {_role(detail['old'])} to {_role(detail['new'])}"
    if "role" in detail:
        words += f" as {with_article(_role(detail['role']))}"
    if detail.get("max_uses", 1) > 1:
        words += f", up to {detail['max_uses']} people"
    if isinstance(detail.get("user"), str):
        words += f", {detail['user']}"
    return words


def _role(value: str) -> str:
    return str(dict(Membership.Role.choices).get(value, value)).lower()
