"""Notifications are written in the transaction of their cause, one for each person concerned."""

from collections.abc import Iterable
from datetime import date
from typing import Any

from django.conf import settings
from django.utils import timezone

from projects.access import AnyUser
from projects.models import Project, Round
from raters.models import Notification, NotificationChoice, NotificationMail
from raters.notifications.notification_kinds import ABOUT, How, kinds_of, members_for
from raters.notifications.preferences import choices_of_users


def notify(
    kind: Notification.Kind,
    project: Project,
    users: Iterable[int | None],
    *,
    by: Any = None,
    round_: Round | None = None,
    subject_id: int | None = None,
    due_on: date | None = None,
    replaces: bool = False,
) -> None:
    """Notify those of these people who may receive it and have not turned it off; never the person who caused it.

    replaces: remove unread, not yet mailed notifications with the same topic, project, and round.
    """
    doer = getattr(by, "pk", None)
    asked = {user for user in users if user is not None and user != doer}
    if not asked:
        return
    recipients = sorted(asked.intersection(members_for(kind, project)))
    choices = choices_of_users(recipients, ABOUT[kind].topic)
    wanting = [user for user in recipients if choices[user] != How.OFF]
    if replaces:
        _give_way(project, round_, wanting, kinds_of(ABOUT[kind].topic))
    mails = _mails(project, [user for user in wanting if choices[user] == How.AT_ONCE])
    Notification.objects.bulk_create(
        Notification(
            recipient_id=user,
            project=project,
            kind=kind,
            round=round_,
            subject_id=subject_id,
            due_on=due_on,
            mail=mails.get(user),
        )
        for user in wanting
    )


def _give_way(project: Project, round_: Round | None, users: list[int], kinds: list[str]) -> None:
    rows = Notification.objects.filter(
        recipient__in=users, project=project, round=round_, kind__in=kinds, read_at=None, mailed_at=None
    )
    waiting = NotificationMail.objects.filter(state=NotificationMail.State.QUEUED, notifications__in=rows)
    pks = list(waiting.exclude(project=None).values_list("pk", flat=True))
    rows.delete()
    NotificationMail.objects.filter(pk__in=pks).delete()


def _mails(project: Project, users: list[int]) -> dict[int, NotificationMail]:
    """Return, by recipient, an email to be sent by a worker."""
    if not users or not settings.HAS_MAIL:
        return {}
    mails = NotificationMail.objects.bulk_create(
        NotificationMail(recipient_id=user, project=project) for user in users
    )
    mails[0].notify()
    return {mail.recipient_id: mail for mail in mails}


def mark_report_read(report_id: int, *, by: AnyUser) -> None:
    """Mark what notified this person of the report as read, because they have opened it."""
    kinds = kinds_of(NotificationChoice.Topic.REPORT)
    found = Notification.objects.filter(recipient=by.pk, kind__in=kinds, subject_id=report_id, read_at=None)
    # Without any, which is nearly always so, nothing is written.
    if found.exists():
        mark_read(found)


def mark_read(notifications: Any) -> int:
    """Mark these as read; return how many were unread."""
    n: int = notifications.filter(read_at=None).update(read_at=timezone.now())
    return n
