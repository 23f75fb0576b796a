"""Emails of notifications: at once and in a digest, to whom, when, never twice, and what of them can be stopped."""

import smtplib
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.utils import timezone

from core.runs.dispatcher import next_runs
from projects.models import Membership, Project
from raters.models import Notification, NotificationChoice, NotificationMail, User
from raters.notifications.mailing import MOST_LISTED, PAUSES, digest_due, gather_digests
from raters.notifications.notification_kinds import Topic
from raters.notifications.notifying import mark_read, notify
from raters.notifications.preferences import choices_of
from raters.tasks import send_notifications
from tests.raters.notifications.conftest import choose

pytestmark = pytest.mark.django_db

Kind = Notification.Kind
State = NotificationMail.State


class WorkerDiedError(BaseException):
    """As if the process ended there: nothing after it is done."""


class Backend(EmailBackend):
    """What goes wrong with the mail server, and when: before it has an email, or after."""

    on_open: BaseException | None = None
    before: BaseException | None = None
    after: BaseException | None = None

    def open(self):
        if Backend.on_open is not None:
            raise Backend.on_open
        return super().open()

    def send_messages(self, messages):
        if Backend.before is not None:
            raise Backend.before
        n = super().send_messages(messages)
        if Backend.after is not None:
            raise Backend.after
        return n


@pytest.fixture
def breaks(settings, monkeypatch):
    settings.EMAIL_BACKEND = f"{__name__}.Backend"

    def at(where: str, error: BaseException | None) -> None:
        monkeypatch.setattr(Backend, where, error)

    return at


def asked(team):
    notify(Kind.ASKED, team.work.project, [team.lara.pk], subject_id=1)


def send_all():
    """What the workers would do now with the emails that are due."""
    for pk in NotificationMail.objects.due().order_by("pk").values_list("pk", flat=True):
        send_notifications(pk)


def addresses():
    return sorted(message.to[0] for message in mail.outbox)


def of_yesterday():
    """What there is was there before the last digest was due."""
    Notification.objects.update(created_at=digest_due(timezone.localtime()) - timedelta(minutes=5))


def test_at_once(with_addresses):
    asked(with_addresses)
    send_all()

    [message] = mail.outbox
    assert message.to == ["lara@example.org"]
    assert message.subject == f"Interrater: question from a rater in {with_addresses.work.project.name}"
    assert f"https://labels.example.org/p/{with_addresses.work.project.slug}/threads/" in message.body
    assert NotificationMail.objects.get().state == State.DONE
    assert Notification.objects.get().mailed_at is not None
    # Nothing is left for the digest.
    of_yesterday()
    gather_digests()
    send_all()
    assert len(mail.outbox) == 1


def test_a_digest_brings_what_is_unread_once_and_at_its_hour(with_addresses):
    work = with_addresses.work
    choose(with_addresses.lara, "reply", "digest")
    asked(with_addresses)
    notify(Kind.DISPUTES, work.project, [with_addresses.lara.pk, with_addresses.ada.pk])
    gather_digests()
    assert not NotificationMail.objects.exists()

    of_yesterday()
    mark_read(Notification.objects.filter(recipient=with_addresses.ada))
    for _ in range(2):
        gather_digests()
    send_all()

    [message] = mail.outbox
    assert (message.to, message.subject) == (["lara@example.org"], "Interrater: 2 notifications")
    assert "A rater asked a question about an item." in message.body
    assert "Disputes are waiting to be decided." in message.body
    assert NotificationMail.objects.get().is_digest


@pytest.mark.parametrize(
    ("hour", "at", "due"),
    [(7, "06:59", "-1 07:00"), (7, "07:00", "0 07:00"), (0, "00:00", "0 00:00"), (23, "22:00", "-1 23:00")],
)
def test_the_hour_of_the_digest(settings, hour, at, due):
    settings.NOTIFICATION_DIGEST_HOUR = hour
    day, _, time = due.partition(" ")
    morning = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    hours, minutes = (int(part) for part in at.split(":"))

    found = digest_due(morning.replace(hour=hours, minute=minutes))

    assert found == (morning + timedelta(days=int(day))).replace(hour=int(time[:2]))


def test_the_dispatcher_names_both_to_a_worker(with_addresses):
    asked(with_addresses)
    notify(Kind.DISPUTES, with_addresses.work.project, [with_addresses.ada.pk])
    Notification.objects.filter(recipient=with_addresses.ada).update(
        created_at=timezone.now() - timedelta(days=1)
    )
    gather_digests()

    named = [run for run in next_runs() if isinstance(run, NotificationMail)]

    assert {(run.recipient, run.is_digest) for run in named} == {
        (with_addresses.lara, False),
        (with_addresses.ada, True),
    }


def test_what_is_older_than_a_few_days_is_in_no_digest(with_addresses):
    notify(Kind.DISPUTES, with_addresses.work.project, [with_addresses.ada.pk])
    Notification.objects.update(created_at=timezone.now() - timedelta(days=5))

    gather_digests()

    assert not NotificationMail.objects.exists()


def test_a_digest_lists_some_and_counts_the_rest(with_addresses):
    row = {"recipient": with_addresses.ada, "project": with_addresses.work.project, "kind": Kind.DISPUTES}
    Notification.objects.bulk_create(Notification(**row) for _ in range(MOST_LISTED + 5))
    of_yesterday()

    gather_digests()
    send_all()

    [message] = mail.outbox
    assert message.body.count("Disputes are waiting") == MOST_LISTED
    assert "And 5 more" in message.body
    assert "https://labels.example.org/notifications/\n" in message.body


@pytest.mark.parametrize(
    "how", ["left", "deactivated", "not verified", "other role", "read", "stopped", "deleted"]
)
def test_who_gets_no_email_any_more(with_addresses, how):
    lara, project = with_addresses.lara, with_addresses.work.project
    asked(with_addresses)
    match how:
        case "left":
            Membership.objects.filter(user=lara).delete()
        case "deactivated":
            User.objects.filter(pk=lara.pk).update(is_active=False)
        case "not verified":
            EmailAddress.objects.filter(user=lara).update(verified=False)
        case "other role":
            Membership.objects.filter(user=lara).update(role="auditor")
        case "read":
            mark_read(Notification.objects.all())
        case "stopped":
            choose(lara, "reply", "program")
        case "deleted":
            Project.objects.filter(pk=project.pk).update(deletion_due_at=timezone.now())

    send_all()

    assert mail.outbox == []
    assert NotificationMail.objects.get().state == State.CANCELLED
    assert Notification.objects.get().mailed_at is None


def test_without_a_mail_server_nothing_is_queued(full_team):
    asked(full_team)
    of_yesterday()
    gather_digests()

    assert Notification.objects.count() == 1
    assert not NotificationMail.objects.exists()


def test_a_worker_that_dies_before_the_server_has_it_is_made_up_for(with_addresses, breaks):
    asked(with_addresses)
    breaks("on_open", WorkerDiedError())
    with pytest.raises(WorkerDiedError):
        send_all()
    NotificationMail.lose(NotificationMail.objects.get().pk)
    breaks("on_open", None)

    send_all()

    assert addresses() == ["lara@example.org"]


@pytest.mark.parametrize(("where", "n"), [("before", 0), ("after", 1)])
def test_a_worker_that_dies_while_it_hands_over_is_not_followed_by_another_email(
    with_addresses, breaks, where, n
):
    asked(with_addresses)
    breaks(where, WorkerDiedError())
    with pytest.raises(WorkerDiedError):
        send_all()
    NotificationMail.lose(NotificationMail.objects.get().pk)
    breaks(where, None)

    send_all()

    assert len(mail.outbox) == n
    left = NotificationMail.objects.get()
    assert (left.state, bool(left.failure)) == (State.DONE, True)


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("on_open", ConnectionRefusedError()),
        ("on_open", smtplib.SMTPAuthenticationError(535, b"no")),
        ("before", smtplib.SMTPRecipientsRefused({"lara@example.org": (450, b"later")})),
        ("before", smtplib.SMTPDataError(451, b"later")),
    ],
)
def test_what_the_server_refuses_is_tried_again_with_pauses_and_a_limit(with_addresses, breaks, where, error):
    asked(with_addresses)
    breaks(where, error)
    for pause in PAUSES:
        send_all()
        left = NotificationMail.objects.get()
        assert (left.state, left.handed_at) == (State.QUEUED, None)
        assert timedelta(0) < left.due_at - timezone.now() <= timedelta(seconds=pause)
        assert Notification.objects.get().mailed_at is None
        NotificationMail.objects.update(due_at=timezone.now())
    send_all()

    assert NotificationMail.objects.get().state == State.FAILED
    assert mail.outbox == []


def test_after_a_refusal_it_arrives_once(with_addresses, breaks):
    asked(with_addresses)
    breaks("before", smtplib.SMTPDataError(451, b"later"))
    send_all()
    breaks("before", None)
    NotificationMail.objects.update(due_at=timezone.now())

    send_all()

    assert addresses() == ["lara@example.org"]
    assert Notification.objects.get().mailed_at is not None


def test_a_connection_lost_on_the_way_is_not_tried_again(with_addresses, breaks):
    asked(with_addresses)
    breaks("after", smtplib.SMTPServerDisconnected("gone"))

    send_all()

    left = NotificationMail.objects.get()
    assert (left.state, bool(left.failure)) == (State.DONE, True)
    assert len(mail.outbox) == 1


def stop_path(message) -> str:
    header = message.extra_headers["List-Unsubscribe"]
    assert header.startswith("<https://labels.example.org/")
    assert header.endswith(">")
    assert header[1:-1] in message.body
    return urlsplit(header[1:-1]).path


def test_a_link_stops_emails_of_this_topic_without_signing_in(with_addresses):
    asked(with_addresses)
    send_all()
    path = stop_path(mail.outbox[0])
    assert mail.outbox[0].extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    before = choices_of(with_addresses.lara)

    shown = Client().get(path)
    assert shown.status_code == 200
    assert with_addresses.lara.username.encode() not in shown.content
    assert choices_of(with_addresses.lara) == before

    # As a mail program sends it, without a cookie or a token.
    sent = Client(enforce_csrf_checks=True).post(path, {"List-Unsubscribe": "One-Click"})
    assert sent.status_code == 200
    assert choices_of(with_addresses.lara) == before | {"reply": "program"}

    asked(with_addresses)
    send_all()
    assert len(mail.outbox) == 1
    assert Notification.objects.count() == 2


def test_another_button_stops_all_and_turns_nothing_on(with_addresses):
    choose(with_addresses.lara, "guidelines", "off")
    asked(with_addresses)
    send_all()

    Client().post(stop_path(mail.outbox[0]), {"all": "yes"})

    expected = dict.fromkeys((topic.value for topic in Topic), "program") | {"guidelines": "off"}
    assert choices_of(with_addresses.lara) == expected


def test_the_link_of_a_digest_stops_the_digest_alone(with_addresses):
    notify(Kind.DISPUTES, with_addresses.work.project, [with_addresses.ada.pk])
    of_yesterday()
    gather_digests()
    send_all()

    Client().post(stop_path(mail.outbox[0]))

    found = choices_of(with_addresses.ada)
    assert {topic for topic, how in found.items() if how == "at_once"} == {"reply", "alert"}
    assert "digest" not in found.values()


def test_links_that_are_not_ours_or_of_nobody_are_not_found(with_addresses):
    asked(with_addresses)
    send_all()
    path = stop_path(mail.outbox[0])
    assert Client().post(path[:-3] + "xx/").status_code == 404
    User.objects.filter(pk=with_addresses.lara.pk).update(is_active=False)

    assert Client().post(path).status_code == 404

    assert not NotificationChoice.objects.exists()
