"""Notification emails: collected into a daily digest or sent immediately, and no notification mailed twice.

An email is marked in its own transaction before it is handed to the mail server. If the worker dies after that, the
email may or may not have been sent, and is not sent again: the notification is in the app in any case.
"""

import smtplib
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from core.runs.lease import Lease, RunLost
from raters.models import Notification, NotificationChoice, NotificationMail
from raters.notifications.inbox import notifications_of
from raters.notifications.notification_kinds import (
    ABOUT,
    DEFAULTS,
    How,
    Topic,
    kinds_of,
    path_of,
    sentence_of,
    subject_of,
)
from raters.notifications.preferences import DIGEST, MAILED, choices_of, stop_address

# Seconds between checks for due digests, and how many are created per check.
EVERY = 60.0
MOST_DIGESTS = 200
# Notifications not mailed by then, for example because a person wanted no email, are never mailed.
DIGEST_COVERS = timedelta(days=3)
MOST_LISTED = 100
# Seconds between attempts: six attempts in about half a day.
PAUSES = (60, 5 * 60, 30 * 60, 2 * 3600, 8 * 3600)
REFUSED = "The mail server refused the email or could not be reached ({error})."
UNCERTAIN = "The mail server may have the email or not ({error}), so it was not sent again."


def gather_digests() -> None:
    """Queue a digest for each person with unread notifications from before the digest hour."""
    if not settings.HAS_MAIL:
        return
    until = digest_due(timezone.localtime())
    people = _for_digest(until).order_by("recipient").values_list("recipient", flat=True).distinct()
    for person in people[:MOST_DIGESTS]:
        _gather(person, until)


def digest_due(now: datetime) -> datetime:
    """Return when the last digest was due, in server time."""
    today = now.replace(hour=settings.NOTIFICATION_DIGEST_HOUR, minute=0, second=0, microsecond=0)
    return today if today <= now else today - timedelta(days=1)


def _for_digest(until: datetime) -> QuerySet[Notification]:
    chosen = NotificationChoice.objects.filter(user=OuterRef("recipient"))
    wanted = Q()
    for topic in Topic:
        wants = Q(Exists(chosen.filter(topic=topic, how=How.DIGEST)))
        if DEFAULTS[topic] == How.DIGEST:
            wants |= Q(~Exists(chosen.filter(topic=topic)))
        wanted |= Q(wants, kind__in=kinds_of(topic))
    return Notification.objects.filter(
        wanted,
        mail=None,
        read_at=None,
        created_at__lt=until,
        created_at__gte=until - DIGEST_COVERS,
        recipient__is_active=True,
        recipient__in=_confirmed().values("user"),
    )


@transaction.atomic
def _gather(person: int, until: datetime) -> None:
    rows = list(_for_digest(until).filter(recipient=person).select_for_update(of=("self",)))
    if rows:
        mail = NotificationMail.objects.create(recipient_id=person)
        Notification.objects.filter(pk__in=[row.pk for row in rows]).update(mail=mail)
        mail.notify()


def _confirmed() -> "QuerySet[EmailAddress]":
    return EmailAddress.objects.filter(primary=True, verified=True)


def send(lease: Lease[NotificationMail]) -> None:
    """Send the leased email, unless nothing is left to send or an earlier attempt may have sent it."""
    mail = lease.run
    if mail.handed_at is not None:
        _end(mail.finish(failure=UNCERTAIN.format(error="the worker stopped")))
        return
    address = _confirmed().filter(user=mail.recipient, user__is_active=True).first()
    rows = _still_wanted(mail)
    if address is None or not rows or not settings.HAS_MAIL:
        mail.cancel()
        return
    message = _message(mail, rows, address.email)
    try:
        server = get_connection()
        server.open()
    except (OSError, smtplib.SMTPException) as error:
        _try_later(mail, error)
        return
    _hand_over(mail, server, message, rows)


def _still_wanted(mail: NotificationMail) -> list[Notification]:
    """Return the notifications that the recipient has not read, may still see, and has not unsubscribed from since."""
    chosen = choices_of(mail.recipient)
    kinds = kinds_of(*(topic for topic, how in chosen.items() if how in MAILED))
    rows = notifications_of(mail.recipient).filter(mail=mail, read_at=None, kind__in=kinds)
    return list(rows.order_by("project__name", "project", "pk"))


def _hand_over(
    mail: NotificationMail, server: BaseEmailBackend, message: EmailMessage, rows: list[Notification]
) -> None:
    with transaction.atomic():
        _end(mail.record(handed_at=Now(), n_tries=mail.n_tries + 1))
        Notification.objects.filter(pk__in=[row.pk for row in rows]).update(mailed_at=Now())
    try:
        server.send_messages([message])
    except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused) as error:
        # The server refused the email, so it was not sent.
        _return_to_queue(mail, error)
    except (OSError, smtplib.SMTPException) as error:
        _end(mail.finish(failure=UNCERTAIN.format(error=_name(error))))
    else:
        _end(mail.finish(failure=""))
    finally:
        _close(server)


@transaction.atomic
def _return_to_queue(mail: NotificationMail, error: Exception) -> None:
    mail.notifications.update(mailed_at=None)
    _end(mail.record(handed_at=None))
    # It was already counted when it was handed over.
    _end(_postponed(mail, error, n_tries=mail.n_tries + 1))


def _try_later(mail: NotificationMail, error: Exception) -> None:
    _end(_postponed(mail, error, n_tries=mail.n_tries + 1))


def _postponed(mail: NotificationMail, error: Exception, *, n_tries: int) -> bool:
    failure = REFUSED.format(error=_name(error))
    if n_tries > len(PAUSES):
        return mail.record(n_tries=n_tries) and mail.fail(failure)
    return mail.postpone(PAUSES[n_tries - 1], failure=failure, n_tries=n_tries)


def _end(is_ours: bool) -> None:
    if not is_ours:
        raise RunLost


def _close(server: BaseEmailBackend) -> None:
    """Close the connection; an error at this point does not affect the emails already accepted."""
    try:
        server.close()
    except (OSError, smtplib.SMTPException):
        return


def _name(error: Exception) -> str:
    """Return the name of the error without the server's message, which may quote the email."""
    return type(error).__name__


def _message(mail: NotificationMail, rows: list[Notification], address: str) -> EmailMessage:
    what = DIGEST if mail.is_digest else ABOUT[rows[0].kind].topic
    stop = stop_address(mail.recipient, what)
    context = {
        "lines": [
            (row.project.name, sentence_of(row), settings.SITE_URL + path_of(row))
            for row in rows[:MOST_LISTED]
        ],
        "n_more": max(0, len(rows) - MOST_LISTED),
        "list": settings.SITE_URL + reverse("notifications"),
        "is_digest": mail.is_digest,
        "topic": "" if mail.is_digest else Topic(what).label,
        "stop": stop,
    }
    return EmailMessage(
        _digest_subject(len(rows)) if mail.is_digest else subject_of(rows[0]),
        render_to_string("notifications/mail.txt", context),
        None,
        [address],
        # RFC 8058: a mail program may show an unsubscribe button.
        headers={
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            # The server should not receive auto-replies such as out-of-office messages.
            "Auto-Submitted": "auto-generated",
        },
    )


def _digest_subject(n: int) -> str:
    return f"Interrater: {n} notification{'' if n == 1 else 's'}"
