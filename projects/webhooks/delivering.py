"""How a worker handles a delivery: it sends it, and records the outcome or the time of the next attempt."""

import json
import random
from datetime import datetime

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from core.mail import send_now
from core.runs.lease import Lease, RunLost
from projects.events import record
from projects.models import Delivery, Event, Membership, Webhook
from projects.webhooks.event_queue import completed, ordered
from projects.webhooks.posting import WebhookResponse, send
from projects.webhooks.signing import SecretUnreadable, signed_headers
from projects.webhooks.webhook_addresses import shown_host

# Seconds from each try to the next: eight tries in about a day.
PAUSES = (10, 60, 5 * 60, 30 * 60, 2 * 3600, 6 * 3600, 14 * 3600)
# Random extra delay, as a share, so that deliveries that failed together are not retried together.
JITTER = 0.2
# After this many consecutive deliveries that failed for good, the webhook is turned off.
MOST_FAILED = 5
# How many attempts of one delivery are kept, newest last.
MOST_TRIES_KEPT = 40
TURNED_OFF = "The webhook was turned off before this was delivered."


def deliver(lease: Lease[Delivery]) -> None:
    """Send the leased delivery once. The transaction starts after sending, so nothing is locked meanwhile."""
    delivery = lease.run
    webhook = Webhook.objects.select_related("project").filter(pk=delivery.webhook_id).first()
    if webhook is None:
        raise RunLost
    if not (webhook.is_active or delivery.is_test):
        if delivery.record(failure=TURNED_OFF):
            delivery.cancel()
        return
    if not delivery.tries:
        delivery.payload = completed(delivery)
    at = timezone.now()
    answer = _post(delivery, webhook, at)
    with transaction.atomic():
        # Lock the webhook first, then its deliveries: the same order as when it is turned off.
        locked = Webhook.objects.select_for_update(no_key=True, of=("self",)).select_related("project")
        webhook = locked.filter(pk=webhook.pk).first()
        if webhook is None or not _noted(delivery, answer, at):
            raise RunLost
        if not delivery.is_test:
            _count(webhook, delivery, answer)
        # The next delivery of this webhook may be sent now.
        delivery.notify()


def _post(delivery: Delivery, webhook: Webhook, at: datetime) -> WebhookResponse:
    body = json.dumps(ordered(delivery.payload), ensure_ascii=False, separators=(",", ":")).encode()
    try:
        signed = signed_headers(webhook, str(delivery.event_id), body, at=at)
    except SecretUnreadable as error:
        return WebhookResponse(None, "", str(error), 0.0)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"Interrater/{settings.VERSION}",
        "Connection": "close",
        **signed,
    }
    return send(webhook.url, body, headers)


def _noted(delivery: Delivery, answer: WebhookResponse, at: datetime) -> bool:
    """Record the outcome of the attempt; False if it is no longer ours."""
    tried = {
        "at": at.isoformat(),
        "status": answer.status,
        "fault": answer.fault,
        "seconds": round(answer.seconds, 3),
    }
    noted = {
        "payload": delivery.payload,
        "n_tries": delivery.n_tries + 1,
        "tries": [*delivery.tries, tried][-MOST_TRIES_KEPT:],
        "status": answer.status,
        "answer": answer.excerpt,
    }
    if answer.is_fine:
        return delivery.finish(failure="", **noted)
    if delivery.is_test or answer.is_final or delivery.n_tries >= len(PAUSES):
        return delivery.record(**noted) and delivery.fail(answer.fault)
    pause = PAUSES[delivery.n_tries] * random.uniform(1, 1 + JITTER)  # noqa: S311
    return delivery.postpone(pause, failure=answer.fault, **noted)


def _count(webhook: Webhook, delivery: Delivery, answer: WebhookResponse) -> None:
    """Count consecutive failures; after too many, turn the webhook off."""
    if answer.is_fine:
        if webhook.n_failed:
            Webhook.objects.filter(pk=webhook.pk).update(n_failed=0)
        # The server is up: postponed deliveries need not wait any longer.
        webhook.deliveries.filter(state=Delivery.State.QUEUED, due_at__gt=Now()).update(due_at=Now())
        return
    if Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.FAILED).exists():
        Webhook.objects.filter(pk=webhook.pk).update(n_failed=F("n_failed") + 1)
        if answer.is_final or webhook.n_failed + 1 >= MOST_FAILED:
            _disable(webhook, answer.fault)


def _disable(webhook: Webhook, why: str) -> None:
    if not webhook.is_active:
        return
    Webhook.objects.filter(pk=webhook.pk).update(is_active=False, disabled_at=Now(), disabled_why=why)
    cancel_waiting(webhook)
    record(
        Event.Kind.WEBHOOK_DISABLED,
        project=webhook.project,
        about=shown_host(webhook.url),
        webhook=webhook.pk,
        why=why,
    )
    webhook.disabled_why = why
    transaction.on_commit(lambda: _notify_leads(webhook), robust=True)


def cancel_waiting(webhook: Webhook) -> None:
    """Cancel the waiting deliveries of a webhook that is off, except tests."""
    waiting = webhook.deliveries.filter(state=Delivery.State.QUEUED).exclude(kind=Delivery.TEST)
    waiting.update(state=Delivery.State.CANCELLED, failure=TURNED_OFF, finished_at=Now())


def _notify_leads(webhook: Webhook) -> None:
    if not settings.HAS_MAIL:
        return
    leads = EmailAddress.objects.filter(
        user__memberships__project=webhook.project,
        user__memberships__role=Membership.Role.LEAD,
        user__is_active=True,
        primary=True,
        verified=True,
    )
    link = webhook.site + reverse("webhook", args=[webhook.project.slug, webhook.pk])
    context = {"webhook": webhook, "host": shown_host(webhook.url), "link": link, "most": MOST_FAILED}
    text = render_to_string("webhooks/disabled.txt", context)
    # A name with a line break would be rejected as header injection.
    subject = f"Interrater: webhook turned off in {' '.join(webhook.project.name.split())}"
    for address in leads.values_list("email", flat=True):
        send_now(EmailMessage(subject, text, None, [address]))
