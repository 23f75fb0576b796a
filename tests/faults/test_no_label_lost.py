"""P1, P5, P6 over the wire: what was acknowledged stays, whatever dies, happens once, and is not overwritten unseen."""

import os
import random
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.test import Client
from knox.models import AuthToken
from pytest_django import DjangoDbBlocker

from projects.models import Project
from raters.models import Label, LabelRevision
from tests.config.running import Run, ended, environment
from tests.faults.arena import SEED, use_server
from tests.faults.saving import Ledger, LosingProxy, assert_all_kept, kept, savers, wait_for_savings
from tests.live import wait_until
from tests.sizes import FULL
from tests.together import at_once
from tests.working import Work, answer, new_work

pytestmark = [pytest.mark.faults, pytest.mark.timeout(3600 if FULL else 600)]
N_CLIENTS = 20
N_SAVED = 10_000 if FULL else 60
KILLS = {"web": 10, "postgres": 20, "worker": 10, "supervisor": 5}
# What a killed supervisor leaves, its next start takes up in tests/config/test_supervisor.py too.
SOME_KILLS = {"web": 1, "postgres": 1}
AT_ONCE = 50
ROUNDS = 100 if FULL else 1


def test_no_acknowledged_label_is_lost_whatever_dies(folder, django_db_blocker: DjangoDbBlocker):
    chance = random.Random(SEED)
    run = Run(folder / "var")
    kills = [name for name, n in (KILLS if FULL else SOME_KILLS).items() for _ in range(n)]
    chance.shuffle(kills)
    with django_db_blocker.unblock(), ended(run):
        address = [run.start(DEMO="no").until_ready()]
        ledger = Ledger(folder / "ledger")
        with use_server(environment(run)["DATABASE_URL"]):
            work = new_work(n_items=10, n_raters=N_CLIENTS)
            with savers(work, lambda: address[0], ledger) as clients:
                for number, name in enumerate(kills):
                    # Somewhere in the middle of the savings that this share of the deaths is due after.
                    due = N_SAVED * (number + chance.random()) / (len(kills) + 1)
                    wait_for_savings(ledger, max(due, ledger.n + 20), clients)
                    _kill(run, name, address)
                # More than the requests under way when the last one died, so that everything is up again.
                wait_for_savings(ledger, max(N_SAVED, ledger.n + N_CLIENTS + 1), clients)
        with use_server(environment(run)["DATABASE_URL"]):
            acknowledged = ledger.read()

            assert not Project.objects.exclude(pk=work.project.pk).exists()
            assert len(acknowledged) >= N_SAVED
            assert_all_kept(work, acknowledged)
            assert len(kept(work)) <= len(acknowledged) + N_CLIENTS


def _kill(run: Run, name: str, address: list[str]) -> None:
    """kill -9; the supervisor starts its programs again, and we the supervisor."""
    if name == "supervisor":
        run.kill()
        address[0] = run.start(DEMO="no").until_ready()
        return
    wait_until(lambda: name in run.children(), seconds=240)
    with suppress(ProcessLookupError):
        os.kill(run.children()[name], signal.SIGKILL)


def test_answers_that_are_lost_on_the_way_do_no_harm(committed_db, site, folder):
    ledger = Ledger(folder / "ledger")
    work = new_work(n_items=5, n_raters=8)
    n_each = 300 if FULL else 15
    server = urlsplit(site.url)
    proxy = LosingProxy(server.hostname, server.port, 0.3, random.Random(SEED))

    with proxy.serve() as address, savers(work, lambda: address, ledger, limit=n_each) as clients:
        pass

    assert [client.fault for client in clients if client.fault] == []
    acknowledged = ledger.read()
    assert len(acknowledged) == 8 * n_each == proxy.n_passed
    assert proxy.n_lost > 8 * n_each / 5
    assert_all_kept(work, acknowledged)
    # None twice: each saving is one step of its label.
    assert len(kept(work)) == len(acknowledged)


def at_the_same_time(
    work: Work, sent: Callable[[int], tuple[dict, str]], *, place: int
) -> list[tuple[int, dict]]:
    """What fifty requests are answered that save the same item and leave together: (body, key) for each."""
    _, token = AuthToken.objects.create(user=work.user())
    url = f"/api/v1/projects/{work.project.slug}/assignments/{work.assignment(place).pk}/answers/"

    def send(number: int) -> tuple[int, dict]:
        body, key = sent(number)
        headers = {"Authorization": f"Token {token}", "Idempotency-Key": key}
        client = Client(raise_request_exception=False)
        answer = client.put(url, body, content_type="application/json", headers=headers)
        return answer.status_code, answer.json()

    return at_once(AT_ONCE, send)


def body_of(category: str, note: str = "", *, seen: int = 0) -> dict:
    revisions = [{"question": "tone", "revision": seen}] if seen else []
    return {"answers": [{"question": "tone", "category": category, "note": note}], "revisions": revisions}


def test_one_click_that_arrives_fifty_times_is_answered_fifty_times_and_done_once(committed_db):
    work = new_work(n_items=ROUNDS, n_raters=1)
    for place in range(ROUNDS):
        key = str(uuid4())

        answers = at_the_same_time(work, lambda _, key=key: (body_of("good"), key), place=place)

        assert [status for status, _ in answers] == [200] * AT_ONCE
        assert all(body == answers[0][1] for _, body in answers)
    assert LabelRevision.objects.filter(question_id=work.question.pk).count() == ROUNDS
    again = at_the_same_time(work, lambda _: (body_of("bad"), key), place=ROUNDS - 1)
    assert {status for status, _ in again} == {422}


@pytest.mark.parametrize("seen", [0, 1])
def test_of_fifty_tabs_one_saves_and_the_others_see_the_current_label(committed_db, seen):
    work = new_work(n_items=ROUNDS, n_raters=1)
    for place in range(ROUNDS):
        if seen:
            answer(work, "fair", place=place)

        answers = at_the_same_time(
            work,
            lambda n: (body_of("good" if n % 2 else "bad", f"tab {n}", seen=seen), str(uuid4())),
            place=place,
        )

        assert Counter(status for status, _ in answers) == {200: 1, 409: AT_ONCE - 1}
        label = Label.objects.select_related("category").get(item=work.items[place])
        shown = [body["errors"][0]["current"] for status, body in answers if status == 409]
        assert label.revision == seen + 1
        assert {(now["category"], now["note"], now["revision"]) for now in shown} == {
            (label.category.key, label.note, label.revision)
        }
