"""Every run ends in exactly one final state, whatever dies (promises P10 to P13)."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from pytest_django import DjangoDbBlocker

from projects.models import Project
from raters.models import User
from reports.models import PairAgreement, Report
from reports.store.requests import request_report
from tests import cast
from tests.faults.arena import Arena, open_arena
from tests.labeling import labeled_project
from tests.live import LEASE, wait_until
from tests.sizes import FULL, only_in_full, some

pytestmark = [pytest.mark.faults, pytest.mark.timeout(900)]

AWAY = "The broker is not responding"
FINAL = {Report.State.DONE, Report.State.FAILED, Report.State.CANCELLED}


@pytest.fixture(scope="module")
def working_arena(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Arena]:
    with django_db_blocker.unblock(), open_arena() as opened:
        opened.start_dispatcher()
        opened.start_worker()
        opened.start_worker()
        yield opened


def new_lead() -> User:
    return cast.person("lena", unique=True)


def queue(project: Project, *, lead: User, n: int) -> list[int]:
    """Reports of the same labels, made side by side: asking twice would return the first one."""
    scope = {"questions": [question.key for question in project.questions.all()], "rounds": None}
    options = {"weights": "unweighted"}
    made = [
        Report.objects.create(project=project, asked_by=lead, scope=scope, options=options) for _ in range(n)
    ]
    made[0].notify()
    return [report.pk for report in made]


def states(pks: list[int]) -> list[str]:
    return list(Report.objects.filter(pk__in=pks).values_list("state", flat=True))


def all_final(pks: list[int]) -> bool:
    return set(states(pks)) <= FINAL


def results(pk: int) -> tuple[object, ...]:
    """Every figure of a report, to the last bit."""
    report = Report.objects.get(pk=pk)
    questions = list(
        report.questions.order_by("question_id").values_list("digest", "n_items", "n_labels", "coefficients")
    )
    figures = (
        "rater_a",
        "rater_b",
        "n",
        "counts",
        "observed",
        "expected",
        "kappa",
        "se",
        "kappa_max",
        "reason",
    )
    pairs = PairAgreement.objects.filter(agreement__report=report).order_by("rater_a", "rater_b")
    return report.digest, questions, list(pairs.values_list(*figures))


def assert_all_done_alike(pks: list[int]) -> None:
    assert states(pks) == ["done"] * len(pks)
    first = results(pks[0])
    assert first[2]
    assert all(results(pk) == first for pk in pks)


def harass(arena: Arena, pks: list[int], *faults: Callable[[], None], pause: float) -> None:
    """Let the faults happen one after the other while the runs are at work, then wait for the end of all."""
    for fault in faults:
        time.sleep(arena.chance.uniform(0.3, 1.0) * pause)
        fault()
    arena.wait(all_final, pks, seconds=240)


def test_runs_survive_the_death_of_workers(working_arena):
    lead, project = new_lead(), labeled_project("slow workers")
    undisturbed = queue(project, lead=lead, n=1)
    working_arena.wait(all_final, undisturbed)
    pks = queue(project, lead=lead, n=40 if FULL else 5)

    def kill(worker: int) -> None:
        # A third loss would rightly fail a run; the poison runs below are for that.
        wait_until(lambda: not Report.objects.filter(pk__in=pks, state="running", losses=2).exists())
        working_arena.restart_worker(working_arena.workers[worker % 2])

    harass(working_arena, pks, *[partial(kill, n) for n in range(20 if FULL else 1)], pause=2.0)

    assert_all_done_alike(undisturbed + pks)


@only_in_full
def test_runs_survive_the_death_of_postgres(working_arena):
    lead, project = new_lead(), labeled_project("slow postgres")
    pks = queue(project, lead=lead, n=40 if FULL else 5)

    harass(working_arena, pks, *[working_arena.restart_postgres] * (10 if FULL else 1), pause=4.0)

    assert_all_done_alike(pks)


def test_runs_survive_the_death_of_the_broker(working_arena):
    lead, project = new_lead(), labeled_project("slow broker")
    pks = queue(project, lead=lead, n=40 if FULL else 5)

    harass(working_arena, pks, *[working_arena.restart_broker] * (10 if FULL else 1), pause=4.0)

    assert_all_done_alike(pks)


@only_in_full
@pytest.mark.parametrize("shift", [3600, -3600])
def test_a_worker_with_a_wrong_clock_does_no_harm(working_arena, shift):
    lead, project = new_lead(), labeled_project("slow clock")
    wrong = working_arena.start_worker(FAULT_CLOCK_SHIFT=str(shift), FAULT_SLOW_SECONDS=str(1.5 * LEASE))
    pks = queue(project, lead=lead, n=8)

    working_arena.wait(all_final, pks, seconds=240)
    working_arena.stop_worker(wrong)

    assert_all_done_alike(pks)
    assert not Report.objects.filter(pk__in=pks, losses__gt=0).exists()


@only_in_full
def test_a_worker_that_slept_through_its_lease_writes_nothing(working_arena):
    lead, project = new_lead(), labeled_project("slow sleepers")
    sleeper = working_arena.workers[0]
    for _ in range(5 if FULL else 1):
        pks = queue(project, lead=lead, n=6)
        wait_until(lambda pks=pks: Report.objects.filter(pk__in=pks, state="running").count() >= 4)
        os.killpg(sleeper.pid, signal.SIGSTOP)
        # The runs of the sleeper are taken up and ended by others while it sleeps.
        working_arena.wait(all_final, pks, seconds=240 + 3 * LEASE)
        before = [results(pk) for pk in pks]
        os.killpg(sleeper.pid, signal.SIGCONT)
        # What the sleeper does next is over when it has taken and ended new runs.
        late = queue(project, lead=lead, n=6)
        working_arena.wait(all_final, late)

        assert [results(pk) for pk in pks] == before
        assert_all_done_alike(pks + late)


@only_in_full
@pytest.mark.parametrize("fault", some(["kill", "memory"], every=2))
def test_a_poison_run_does_not_block_the_others(working_arena, fault):
    lead = new_lead()
    n = 20 if FULL else 4
    poison = queue(labeled_project(f"{fault} me"), lead=lead, n=n if fault == "kill" else 2)
    good = queue(labeled_project("good"), lead=lead, n=n)

    working_arena.wait(all_final, good + poison, seconds=240)

    assert states(good) == ["done"] * len(good)
    assert states(poison) == ["failed"] * len(poison)
    ended = Report.objects.filter(pk__in=poison)
    if fault == "kill":
        assert {(report.attempt, report.losses) for report in ended} == {(3, 2)}
        assert {report.failure[:27] for report in ended} == {"The worker stopped 3 times "}
    else:
        assert {report.failure for report in ended} == {
            "The worker ran out of memory. Request fewer questions or rounds at a time."
        }


@only_in_full
def test_a_project_with_many_runs_does_not_hold_up_another(working_arena):
    lead = new_lead()
    busy, quiet = labeled_project("slow busy"), labeled_project("slow quiet")
    many = queue(busy, lead=lead, n=16)
    wait_until(lambda: Report.objects.filter(pk__in=many, state="running").count() == 4)

    (one,) = queue(quiet, lead=lead, n=1)
    working_arena.wait(all_final, [*many, one])

    mine = Report.objects.get(pk=one)
    before_it = Report.objects.filter(
        pk__in=many, started_at__gt=mine.asked_at, started_at__lt=mine.started_at
    )
    # Two workers of two processes; what they were at when it was queued does not count.
    assert before_it.count() <= 4
    assert states([*many, one]) == ["done"] * 17


@only_in_full
def test_an_endless_run_is_stopped_at_its_limit(django_db_setup: None, django_db_blocker):
    with django_db_blocker.unblock(), open_arena() as arena:
        # It tells the worker. Long enough for a report of a few labels on a machine that is busy with everything else.
        arena.start_dispatcher(RUN_SOFT_TIME_LIMIT="20")
        arena.start_worker()
        lead = new_lead()
        endless = queue(labeled_project("loop for ever"), lead=lead, n=1)
        good = queue(labeled_project("good"), lead=lead, n=3)

        arena.wait(all_final, endless + good, seconds=240)

        assert states(good) == ["done"] * 3
        assert Report.objects.get(pk=endless[0]).failure.startswith("This took longer than ")


@only_in_full
def test_a_cancelled_run_writes_nothing(working_arena):
    lead, project = new_lead(), labeled_project("slow cancel")
    pks = queue(project, lead=lead, n=2)
    wait_until(lambda: Report.objects.filter(pk__in=pks, state="running").exists())

    assert all(Report.objects.get(pk=pk).cancel() for pk in pks)
    after = queue(project, lead=lead, n=4)
    working_arena.wait(all_final, after)

    assert states(pks) == ["cancelled"] * 2
    assert not Report.objects.filter(pk__in=pks, questions__isnull=False).exists()


def ask(project: Project, lead: User) -> tuple[Report, float]:
    started = time.monotonic()
    report = request_report(project, by=lead)
    return report, time.monotonic() - started


@only_in_full
def test_reports_are_asked_for_while_the_broker_is_stopped(working_arena):
    lead, project = new_lead(), labeled_project("stopped broker")
    working_arena.broker.stop()

    report, seconds = ask(project, lead)

    assert seconds < 1
    working_arena.broker.start()
    working_arena.valkey.wait(working_arena.broker)
    working_arena.wait(all_final, [report.pk], seconds=240)
    assert states([report.pk]) == ["done"]


@only_in_full
def test_reports_are_asked_for_while_the_broker_hangs(working_arena):
    lead, project = new_lead(), labeled_project("hung broker")
    os.kill(working_arena.broker.pid, signal.SIGSTOP)
    complaints = working_arena.dispatcher.output().count(AWAY)
    try:
        report, seconds = ask(project, lead)
        # The dispatcher has met the hung broker and given up waiting for it.
        wait_until(lambda: working_arena.dispatcher.output().count(AWAY) > complaints)
    finally:
        os.kill(working_arena.broker.pid, signal.SIGCONT)

    assert seconds < 1
    working_arena.wait(all_final, [report.pk], seconds=240)
    assert states([report.pk]) == ["done"]
