"""Notify raters with work left in a round that is due within a day, once per deadline."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from projects.models import Project, Round
from raters.models import Notification
from raters.notifications.causes import users_with_work
from raters.notifications.notifying import notify

Kind = Notification.Kind
# Seconds between runs.
EVERY = 60.0


def notify_of_deadlines() -> None:
    today = timezone.localdate()
    due = Round.objects.filter(
        state=Round.State.OPEN,
        paused_at=None,
        due_on__range=(today, today + timedelta(days=1)),
        project__deletion_due_at=None,
    )
    for round_ in due.exclude(project__state=Project.State.CLOSED).select_related("project"):
        _notify(round_)


@transaction.atomic
def _notify(round_: Round) -> None:
    notified = Notification.objects.filter(kind=Kind.DEADLINE, round=round_, due_on=round_.due_on)
    users = set(users_with_work(round_)) - set(notified.values_list("recipient", flat=True))
    notify(Kind.DEADLINE, round_.project, users, round_=round_, due_on=round_.due_on)
