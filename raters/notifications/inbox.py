"""The notifications that a person may still see."""

from django.db.models import Q, QuerySet

from projects.access import AnyUser
from raters.models import Notification
from raters.notifications.notification_kinds import ABOUT, roles_for

# Above this, the header shows no exact number.
MOST_COUNTED = 100


def notifications_of(user: AnyUser) -> QuerySet[Notification]:
    """Return notifications from projects the person is a member of, with a role that may see them; newest first."""
    may_see = Q()
    for kind in ABOUT:
        may_see |= Q(kind=kind, project__memberships__role__in=roles_for(kind))
    rows = Notification.objects.filter(
        may_see,
        recipient=user.pk,
        project__memberships__user=user.pk,
        project__deletion_due_at=None,
    )
    return rows.select_related("project", "round").order_by("-id")


def n_unread(user: AnyUser) -> int:
    """Return the number of unread notifications, up to MOST_COUNTED."""
    return notifications_of(user).filter(read_at=None).order_by()[:MOST_COUNTED].count()
