"""What a member of a project still has to label."""

from django import template

from projects.models import Membership, Round
from raters.models import Assignment

register = template.Library()


@register.simple_tag
def open_assignments(member: Membership) -> int:
    """Return how many of the member's assignments are pending in open rounds."""
    pending = Assignment.objects.filter(state=Assignment.State.PENDING, round__state=Round.State.OPEN)
    return pending.filter(rater__project=member.project_id, rater__user=member.user_id).count()
