"""The pages of webhooks."""

import re

import pytest
from django.urls import reverse

from projects.events import events_of
from projects.models import Delivery, Event, Webhook
from projects.tasks import deliver_webhook
from projects.webhooks import actions
from projects.webhooks.actions import WebhookSettings
from projects.webhooks.event_queue import new_delivery
from projects.webhooks.signing import opened
from tests import cast
from tests.projects.webhooks.conftest import SITE

URL = "https://hooks.example.org/in?key=abc"
SECRET = re.compile(r"whsec_[\w+/]{43}=")
FORM = {"url": URL, "events": ["report.done", "labels.saved"], "description": "Pipeline", "is_active": "on"}


def add(client, project, **form):
    return client.post(reverse("webhooks", args=[project.slug]), FORM | form)


def page(client, webhook) -> str:
    return client.get(webhook.get_absolute_url()).content.decode()


@pytest.fixture
def silent_webhook(project, lead) -> Webhook:
    """A webhook that nothing is sent to."""
    webhook, _ = actions.add(project, WebhookSettings(URL, ["round.closed"]), by=lead, site=SITE)
    return webhook


def test_a_webhook_is_added_and_its_secret_shown_once(client, project, lead):
    answer = add(client, project)

    webhook = project.webhooks.get()
    [secret] = SECRET.findall(answer.content.decode())
    assert opened(webhook.secret) == secret
    assert "no-store" in answer.headers["Cache-Control"]
    assert (webhook.url, webhook.events, webhook.made_by) == (URL, ["labels.saved", "report.done"], lead)
    assert webhook.site == "http://testserver"
    assert not SECRET.search(page(client, webhook))
    assert "Pipeline" in client.get(reverse("webhooks", args=[project.slug])).content.decode()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", ""),
        ("url", "http://hooks.example.org/"),
        ("url", "https://127.0.0.1/"),
        ("url", "https://[::ffff:10.0.0.1]/"),
        ("url", "https://2130706433/"),
        ("url", "https://user:secret@example.org/"),
        ("url", "https://example.org/" + "x" * 1000),
        ("events", []),
        ("events", ["labels.read"]),
        ("description", "x" * 201),
    ],
)
def test_invalid_values_are_reported_at_their_field(client, project, field, value):
    answer = add(client, project, **{field: value})

    assert answer.status_code == 400
    assert list(answer.context["form"].errors) == [field]
    assert not project.webhooks.exists()


def test_a_project_has_ten_at_most(client, project):
    for _ in range(10):
        assert add(client, project).status_code == 200

    answer = add(client, project)

    assert answer.status_code == 400
    assert "at most 10 webhooks" in answer.content.decode()
    assert project.webhooks.count() == 10


def test_it_is_changed(client, project, silent_webhook):
    answer = client.post(
        silent_webhook.get_absolute_url(), {**FORM, "events": ["import.done"], "is_active": ""}
    )

    silent_webhook.refresh_from_db()
    assert answer.headers["Location"] == silent_webhook.get_absolute_url()
    assert (silent_webhook.events, silent_webhook.is_active, silent_webhook.disabled_at) == (
        ["import.done"],
        False,
        None,
    )
    [event] = events_of(project).filter(kind=Event.Kind.WEBHOOK_CHANGED)
    assert event.detail["changed_fields"] == ["events", "description", "is_active"]


def test_saved_as_it_is_nothing_is_logged(client, project, silent_webhook):
    client.post(
        silent_webhook.get_absolute_url(), {"url": URL, "events": ["round.closed"], "is_active": "on"}
    )

    assert not events_of(project).filter(kind=Event.Kind.WEBHOOK_CHANGED).exists()


def test_a_new_secret_is_shown_once(client, silent_webhook):
    answer = client.post(reverse("webhook_secret", args=[silent_webhook.project.slug, silent_webhook.pk]))

    [secret] = SECRET.findall(answer.content.decode())
    former = opened(silent_webhook.secret)
    silent_webhook.refresh_from_db()
    assert (opened(silent_webhook.secret), opened(silent_webhook.former_secret)) == (secret, former)
    assert not SECRET.search(page(client, silent_webhook))


def test_the_log_of_the_project_has_the_host_and_no_more(client, project):
    add(client, project)
    webhook = project.webhooks.get()
    client.post(webhook.get_absolute_url(), {**FORM, "url": "https://other.example.org/?key=def"})
    client.post(reverse("webhook_delete", args=[project.slug, webhook.pk]))

    events = list(events_of(project).filter(kind__startswith="webhook"))
    assert [(event.kind, event.about) for event in reversed(events)] == [
        ("webhook_made", "hooks.example.org"),
        ("webhook_changed", "other.example.org"),
        ("webhook_deleted", "other.example.org"),
    ]
    assert "key=" not in str([event.detail for event in events])
    assert "whsec" not in str([event.detail for event in events])
    assert not project.webhooks.exists()


def test_a_test_is_sent_and_its_answer_shown(client, project, webhook, receiver):
    receiver.body = b"<b>welcome</b>"

    client.post(reverse("webhook_test", args=[project.slug, webhook.pk]))
    deliver_webhook(Delivery.objects.get().pk)

    text = page(client, webhook)
    assert "Delivered" in text
    assert "&lt;b&gt;welcome" in text
    assert "<b>welcome" not in text
    assert str(Delivery.objects.get().event_id) in text


def test_a_delivery_is_sent_again_by_a_button(client, project, webhook, receiver):
    receiver.status = 500
    test = actions.send_test(webhook, by=None)
    address = reverse("webhook_send_again", args=[project.slug, webhook.pk, test.pk])
    assert address not in page(client, webhook)
    deliver_webhook(test.pk)
    assert address in page(client, webhook)
    receiver.status = 200

    client.post(address)
    deliver_webhook(test.pk)

    assert [received.event_id for received in receiver.received] == [str(test.event_id)] * 2


def test_what_is_under_way_is_not_sent_again(client, project, silent_webhook):
    test = actions.send_test(silent_webhook, by=None)
    address = reverse("webhook_send_again", args=[project.slug, silent_webhook.pk, test.pk])

    answer = client.post(address, follow=True)

    assert "already on its way" in answer.content.decode()


def test_of_another_project_nothing_is_found(client, silent_webhook, lead):
    other = cast.new_project("Other")
    theirs, _ = actions.add(other, WebhookSettings(URL, ["round.closed"]), by=lead, site=SITE)
    delivery = actions.send_test(theirs, by=None)

    for args in (
        [silent_webhook.project.slug, theirs.pk],
        [other.slug, theirs.pk],
        [other.slug, silent_webhook.pk],
    ):
        assert client.get(reverse("webhook", args=args)).status_code == 404
    for name in ("webhook_test", "webhook_secret", "webhook_delete"):
        assert client.post(reverse(name, args=[silent_webhook.project.slug, theirs.pk])).status_code == 404
    again = [silent_webhook.project.slug, silent_webhook.pk, delivery.pk]
    assert client.post(reverse("webhook_send_again", args=again)).status_code == 404


@pytest.mark.parametrize("n", [3, 30])
def test_the_page_asks_the_same_number_of_queries(client, silent_webhook, django_assert_num_queries, n):
    Delivery.objects.bulk_create(
        new_delivery(silent_webhook, "round.closed", {"round_id": number}, links={}) for number in range(n)
    )

    with django_assert_num_queries(8):
        page(client, silent_webhook)
