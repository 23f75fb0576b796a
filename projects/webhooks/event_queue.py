"""Turns an event into a delivery for each subscribed webhook, in the same transaction."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypedDict

from django.http import HttpRequest
from django.utils import timezone

from projects.models import Delivery, Project, Webhook

# The data of a payload: IDs, keys of the codebook, counts. Never the content of labels.
Data = Mapping[str, "str | int | bool | Sequence[int] | Sequence[Mapping[str, str | int | None]] | None"]


class Payload(TypedDict):
    """The body of a delivery."""

    type: str
    timestamp: str
    project: str
    data: dict[str, object]


# By kind of event, a function that completes its data later, because it would take too long when the event is queued.
_completing: "dict[str, Callable[[Delivery], Data]]" = {}


def complete_with(kind: Webhook.Event, complete: Callable[[Delivery], Data]) -> None:
    """Have a worker replace the data of such a delivery with the result of `complete` before it is first sent."""
    _completing[kind] = complete


def completed(delivery: Delivery) -> Payload:
    complete = _completing.get(delivery.kind)
    payload: Payload = delivery.payload
    return payload if complete is None else {**payload, "data": dict(complete(delivery))}


def ordered(payload: Payload) -> Payload:
    """The payload as it is sent and shown, type first. The database keeps no order."""
    return {
        "type": payload["type"],
        "timestamp": payload["timestamp"],
        "project": payload["project"],
        "data": dict(sorted(payload["data"].items())),
    }


def queue_event(project: Project, kind: Webhook.Event, data: Data, *, links: Mapping[str, str]) -> None:
    """Queue the event for every active webhook that subscribes to it. links: paths on this site, by name."""
    wanting = Webhook.objects.filter(project=project, is_active=True, events__contains=[kind])
    deliveries = [new_delivery(webhook, kind, data, links=links) for webhook in wanting]
    queue(deliveries)


def new_delivery(webhook: Webhook, kind: str, data: Data, *, links: Mapping[str, str]) -> Delivery:
    payload: Payload = {
        "type": kind,
        "timestamp": timezone.now().isoformat(),
        "project": webhook.project.slug,
        "data": {**data, **{name: webhook.site + path for name, path in links.items()}},
    }
    return Delivery(webhook=webhook, kind=kind, payload=payload)


def site_of(request: HttpRequest) -> str:
    """The base URL of links in deliveries: workers have no request, and so don't know the server's name."""
    return request.build_absolute_uri("/").rstrip("/")


def queue(deliveries: Sequence[Delivery]) -> None:
    if deliveries:
        Delivery.objects.bulk_create(deliveries)
        deliveries[0].notify()
