"""A delivery from the event to its end: sent, tried again, given up; and the webhook that is turned off."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from core.runs.dispatcher import Dispatcher
from core.runs.ledger import from_now
from projects.deletion.actions import TABLES, request_deletion
from projects.events import events_of
from projects.models import Delivery, Event, Project, Webhook
from projects.tasks import deliver_webhook
from projects.webhooks import actions, delivering
from projects.webhooks.actions import WebhookSettings
from projects.webhooks.event_queue import queue_event
from raters.expiring import clear_expired
from reports.models import Report
from tests import cast
from tests.projects.webhooks.conftest import SITE

CLOSED = Webhook.Event.ROUND_CLOSED


def happen(project: Project) -> Delivery:
    """Something happens; the delivery that tells of it."""
    queue_event(project, CLOSED, {"round": "r1", "round_id": 1}, links={"round_url": "/api/v1/x/"})
    return Delivery.objects.latest("pk")


def again_now(delivery: Delivery) -> Delivery:
    """Let the time of the next try come, and try."""
    Delivery.objects.filter(pk=delivery.pk).update(due_at=from_now(-1))
    deliver_webhook(delivery.pk)
    delivery.refresh_from_db()
    return delivery


def test_an_event_arrives(webhook, receiver):
    delivery = happen(webhook.project)

    deliver_webhook(delivery.pk)

    delivery.refresh_from_db()
    [received] = receiver.received
    assert delivery.state == Delivery.State.DONE
    assert (delivery.status, delivery.answer, delivery.n_tries) == (200, "thanks", 1)
    assert received.event_id == str(delivery.event_id)
    assert received.headers["user-agent"].startswith("Interrater/")
    assert received.payload == {
        "type": "round.closed",
        "timestamp": delivery.payload["timestamp"],
        "project": webhook.project.slug,
        "data": {"round": "r1", "round_id": 1, "round_url": f"{SITE}/api/v1/x/"},
    }


def test_only_active_webhooks_that_subscribe_are_called(project, lead, webhook, receiver):
    def more(**wanted) -> Webhook:
        made, _ = actions.add(project, WebhookSettings(**{"url": receiver.url, **wanted}), by=lead, site=SITE)
        return made

    wanting = more(events=[CLOSED])
    more(events=[Webhook.Event.REPORT_DONE])
    more(events=[CLOSED], is_active=False)
    elsewhere = cast.new_project("Elsewhere")
    actions.add(elsewhere, WebhookSettings(receiver.url, [CLOSED]), by=lead, site=SITE)

    happen(project)

    assert set(Delivery.objects.values_list("webhook_id", flat=True)) == {webhook.pk, wanting.pk}


def test_without_a_webhook_an_event_costs_one_query(project):
    with CaptureQueriesContext(connection) as queries:
        queue_event(project, CLOSED, {}, links={})

    assert len(queries) == 1


def test_a_failure_is_tried_again_ever_later_under_the_same_id(webhook, receiver):
    receiver.status = 503
    delivery = happen(webhook.project)
    pauses = []

    deliver_webhook(delivery.pk)
    delivery.refresh_from_db()
    while delivery.state == Delivery.State.QUEUED:
        pauses.append((delivery.due_at - timezone.now()).total_seconds())
        again_now(delivery)

    assert delivery.state == Delivery.State.FAILED
    assert delivery.failure == "The server answered 503."
    assert len(receiver.received) == len(delivery.tries) == 8
    assert {received.event_id for received in receiver.received} == {str(delivery.event_id)}
    assert len({received.body for received in receiver.received}) == 1
    for pause, at_least in zip(pauses, delivering.PAUSES, strict=True):
        assert at_least - 2 < pause < 1.2 * at_least + 2
    assert 20 * 3600 < sum(delivering.PAUSES) < 26 * 3600


def test_before_its_time_nobody_takes_it_up(webhook, receiver):
    receiver.status = 500
    delivery = happen(webhook.project)
    deliver_webhook(delivery.pk)

    # A message that comes late or twice.
    deliver_webhook(delivery.pk)

    assert len(receiver.received) == 1
    with patch("core.runs.dispatcher.current_app.send_task") as send_task:
        Dispatcher().sweep()
        assert send_task.call_count == 0
        Delivery.objects.filter(pk=delivery.pk).update(due_at=from_now(-1))
        Dispatcher().sweep()
    assert send_task.call_args.args == ("projects.deliver",)
    assert send_task.call_args.kwargs["args"] == [delivery.pk]


def test_what_arrives_late_arrives(webhook, receiver):
    receiver.status = 500
    delivery = happen(webhook.project)
    deliver_webhook(delivery.pk)

    receiver.status = 200
    again_now(delivery)

    assert delivery.state == Delivery.State.DONE
    assert delivery.failure == ""
    assert [each["status"] for each in delivery.tries] == [500, 200]


def test_once_one_arrives_the_others_are_tried_at_once(webhook, receiver):
    receiver.status = 500
    first = happen(webhook.project)
    deliver_webhook(first.pk)
    receiver.status = 200

    deliver_webhook(happen(webhook.project).pk)
    deliver_webhook(first.pk)

    first.refresh_from_db()
    assert first.state == Delivery.State.DONE


def test_one_at_a_time_for_each_webhook(webhook, receiver):
    first, second = happen(webhook.project), happen(webhook.project)
    assert first.claim()

    deliver_webhook(second.pk)
    assert receiver.received == []
    assert second not in Delivery.objects.due()

    # The worker of the first has died.
    Delivery.lose(first.pk)
    deliver_webhook(second.pk)
    assert len(receiver.received) == 1


def test_a_worker_that_dies_sends_it_again_under_the_same_id(webhook, receiver):
    delivery = happen(webhook.project)

    class Died(BaseException):
        pass

    with patch.object(delivering, "_noted", side_effect=Died), pytest.raises(Died):
        deliver_webhook(delivery.pk)
    Delivery.lose(delivery.pk)
    deliver_webhook(delivery.pk)

    delivery.refresh_from_db()
    assert delivery.state == Delivery.State.DONE
    assert [received.event_id for received in receiver.received] == [str(delivery.event_id)] * 2


def fail_for_good(webhook: Webhook) -> Delivery:
    delivery = happen(webhook.project)
    Delivery.objects.filter(pk=delivery.pk).update(n_tries=len(delivering.PAUSES))
    deliver_webhook(delivery.pk)
    delivery.refresh_from_db()
    assert delivery.state == Delivery.State.FAILED
    return delivery


@pytest.fixture
def leads_address(lead, has_mail):
    EmailAddress.objects.create(user=lead, email="lena@example.org", primary=True, verified=True)
    unproved = cast.member(lead.memberships.get().project, "lead", username="leo")
    EmailAddress.objects.create(user=unproved, email="leo@example.org", primary=True, verified=False)


def test_after_repeated_failures_it_is_turned_off_and_the_leads_notified(
    webhook, receiver, client, project, leads_address, django_capture_on_commit_callbacks
):
    receiver.status = 500
    for _ in range(4):
        fail_for_good(webhook)
    webhook.refresh_from_db()
    assert webhook.is_active
    waiting = happen(project)

    with django_capture_on_commit_callbacks(execute=True):
        fail_for_good(webhook)

    webhook.refresh_from_db()
    waiting.refresh_from_db()
    assert not webhook.is_active
    assert webhook.disabled_why == "The server answered 500."
    assert waiting.state == Delivery.State.CANCELLED
    [told] = events_of(project).filter(kind=Event.Kind.WEBHOOK_DISABLED)
    assert (told.about, told.user_name) == ("127.0.0.1", "")
    [sent] = mail.outbox
    address = reverse("webhook", args=[project.slug, webhook.pk])
    assert sent.to == ["lena@example.org"]
    assert sent.subject == "Interrater: webhook turned off in Reviews"
    assert "The server answered 500." in sent.body
    assert SITE + address in sent.body
    assert 'id="disabled"' in client.get(address).content.decode()
    # Nothing is made for it any more.
    happen_count = Delivery.objects.count()
    queue_event(project, CLOSED, {}, links={})
    assert Delivery.objects.count() == happen_count


def test_a_success_in_between_starts_the_count_again(webhook, receiver):
    for _ in range(2):
        receiver.status = 500
        for _ in range(4):
            fail_for_good(webhook)
        receiver.status = 200
        deliver_webhook(happen(webhook.project).pk)

    webhook.refresh_from_db()
    assert (webhook.is_active, webhook.n_failed) == (True, 0)


def test_an_address_that_is_gone_is_turned_off_at_once(webhook, receiver):
    receiver.status = 410

    deliver_webhook(happen(webhook.project).pk)

    webhook.refresh_from_db()
    assert not webhook.is_active
    assert len(receiver.received) == 1


def test_turned_on_again_it_starts_over(webhook, receiver, lead):
    receiver.status = 410
    deliver_webhook(happen(webhook.project).pk)
    webhook.refresh_from_db()
    receiver.status = 200

    actions.change(webhook, WebhookSettings(webhook.url, webhook.events, is_active=True), by=lead, site=SITE)
    deliver_webhook(happen(webhook.project).pk)

    webhook.refresh_from_db()
    assert (webhook.is_active, webhook.disabled_at, webhook.n_failed) == (True, None, 0)
    assert len(receiver.received) == 2


def test_turned_off_what_waits_is_not_sent(webhook, receiver, lead):
    receiver.status = 500
    delivery = happen(webhook.project)
    deliver_webhook(delivery.pk)

    actions.change(webhook, WebhookSettings(webhook.url, webhook.events, is_active=False), by=lead, site=SITE)

    again_now(delivery)
    assert delivery.state == Delivery.State.CANCELLED
    assert delivery.failure == "The webhook was turned off before this was delivered."
    assert len(receiver.received) == 1


def test_a_test_is_sent_once_also_while_it_is_off_and_counts_for_nothing(webhook, receiver, lead):
    actions.change(webhook, WebhookSettings(webhook.url, webhook.events, is_active=False), by=lead, site=SITE)
    receiver.status = 500

    for _ in range(6):
        deliver_webhook(actions.send_test(webhook, by=lead).pk)

    webhook.refresh_from_db()
    assert webhook.n_failed == 0
    assert {each.state for each in Delivery.objects.all()} == {Delivery.State.FAILED}
    assert [received.payload["type"] for received in receiver.received] == ["test"] * 6
    assert receiver.received[0].payload["data"] == {"webhook": webhook.pk}


def test_no_more_than_some_tests_wait(webhook, lead):
    for _ in range(3):
        actions.send_test(webhook, by=lead)

    with pytest.raises(actions.WebhookLimitReached):
        actions.send_test(webhook, by=lead)


@pytest.mark.parametrize("status", [200, 500])
def test_sent_again_it_has_its_id_and_starts_from_the_first_try(webhook, receiver, lead, status):
    receiver.status = status
    delivery = happen(webhook.project)
    Delivery.objects.filter(pk=delivery.pk).update(n_tries=len(delivering.PAUSES))
    deliver_webhook(delivery.pk)
    receiver.status = 200
    delivery.refresh_from_db()

    actions.send_again(delivery, by=lead)
    with pytest.raises(actions.DeliveryNotSendable):
        actions.send_again(delivery, by=lead)
    deliver_webhook(delivery.pk)

    delivery.refresh_from_db()
    assert delivery.state == Delivery.State.DONE
    assert delivery.n_tries == 1
    assert [each["status"] for each in delivery.tries] == [status, 200]
    assert len({received.event_id for received in receiver.received}) == 1


def test_nothing_is_sent_again_while_the_webhook_is_off(webhook, receiver, lead):
    delivery = happen(webhook.project)
    deliver_webhook(delivery.pk)
    actions.change(webhook, WebhookSettings(webhook.url, webhook.events, is_active=False), by=lead, site=SITE)

    with pytest.raises(actions.DeliveryNotSendable):
        actions.send_again(Delivery.objects.get(), by=lead)


def test_another_secret_key_fails_with_a_sentence(webhook, receiver, settings):
    settings.SECRET_KEY = "another key, such as that of another server " * 2
    delivery = happen(webhook.project)

    deliver_webhook(delivery.pk)

    delivery.refresh_from_db()
    assert "SECRET_KEY has changed" in delivery.failure
    assert receiver.received == []


def test_what_waits_for_a_receiver_takes_no_place_in_the_queue(webhook, settings, lead):
    settings.RUN_MAX_WAITING_PER_PROJECT = settings.RUN_MAX_WAITING_PER_PERSON = 1
    for _ in range(3):
        happen(webhook.project)

    Report.objects.create(project=webhook.project, asked_by=lead).admit(by=lead)


def test_a_deleted_project_sends_nothing_and_its_webhooks_go_with_it(webhook, receiver, lead):
    delivery = happen(webhook.project)
    request_deletion(webhook.project, by=lead, name=webhook.project.name)

    deliver_webhook(delivery.pk)

    assert receiver.received == []
    names = [table for table, _ in TABLES]
    assert (
        names.index("projects_delivery") < names.index("projects_webhook") < names.index("projects_project")
    )


def test_what_was_sent_is_forgotten_after_a_month(webhook):
    old, young = happen(webhook.project), happen(webhook.project)
    Delivery.objects.filter(pk=old.pk).update(asked_at=timezone.now() - timedelta(days=31))

    found = clear_expired()

    assert found["webhook deliveries"] == 1
    assert list(Delivery.objects.all()) == [young]


def test_deleted_while_it_is_sent_leaves_nothing(webhook, receiver, lead):
    delivery = happen(webhook.project)
    receiver.before = lambda _: None

    with patch.object(delivering, "send", side_effect=lambda *_: actions.delete(webhook, by=lead)):
        deliver_webhook(delivery.pk)

    assert not Delivery.objects.exists()
