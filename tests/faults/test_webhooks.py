"""A worker that is killed while it sends: the delivery is sent again, with the same id, by a real worker."""

import os
import signal
import threading

import pytest

from projects.models import Delivery, Webhook
from projects.webhooks import actions
from projects.webhooks.actions import WebhookSettings
from raters.rounds.states import close_round
from tests import cast
from tests.live import Live, wait_until
from tests.projects.webhooks.receiver import receiving
from tests.sizes import only_in_full
from tests.working import answer, new_work

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

ALLOWED = {"WEBHOOK_PRIVATE_ADDRESSES": "1", "WEBHOOK_HTTP": "1"}
SITE = "https://labels.example.org"


@pytest.fixture
def allowed_here(settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = settings.WEBHOOK_HTTP = True


@only_in_full
def test_killed_while_it_sends_it_is_sent_again_under_the_same_id(live: Live, committed_db, allowed_here):
    held, is_asked = threading.Event(), threading.Event()

    def hold(_handler) -> None:
        is_asked.set()
        held.wait(60)

    started = [live.start_dispatcher(), live.start_worker(**ALLOWED)]
    with receiving() as receiver:
        receiver.before = hold
        work = new_work(n_items=5)
        lead = cast.member(work.project, "lead", username="lena", unique=True)
        webhook, _ = actions.add(
            work.project, WebhookSettings(receiver.url, Webhook.Event.values), by=lead, site=SITE
        )

        close_round(work.round, by=lead)
        assert is_asked.wait(60)
        os.killpg(started[1].pid, signal.SIGKILL)
        started[1].popen.wait()
        receiver.before = None
        held.set()
        started[1].start()
        wait_until(lambda: webhook.deliveries.filter(state=Delivery.State.DONE).exists(), seconds=120)

        [delivery] = webhook.deliveries.all()
        assert {received.event_id for received in receiver.received} == {str(delivery.event_id)}
        assert len(receiver.received) == 2
        assert (delivery.n_tries, delivery.losses, delivery.attempt) == (1, 1, 2)
    live.end(*started)


@only_in_full
def test_labels_are_gathered_by_the_dispatcher(live: Live, committed_db, allowed_here):
    started = [live.start_dispatcher(), live.start_worker(**ALLOWED)]
    with receiving() as receiver:
        work = new_work(n_items=5)
        lead = cast.member(work.project, "lead", username="lena", unique=True)
        actions.add(work.project, WebhookSettings(receiver.url, ["labels.saved"]), by=lead, site=SITE)

        for place in range(5):
            answer(work, "good", place=place)
        wait_until(
            lambda: sum(received.payload["data"]["n_changes"] for received in receiver.received) == 5,
            seconds=60,
        )

        changes = receiver.received[0].payload["data"]["changes"]
        assert [(each["question"], each["round"]) for each in changes] == [("tone", "round 1")]
        assert "positions" not in receiver.received[0].payload["data"]
        # A few seconds of labeling are one delivery, or two if one look came in between.
        assert len(receiver.received) <= 2
    live.end(*started)
