"""Webhook events for label changes, gathered from the history every few seconds rather than sent while saving.

The history gives each change a position in commit order, so a webhook gets everything after the last position it
got. Each change is sent once, no matter who made it and how, and saving a label has no extra cost.
"""

from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models.functions import Now
from django.urls import reverse

from projects.models import Delivery, Webhook
from projects.webhooks.event_queue import Data, new_delivery, queue

# Seconds between checks, and between two deliveries to one webhook.
EVERY = 2.0
PAUSE = 10.0
# The maximum number of history entries per delivery, so that counting them never takes long.
MOST_ENTRIES = 10_000
# The key in the data until its changes are counted.
POSITIONS = "positions"
CHANGE = ("question_id", "question", "round_id", "round", "n_changes")

# Webhooks whose project has changed since. While a delivery waits for an unavailable server, no other is queued: the
# next one will cover everything that happened in the meantime.
_WEBHOOKS_WITH_NEW_LABELS = """
SELECT w.id, w.told_up_to, least(head.position, w.told_up_to + %(most)s)
FROM projects_webhook w
JOIN projects_project p ON p.id = w.project_id AND p.deletion_due_at IS NULL
CROSS JOIN LATERAL (
    SELECT position FROM core_historyentry e
    WHERE e.project_id = w.project_id AND e.position IS NOT NULL ORDER BY e.position DESC LIMIT 1
) head
WHERE w.is_active AND %(kind)s = ANY (w.events) AND head.position > w.told_up_to
    AND (w.told_at IS NULL OR w.told_at <= now() - %(pause)s * interval '1 second')
    AND NOT EXISTS (
        SELECT FROM projects_delivery d
        WHERE d.webhook_id = w.id AND d.kind = %(kind)s AND d.state IN ('queued', 'running')
    )
ORDER BY w.told_at NULLS FIRST LIMIT 100
"""
# The number of changes to report, without reading the revisions themselves.
_EXTENT = """
SELECT coalesce(sum(n_rows), 0)::bigint FROM core_historyentry
WHERE project_id = %(project)s AND kind = 'R' AND position > %(after)s AND position <= %(up_to)s
"""
_CHANGES = """
SELECT r.question_id, q.key, r.batch_id, b.key, count(*)
FROM core_historyentry e
JOIN (
    SELECT id, project_id, key FROM projects_question
    UNION ALL SELECT id, project_id, key FROM projects_formerquestion
) q ON q.project_id = e.project_id
JOIN raters_labelrevision r ON r.question_id = q.id AND r.entry_id = e.id
LEFT JOIN projects_batch b ON b.id = r.batch_id
WHERE e.project_id = %(project)s AND e.kind = 'R' AND e.position > %(after)s AND e.position <= %(up_to)s
GROUP BY 1, 2, 3, 4 ORDER BY 1, 3 NULLS FIRST
"""


@dataclass(frozen=True, slots=True)
class PendingWebhook:
    """A webhook, the position up to which it has got changes, and the one up to which it gets them now."""

    webhook_id: int
    after: int
    up_to: int


def gather() -> None:
    """Queue a delivery for each webhook that is behind."""
    for pending in _pending_webhooks():
        _notify(pending)


def _pending_webhooks() -> list[PendingWebhook]:
    with connection.cursor() as cursor:
        cursor.execute(
            _WEBHOOKS_WITH_NEW_LABELS,
            {"kind": Webhook.Event.LABELS_SAVED.value, "pause": PAUSE, "most": MOST_ENTRIES},
        )
        return [PendingWebhook(*row) for row in cursor.fetchall()]


@transaction.atomic
def _notify(pending: PendingWebhook) -> None:
    locked = Webhook.objects.select_for_update(no_key=True, of=("self",)).select_related("project")
    webhook = locked.filter(pk=pending.webhook_id, told_up_to=pending.after, is_active=True).first()
    if webhook is None:
        # Another process got there first, or the webhook was turned off.
        return
    with connection.cursor() as cursor:
        cursor.execute(
            _EXTENT, {"project": webhook.project_id, "after": pending.after, "up_to": pending.up_to}
        )
        [n_changes] = cursor.fetchone()
    told_at = {"told_at": Now()} if n_changes else {}
    Webhook.objects.filter(pk=webhook.pk).update(told_up_to=pending.up_to, **told_at)
    if n_changes:
        queue([_delivery(webhook, pending, n_changes)])


def _delivery(webhook: Webhook, pending: PendingWebhook, n_changes: int) -> Delivery:
    # In the format of the label list: everything from the next position on.
    since = f"{pending.after + 1}-0"
    labels = reverse("api_project", args=[webhook.project.slug]) + "labels/"
    return new_delivery(
        webhook,
        Webhook.Event.LABELS_SAVED,
        {
            "n_changes": n_changes,
            "changed_since": since,
            # Counted by the worker that sends it: an import of millions would block the dispatcher.
            POSITIONS: [pending.after, pending.up_to],
        },
        links={"labels_url": f"{labels}?changed_since={since}"},
    )


def complete(delivery: Delivery) -> Data:
    """Return the data of a delivery with its counts; the result never varies, because the history never changes."""
    data = dict(delivery.payload["data"])
    after, up_to = data.pop(POSITIONS)
    with connection.cursor() as cursor:
        cursor.execute(_CHANGES, {"project": delivery.project.pk, "after": after, "up_to": up_to})
        data["changes"] = [dict(zip(CHANGE, row, strict=True)) for row in cursor.fetchall()]
    return data
