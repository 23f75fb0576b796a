"""Reminders: to whom they go, when, and that nobody gets one twice."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.utils import timezone

from projects.models import Event, Membership, Round
from raters.models import Assignment
from raters.rounds import reminding
from raters.rounds.pausing import pause_round
from raters.rounds.reminding import remind, remind_of_deadlines
from raters.rounds.states import WrongRoundState, change_round
from tests.working import label_all

SITE = "https://ratings.example.org"


@pytest.fixture
def mailed(work, has_mail, settings):
    """The work, whose raters have addresses."""
    settings.MAIL_AFTER_ANSWER = False
    for place in range(2):
        address = f"rater-{place}@example.org"
        EmailAddress.objects.create(user=work.user(place), email=address, primary=True, verified=True)
    return work


@pytest.fixture
def committed(django_capture_on_commit_callbacks):
    """Does something, and then what is left until it is written."""

    def do(step, *args, **kwargs):
        with django_capture_on_commit_callbacks(execute=True):
            return step(*args, **kwargs)

    return do


def recipients():
    return sorted(message.to[0] for message in mail.outbox)


def due_in(work, days, remind_days, by):
    due_on = timezone.localdate() + timedelta(days=days)
    change_round(work.round, by=by, due_on=due_on, remind_days=remind_days, site=SITE)


def test_who_has_something_left_is_reminded(mailed, lead, committed):
    label_all(Assignment.objects.filter(rater=mailed.raters[1]))
    due_in(mailed, 5, None, lead)

    found = committed(remind, mailed.round, by=lead, site=SITE)

    assert found.sent == [mailed.raters[0].key]
    [message] = mail.outbox
    assert message.to == ["rater-0@example.org"]
    assert "You have 3 items left to label" in message.body
    assert f"{mailed.round.due_on.day} " in message.body
    assert f"{SITE}/p/{mailed.project.slug}/label/" in message.body
    event = Event.objects.get(kind="round_reminded")
    assert (event.user_id, event.about, event.detail["raters"]) == (lead.pk, "round 1", [mailed.raters[0].pk])


def test_nobody_is_reminded_twice_within_the_hour(mailed, lead, committed):
    committed(remind, mailed.round, by=lead, site=SITE)

    with pytest.raises(WrongRoundState, match="less than an hour ago"):
        committed(remind, mailed.round, by=lead, site=SITE)

    assert len(mail.outbox) == 2
    Round.objects.update(reminded_at=timezone.now() - reminding.APART)
    committed(remind, mailed.round, by=lead, site=SITE)
    assert len(mail.outbox) == 4


def test_who_left_or_has_no_confirmed_address_gets_none(mailed, lead, committed):
    Membership.objects.filter(user=mailed.user(0)).delete()
    EmailAddress.objects.filter(user=mailed.user(1)).update(verified=False)

    found = committed(remind, mailed.round, by=lead, site=SITE)

    assert (found.sent, found.without_address) == ([], [mailed.raters[1].key])
    assert mail.outbox == []


def test_nobody_is_reminded_of_a_pause_or_of_nothing(mailed, lead, settings):
    label_all(Assignment.objects.all())
    with pytest.raises(WrongRoundState, match="anything left"):
        remind(mailed.round, by=lead, site=SITE)
    pause_round(mailed.round, by=lead)
    with pytest.raises(WrongRoundState, match="not paused"):
        remind(mailed.round, by=lead, site=SITE)
    settings.HAS_MAIL = False
    with pytest.raises(WrongRoundState, match="cannot send email"):
        remind(mailed.round, by=lead, site=SITE)


def test_before_the_deadline_raters_are_reminded_once(mailed, lead, committed):
    due_in(mailed, 3, 2, lead)
    committed(remind_of_deadlines)
    assert mail.outbox == []

    due_in(mailed, 2, 2, lead)
    for _ in range(3):
        committed(remind_of_deadlines)
        Round.objects.update(reminded_at=timezone.now() - 2 * reminding.APART)

    assert recipients() == ["rater-0@example.org", "rater-1@example.org"]
    assert f"{SITE}/p/" in mail.outbox[0].body
    event = Event.objects.get(kind="round_reminded")
    assert (event.user_id, event.detail["is_automatic"]) == (None, True)


def test_another_deadline_is_another_reminder(mailed, lead, committed):
    due_in(mailed, 1, 2, lead)
    committed(remind_of_deadlines)
    Round.objects.update(reminded_at=timezone.now() - 2 * reminding.APART)

    due_in(mailed, 2, 2, lead)
    committed(remind_of_deadlines)

    assert len(mail.outbox) == 4


def test_who_was_just_reminded_by_hand_is_not_reminded_again(mailed, lead, committed):
    committed(remind, mailed.round, by=lead, site=SITE)
    due_in(mailed, 1, 2, lead)

    for _ in range(2):
        committed(remind_of_deadlines)
        Round.objects.update(reminded_at=timezone.now() - 2 * reminding.APART)

    assert len(mail.outbox) == 2


@pytest.mark.parametrize(
    "wrong", [{"state": "closed"}, {"state": "draft"}, {"remind_days": None}, {"due_on": None}]
)
def test_rounds_that_are_not_due_are_left_alone(mailed, lead, committed, wrong):
    due_in(mailed, 1, 2, lead)
    Round.objects.update(**wrong)

    committed(remind_of_deadlines)

    assert mail.outbox == []


def test_a_paused_round_is_reminded_of_once_it_goes_on(mailed, lead, committed):
    due_in(mailed, 1, 2, lead)
    pause_round(mailed.round, by=lead)
    committed(remind_of_deadlines)
    assert mail.outbox == []

    Round.objects.update(paused_at=None)
    committed(remind_of_deadlines)

    assert len(mail.outbox) == 2


def test_a_closed_or_deleted_project_is_left_alone(mailed, lead, committed):
    due_in(mailed, 1, 2, lead)
    mailed.project.state = "closed"
    mailed.project.save()

    committed(remind_of_deadlines)

    assert mail.outbox == []
