"""Webhooks over the API."""

import json

import pytest
from django.urls import reverse

from projects.models import Delivery
from projects.tasks import deliver_webhook
from projects.webhooks import actions
from projects.webhooks.signing import opened

NEW = {"url": "https://hooks.example.org/in", "events": ["report.done"]}


def ask(api, method, name, *args, **body):
    send = getattr(api, method)
    more = {"data": json.dumps(body), "content_type": "application/json"} if body else {}
    return send(reverse(name, args=args), **more)


def test_a_webhook_from_its_making_to_its_end(api, project):
    made = ask(api, "post", "api_webhooks", project.slug, **NEW)
    webhook = project.webhooks.get()
    one = (project.slug, webhook.pk)

    assert made.status_code == 201
    shown = made.json()
    assert opened(webhook.secret) == shown.pop("secret")
    assert shown == ask(api, "get", "api_webhook", *one).json()
    assert ask(api, "get", "api_webhooks", project.slug).json()["results"] == [shown]
    assert {**NEW, "description": "", "is_active": True, "n_failed": 0}.items() <= shown.items()

    changed = ask(api, "patch", "api_webhook", *one, is_active=False)
    assert changed.json() == {**shown, "is_active": False}

    renewed = ask(api, "post", "api_webhook_secret", *one).json()
    webhook.refresh_from_db()
    assert renewed == {"secret": opened(webhook.secret)}

    assert ask(api, "delete", "api_webhook", *one).status_code == 204
    assert not project.webhooks.exists()


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"events": ["report.done"]}, 400, "url"),
        ({**NEW, "events": []}, 400, "events"),
        ({**NEW, "events": ["labels.read"]}, 400, "events.0"),
        ({**NEW, "events": "report.done"}, 400, "events"),
        ({**NEW, "secret": "whsec_x"}, 400, "secret"),
        ({**NEW, "is_active": "yes"}, 400, "is_active"),
        ({**NEW, "url": "https://169.254.169.254/latest"}, 400, None),
        ({**NEW, "url": "http://example.org/"}, 400, None),
    ],
)
def test_what_it_may_not_be_is_refused(api, project, body, status, field):
    answer = ask(api, "post", "api_webhooks", project.slug, **body)

    assert answer.status_code == status
    if field is None:
        assert answer.json()["error"] == "bad_address"
    else:
        assert field in {error["field"] for error in answer.json()["errors"]}
    assert not project.webhooks.exists()


def test_deliveries_are_listed_tested_and_sent_again(api, project, webhook, receiver):
    receiver.status = 500
    one = (project.slug, webhook.pk)

    tested = ask(api, "post", "api_webhook_test", *one)
    waiting = tested.json()
    deliver_webhook(waiting["id"])

    [failed] = ask(api, "get", "api_deliveries", *one).json()["results"]
    assert (tested.status_code, waiting["state"], waiting["tries"]) == (202, "queued", [])
    assert waiting["next_try_at"] is not None
    assert (failed["state"], failed["next_try_at"], failed["answer"]) == ("failed", None, "thanks")
    [tried] = failed["tries"]
    assert (tried["status"], tried["fault"]) == (500, "The server answered 500.")
    assert failed["event_id"] == receiver.received[0].event_id

    again = ask(api, "post", "api_delivery_send", *one, failed["id"])
    refused = ask(api, "post", "api_delivery_send", *one, failed["id"])

    assert (again.status_code, again.json()["state"]) == (202, "queued")
    assert (refused.status_code, refused.json()["error"]) == (409, "not_sendable")


def test_a_webhook_that_is_off_sends_nothing_again(api, project, webhook, lead):
    delivery = Delivery.objects.create(webhook=webhook, kind="round.closed", payload={}, state="done")
    ask(api, "patch", "api_webhook", project.slug, webhook.pk, is_active=False)

    refused = ask(api, "post", "api_delivery_send", project.slug, webhook.pk, delivery.pk)

    assert refused.status_code == 409
    assert actions.MOST_WEBHOOKS == 10
