"""How work on a run ends: in exactly one way, with a sentence for the person who asked."""

import signal
import threading
import time

import psycopg
import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, connection, transaction

from core.runs.lease import INTERRUPT, MOST_ATTEMPTS, Lease, RunFailed, RunLost, work_on
from core.runs.ledger import Run
from reports.models import Report
from tests import cast
from tests.live import wait_until


@pytest.fixture
def leased_run(committed_db) -> Report:
    lead = cast.person("lena", unique=True)
    return Report.objects.create(project=cast.new_project("Leased", unique=True), asked_by=lead)


def again(run: Run) -> Report:
    return Report.objects.get(pk=run.pk)


def test_the_holder_of_the_lease_ends_the_run(leased_run):
    with work_on(Report, leased_run.pk) as lease:
        assert again(leased_run).state == Run.State.RUNNING
        assert lease.run.finish()

    assert again(leased_run).state == Run.State.DONE


def test_a_run_at_work_is_not_worked_on_twice(leased_run):
    with work_on(Report, leased_run.pk), work_on(Report, leased_run.pk) as second:
        assert second is None


def test_what_is_canceled_stops_though_it_never_tells_how_far_it_is(leased_run):
    done = False

    with work_on(Report, leased_run.pk):
        again(leased_run).cancel()
        stop = time.monotonic() + 10
        while time.monotonic() < stop:
            pass
        done = True

    assert not done
    assert again(leased_run).state == Run.State.CANCELLED
    assert signal.getsignal(INTERRUPT) is signal.SIG_DFL


def test_what_is_canceled_stops_in_the_middle_of_a_statement(leased_run):
    done = False

    with work_on(Report, leased_run.pk), transaction.atomic(), connection.cursor() as cursor:
        threading.Thread(target=cancel_elsewhere, args=[leased_run]).start()
        cursor.execute("SELECT pg_sleep(10)")
        done = True

    assert not done
    assert again(leased_run).state == Run.State.CANCELLED


def cancel_elsewhere(run: Run) -> None:
    again(run).cancel()
    connection.close()


def test_what_is_done_is_not_interrupted(leased_run):
    with work_on(Report, leased_run.pk) as lease:
        assert lease.run.finish()
        assert lease._look()
        assert lease._beat({"stage": "Later", "share_done": 0.5})
        lease.report_progress("Later still", 0.6)

    assert again(leased_run).state == Run.State.DONE


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (RunFailed("The file is gone."), "The file is gone."),
        (SoftTimeLimitExceeded(), "This took longer than 5 minutes and was stopped."),
        (MemoryError(), "The worker ran out of memory."),
        (ZeroDivisionError("secret"), "An unexpected error occurred (ZeroDivisionError)."),
    ],
)
def test_a_failure_is_reported_in_a_sentence(leased_run, error, sentence):
    with work_on(Report, leased_run.pk):
        raise error

    ended = again(leased_run)
    assert ended.state == Run.State.FAILED
    assert ended.failure.startswith(sentence)
    assert "secret" not in ended.failure


@pytest.mark.parametrize("error", [OperationalError("gone"), psycopg.OperationalError("gone")])
def test_a_database_that_goes_away_hands_the_run_back(leased_run, error):
    with work_on(Report, leased_run.pk):
        raise error

    assert (again(leased_run).state, again(leased_run).losses) == (Run.State.QUEUED, 0)


@pytest.mark.parametrize("error", [psycopg.errors.QueryCanceled("slow"), psycopg.errors.DiskFull("full")])
def test_a_statement_at_fault_fails_the_run_instead(leased_run, error):
    with work_on(Report, leased_run.pk):
        raise error

    assert again(leased_run).state == Run.State.FAILED


def test_a_run_that_the_database_never_bears_is_given_up(leased_run):
    Report.objects.filter(pk=leased_run.pk).update(attempt=MOST_ATTEMPTS)

    with work_on(Report, leased_run.pk):
        raise OperationalError("gone")

    assert again(leased_run).failure.startswith("The database became unavailable")


def test_canceling_stops_the_holder_at_its_next_report(leased_run):
    with work_on(Report, leased_run.pk) as lease:
        Report.objects.get(pk=leased_run.pk).cancel()
        lost = threading.Event()

        def report_progress() -> bool:
            try:
                lease.report_progress("counting", 0.5)
            except RunLost:
                lost.set()
            return lost.is_set()

        wait_until(report_progress, seconds=120)

    assert again(leased_run).state == Run.State.CANCELLED


def test_progress_is_seen_by_others_while_the_work_goes_on(leased_run):
    with work_on(Report, leased_run.pk) as lease:
        lease.report_progress("counting", 0.5)

        wait_until(lambda: again(leased_run).share_done == 0.5, seconds=120)

        assert again(leased_run).stage == "counting"


def test_the_heartbeat_ends_with_the_work(leased_run):
    with work_on(Report, leased_run.pk) as lease:
        assert isinstance(lease, Lease)
        assert "heartbeat" in {thread.name for thread in threading.enumerate()}

    assert "heartbeat" not in {thread.name for thread in threading.enumerate()}
    assert not connection.in_atomic_block
