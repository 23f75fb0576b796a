"""Email reminders to raters with work left in a round: on a lead's request, and once before the deadline."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import connection, transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from core.mail import send_soon
from projects.events import record
from projects.models import Event, Project, Round
from raters.access import refuse_hidden_assignments
from raters.rounds.round_status import WaitingRater, waiting_in
from raters.rounds.states import WrongRoundState, held

# Seconds between checks for rounds whose deadline is near.
EVERY = 60.0
# Minimum time between two reminders.
APART = timedelta(hours=1)
MAX_REMIND_DAYS = 60


@dataclass(frozen=True, slots=True)
class ReminderResult:
    """Names of raters with work left: those emailed, and those without a confirmed address."""

    sent: list[str]
    without_address: list[str]


def remind(round_: Round, *, by: Any, site: str) -> ReminderResult:
    """Email the raters who have work left. site: base URL for links in the emails.

    Raises WrongRoundState, and LabelsHidden if who has work left depends on labels that are hidden from `by`.
    """
    # Before the transaction, which a refusal rolls back: it is logged.
    refuse_hidden_assignments(by, round_)
    with transaction.atomic():
        now = held(round_)
        if not settings.HAS_MAIL:
            raise WrongRoundState("This server cannot send email, so raters can’t be reminded.")
        if now.state != Round.State.OPEN or now.is_paused or now.project.is_closed:
            raise WrongRoundState("Raters are only reminded of a round that is open and not paused.")
        if _was_just_reminded(now):
            raise WrongRoundState("Raters of this round were reminded less than an hour ago.")
        waiting = waiting_in(now)
        if not waiting:
            raise WrongRoundState("No rater has anything left in this round.")
        found = _send(now, waiting, by=by, site=site)
    round_.refresh_from_db()
    return found


_DUE = """
SELECT b.id FROM projects_batch b
JOIN projects_project p ON p.id = b.project_id AND p.state <> 'closed' AND p.deletion_due_at IS NULL
WHERE b.state = 'open' AND b.paused_at IS NULL AND b.due_on >= %(today)s
    AND b.due_on - b.remind_days <= %(today)s AND b.reminded_for IS DISTINCT FROM b.due_on
ORDER BY b.due_on, b.id LIMIT 20
"""


def remind_of_deadlines() -> None:
    """Remind raters of each round whose deadline is near, once per deadline."""
    if not settings.HAS_MAIL:
        return
    today = timezone.localdate()
    with connection.cursor() as cursor:
        cursor.execute(_DUE, {"today": today})
        due = [pk for (pk,) in cursor.fetchall()]
    for pk in due:
        _remind_of_deadline(pk, today)


@transaction.atomic
def _remind_of_deadline(pk: int, today: date) -> None:
    now = Round.objects.select_for_update(skip_locked=True, of=("self",)).filter(pk=pk).first()
    if now is None or not _is_due(now, today):
        # Another worker got there first, or the round was changed; it will be checked again.
        return
    # Saved before sending, so that an email that may have been sent is not sent again.
    now.reminded_for = now.due_on
    now.save(update_fields=["reminded_for"])
    waiting = waiting_in(now)
    if waiting and not _was_just_reminded(now):
        _send(now, waiting, by=None, site=now.site)


def _is_due(round_: Round, today: date) -> bool:
    if round_.state != Round.State.OPEN or round_.is_paused:
        return False
    if round_.due_on is None or round_.remind_days is None or round_.reminded_for == round_.due_on:
        return False
    return round_.due_on - timedelta(days=round_.remind_days) <= today <= round_.due_on


def _was_just_reminded(round_: Round) -> bool:
    return round_.reminded_at is not None and timezone.now() - round_.reminded_at < APART


def _send(round_: Round, waiting: Sequence[WaitingRater], *, by: Any, site: str) -> ReminderResult:
    addresses = EmailAddress.objects.filter(
        user__in=[row.user for row in waiting], user__is_active=True, primary=True, verified=True
    )
    of_user = dict(addresses.values_list("user", "email"))
    mails = [_mail(round_, row, of_user[row.user], site) for row in waiting if row.user in of_user]
    found = ReminderResult(
        [row.key for row in waiting if row.user in of_user],
        [row.key for row in waiting if row.user not in of_user],
    )
    round_.reminded_at = timezone.now()
    round_.save(update_fields=["reminded_at"])
    record(
        Event.Kind.ROUND_REMINDED,
        by=by,
        project=round_.project,
        about=round_.key,
        round=round_.pk,
        raters=[row.rater for row in waiting if row.user in of_user],
        without_address=[row.rater for row in waiting if row.user not in of_user],
        is_automatic=by is None,
    )
    for mail in mails:
        # Only after the record of sending is committed.
        transaction.on_commit(lambda mail=mail: send_soon(mail), robust=True)  # type: ignore[misc]
    return found


def _mail(round_: Round, row: WaitingRater, address: str, site: str) -> EmailMessage:
    project: Project = round_.project
    context = {
        "project": project,
        "round": round_,
        "n": row.n_left,
        "link": site + reverse("label", args=[project.slug]) if site else "",
    }
    # A line break in the name would be rejected as header injection.
    subject = f"Interrater: items left to label in {' '.join(project.name.split())}"
    return EmailMessage(subject, render_to_string("rounds/reminder.txt", context), None, [address])
