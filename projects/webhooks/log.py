"""How deliveries are shown to people."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from projects.models import Delivery
from projects.webhooks.event_queue import ordered

STATES = {
    Delivery.State.QUEUED: "Waiting",
    Delivery.State.RUNNING: "Sending",
    Delivery.State.DONE: "Delivered",
    Delivery.State.FAILED: "Failed",
    Delivery.State.CANCELLED: "Not sent",
}


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """status: None without a response. fault: empty if it arrived."""

    at: datetime
    status: int | None
    fault: str
    seconds: float


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """words: its state. next_at: the time of the next attempt, if there is one."""

    delivery: Delivery
    words: str
    payload: str
    tries: Sequence[DeliveryAttempt]
    next_at: datetime | None

    @property
    def may_be_sent_again(self) -> bool:
        return self.delivery.is_final


def delivery_row(delivery: Delivery) -> DeliveryRow:
    tries = tries_of(delivery)
    waits = delivery.state == Delivery.State.QUEUED and delivery.n_tries > 0
    return DeliveryRow(
        delivery,
        STATES.get(Delivery.State(delivery.state), ""),
        json.dumps(ordered(delivery.payload), indent=2, ensure_ascii=False),
        tries,
        delivery.due_at if waits else None,
    )


def tries_of(delivery: Delivery) -> list[DeliveryAttempt]:
    return [
        DeliveryAttempt(datetime.fromisoformat(each["at"]), each["status"], each["fault"], each["seconds"])
        for each in delivery.tries
    ]
