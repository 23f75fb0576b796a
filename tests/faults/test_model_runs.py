"""A worker that is killed while it waits for a model: nothing is lost, and nothing is sent twice."""

import os
import signal
import threading

import pytest

from raters.model_runs.choosing import Items
from raters.model_runs.configuring import RunSettings
from raters.model_runs.drafting import RunBudget, draft
from raters.model_runs.starting import cancel, resume, start
from raters.models import Label, ModelRequest, ModelRun, User
from tests import cast
from tests.live import Live, wait_until
from tests.raters.model_runs.endpoint import Endpoint, answering
from tests.sizes import only_in_full
from tests.working import Work, new_work

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

State = ModelRequest.State


def started_run(work: Work, lead: User) -> ModelRun:
    run = draft(
        work.project, RunSettings(model="tiny"), Items(), round_=work.round, limits=RunBudget(), by=lead
    )
    start(run, by=lead)
    return run


def turned_on(endpoint: Endpoint) -> dict[str, str]:
    return {
        "MODEL_ENDPOINT": endpoint.url,
        "MODEL_KEY": "sk-secret",
        "MODEL_NAMES": "tiny",
        "MODEL_CONCURRENCY": "2",
    }


def ended(run: ModelRun) -> bool:
    return ModelRun.objects.get(pk=run.pk).is_final


@only_in_full
def test_killed_while_it_waits_for_answers(live: Live, committed_db, settings):
    held, is_asked = threading.Event(), threading.Semaphore(0)

    def hold(text: str) -> None:
        if text in {"Text 3", "Text 4"}:
            is_asked.release()
            held.wait(60)

    with answering() as endpoint:
        settings.MODEL_ENDPOINT, settings.MODELS = endpoint.url, {"tiny": None}
        endpoint.before = hold
        work = new_work(n_items=6)
        lead = cast.member(work.project, "lead", username="lena", unique=True)
        started = [live.start_dispatcher(), live.start_worker(**turned_on(endpoint))]
        run = started_run(work, lead)
        assert is_asked.acquire(timeout=60)
        assert is_asked.acquire(timeout=60)

        os.killpg(started[1].pid, signal.SIGKILL)
        started[1].popen.wait()
        held.set()
        started[1].start()
        wait_until(lambda: ended(run), seconds=120)

        states = dict(run.requests.values_list("item__key", "state"))
        lost = {"item-3", "item-4"}
        assert {key for key, state in states.items() if state == State.UNKNOWN} == lost
        assert {key for key, state in states.items() if state == State.DONE} == set(states) - lost
        assert endpoint.texts == {f"Text {n}": 1 for n in range(1, 7)}

        run.refresh_from_db()
        resume(run, by=lead, with_unknown=True, limits=RunBudget())
        wait_until(lambda: ended(run), seconds=120)
        assert set(run.requests.values_list("state", flat=True)) == {State.DONE}
        assert Label.objects.filter(rater=run.rater).count() == 6
        assert endpoint.texts == {f"Text {n}": 2 if n in {3, 4} else 1 for n in range(1, 7)}
    live.end(*started)


@only_in_full
def test_canceled_while_it_waits_for_answers(live: Live, committed_db, settings):
    """The answers that were under way are kept, and no request follows."""
    held, is_asked = threading.Event(), threading.Semaphore(0)

    def hold(text: str) -> None:
        is_asked.release()
        held.wait(60)

    with answering() as endpoint:
        settings.MODEL_ENDPOINT, settings.MODELS = endpoint.url, {"tiny": None}
        endpoint.before = hold
        work = new_work(n_items=6)
        lead = cast.member(work.project, "lead", username="lena", unique=True)
        started = [live.start_dispatcher(), live.start_worker(**turned_on(endpoint))]
        run = started_run(work, lead)
        assert is_asked.acquire(timeout=60)
        assert is_asked.acquire(timeout=60)

        assert cancel(ModelRun.objects.get(pk=run.pk), by=lead)
        held.set()
        wait_until(lambda: Label.objects.filter(rater__project=work.project).count() == 2, seconds=60)
        wait_until(lambda: "is no longer leased" in started[1].output(), seconds=60)

        assert len(endpoint.received) == 2
        assert ModelRun.objects.get(pk=run.pk).state == ModelRun.State.CANCELLED
        states = sorted(run.requests.values_list("state", flat=True))
        assert states == [State.DONE] * 2 + [State.PENDING] * 4
    live.end(*started)
