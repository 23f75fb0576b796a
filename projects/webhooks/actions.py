"""Everything that changes the webhooks of a project."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from core.history import head_of
from core.refusals import Refused
from core.runs.ledger import Run
from projects.actions import lock
from projects.events import record
from projects.models import Delivery, Event, Project, Webhook
from projects.webhooks.delivering import cancel_waiting
from projects.webhooks.event_queue import new_delivery, queue
from projects.webhooks.signing import new_secret, sealed
from projects.webhooks.webhook_addresses import shown_host, target_of

MOST_WEBHOOKS = 10
# How long the previous secret signs, too, after a new one was created.
OVERLAP = timedelta(days=1)
# Maximum number of waiting tests of a webhook.
MOST_TESTS = 3


class WebhookLimitReached(Refused):
    code = "too_many"


class DeliveryNotSendable(Refused):
    """A delivery that is being sent, or whose webhook is off."""

    code = "not_sendable"


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """The settings of a webhook, as a lead entered them."""

    url: str
    events: Sequence[str]
    description: str = ""
    is_active: bool = True


@transaction.atomic
def add(project: Project, wanted: WebhookSettings, *, by: Any, site: str) -> tuple[Webhook, str]:
    """Create a webhook; returns it with its secret, which is shown only once. Raises BadAddress or TooMany.

    site: the base URL of the links in its deliveries.
    """
    target_of(wanted.url)
    lock(project.pk)
    if project.webhooks.count() >= MOST_WEBHOOKS:
        raise WebhookLimitReached(f"A project can have at most {MOST_WEBHOOKS} webhooks.")
    secret = new_secret()
    webhook = Webhook.objects.create(
        project=project,
        url=wanted.url,
        events=sorted(set(wanted.events)),
        description=wanted.description,
        is_active=wanted.is_active,
        secret=sealed(secret),
        site=site,
        told_up_to=_position(project),
        made_by=by,
    )
    record(
        Event.Kind.WEBHOOK_MADE,
        by=by,
        project=project,
        about=shown_host(webhook.url),
        webhook=webhook.pk,
        events=webhook.events,
    )
    return webhook, secret


@transaction.atomic
def change(webhook: Webhook, wanted: WebhookSettings, *, by: Any, site: str) -> None:
    """Raises BadAddress. A webhook that is turned on again sends only later events. site: as for `add`."""
    target_of(wanted.url)
    now = _locked(webhook)
    if site != now.site:
        # The server may have moved.
        webhook.site = site
        webhook.save(update_fields=["site"])
    values = {
        "url": wanted.url,
        "events": sorted(set(wanted.events)),
        "description": wanted.description,
        "is_active": wanted.is_active,
    }
    changed = [name for name, value in values.items() if getattr(now, name) != value]
    for name in changed:
        setattr(webhook, name, values[name])
    if not changed:
        return
    begins = wanted.is_active and ("is_active" in changed or Webhook.Event.LABELS_SAVED not in now.events)
    if begins:
        webhook.told_up_to = _position(webhook.project)
    if "is_active" in changed:
        webhook.n_failed, webhook.disabled_at, webhook.disabled_why = 0, None, ""
    webhook.save(
        update_fields=[*changed, "told_up_to", "n_failed", "disabled_at", "disabled_why"]
        if begins or "is_active" in changed
        else changed
    )
    if not wanted.is_active:
        cancel_waiting(webhook)
    _record_change(webhook, changed, by=by)


@transaction.atomic
def renew_secret(webhook: Webhook, *, by: Any) -> str:
    """Create a new secret, which is shown only once; the previous one signs, too, until OVERLAP has passed."""
    now = _locked(webhook)
    secret = new_secret()
    webhook.former_secret, webhook.secret = now.secret, sealed(secret)
    webhook.former_secret_until = timezone.now() + OVERLAP
    webhook.save(update_fields=["secret", "former_secret", "former_secret_until"])
    _record_change(webhook, ["secret"], by=by)
    return secret


@transaction.atomic
def delete(webhook: Webhook, *, by: Any) -> None:
    """Delete the webhook with its log. A delivery that is being sent still arrives."""
    _locked(webhook)
    record(
        Event.Kind.WEBHOOK_DELETED,
        by=by,
        project=webhook.project,
        about=shown_host(webhook.url),
        webhook=webhook.pk,
    )
    webhook.delete()


@transaction.atomic
def send_test(webhook: Webhook, *, by: Any) -> Delivery:
    """Send a test event once, even to a webhook that is off. Raises WebhookLimitReached."""
    _locked(webhook)
    under_way = webhook.deliveries.filter(kind=Delivery.TEST, state__in=[Run.State.QUEUED, Run.State.RUNNING])
    if under_way.count() >= MOST_TESTS:
        raise WebhookLimitReached("Wait until the tests that you sent before have ended.")
    test = new_delivery(webhook, Delivery.TEST, {"webhook": webhook.pk}, links={})
    test.asked_by = by
    queue([test])
    return test


@transaction.atomic
def send_again(delivery: Delivery, *, by: Any) -> None:
    """Send a delivered, failed, or canceled delivery again under the same ID. Raises DeliveryNotSendable."""
    webhook = _locked(delivery.webhook)
    if not (webhook.is_active or delivery.is_test):
        raise DeliveryNotSendable("The webhook is turned off. Turn it on to send this again.")
    queued = Delivery.objects.filter(
        pk=delivery.pk, state__in=[Run.State.DONE, Run.State.FAILED, Run.State.CANCELLED]
    ).update(
        state=Run.State.QUEUED,
        due_at=Now(),
        n_tries=0,
        losses=0,
        sends=0,
        sent_at=None,
        failure="",
        finished_at=None,
        asked_by=by,
    )
    if not queued:
        raise DeliveryNotSendable("This delivery is already on its way.")
    delivery.notify()


def _locked(webhook: Webhook) -> Webhook:
    """The current row, locked until commit."""
    return Webhook.objects.select_for_update(no_key=True).get(pk=webhook.pk)


def _position(project: Project) -> int:
    with connection.cursor() as cursor:
        return head_of(project.pk, cursor).position


def _record_change(webhook: Webhook, changed: Sequence[str], *, by: Any) -> None:
    # Neither the URL, which may contain a password, nor the secret.
    record(
        Event.Kind.WEBHOOK_CHANGED,
        by=by,
        project=webhook.project,
        about=shown_host(webhook.url),
        webhook=webhook.pk,
        changed_fields=list(changed),
    )
