"""The ledger of runs: every change of state is fenced by state and attempt."""

import pytest
from django.utils import timezone

from core.runs.ledger import Run, from_now, run_models
from projects.models import Delivery
from raters.models import FinalEstimate, LabelImport, ModelRun, NotificationMail, StoredFigures
from reports.models import OnDemandFigures, Report, ReportShard


def silence(run: Run) -> None:
    """Let the lease of a run end, as if its worker had died."""
    type(run).objects.filter(pk=run.pk).update(lease_until=from_now(-1))


def again(run: Run) -> Run:
    return type(run).objects.get(pk=run.pk)


def test_the_program_knows_its_kinds_of_runs():
    assert set(run_models()) == {
        Report,
        ReportShard,
        OnDemandFigures,
        LabelImport,
        FinalEstimate,
        ModelRun,
        Delivery,
        NotificationMail,
        StoredFigures,
    }


def test_a_run_is_claimed_once(run):
    rival = again(run)

    assert run.claim()
    assert not rival.claim()
    assert again(run).state == Run.State.RUNNING


def test_a_draft_is_nobodys_work(run):
    Report.objects.filter(pk=run.pk).update(state=Run.State.DRAFT)

    assert not again(run).claim()
    assert not Report.objects.due().exists()


def test_a_silent_run_is_taken_up_by_another_worker(run):
    run.claim()
    silence(run)
    second = again(run)

    assert second.claim()
    assert (second.attempt, second.losses) == (2, 1)


def test_a_worker_that_wakes_up_too_late_may_write_nothing(run):
    run.claim()
    silence(run)
    again(run).claim()

    assert not run.beat(stage="reading", share_done=0.5)
    assert not run.finish()
    assert not run.fail("too late")
    assert not run.release()
    assert again(run).attempt == 2
    assert again(run).state == Run.State.RUNNING


def test_the_third_loss_fails_with_a_sentence(run):
    for _ in range(3):
        assert again(run).claim()
        silence(run)

    assert not again(run).claim()
    assert Report.objects.fail_lost() == 1
    assert again(run).state == Run.State.FAILED
    assert again(run).failure.startswith("The worker stopped 3 times")


def test_a_run_handed_back_does_not_count_as_lost(run):
    for _ in range(5):
        mine = again(run)
        assert mine.claim()
        assert mine.release()

    assert (again(run).attempt, again(run).losses) == (5, 0)
    assert Report.objects.fail_lost() == 0


@pytest.mark.parametrize("claimed", [False, True])
def test_cancel_ends_a_run_and_its_worker_may_not_finish(run, claimed):
    if claimed:
        run.claim()

    assert run.cancel()
    assert not run.finish()
    assert again(run).state == Run.State.CANCELLED


@pytest.mark.parametrize("end", ["finish", "cancel"])
def test_a_run_that_ended_stays_as_it_ended(run, end):
    run.claim()
    getattr(run, end)()
    ended = again(run).state

    assert not again(run).claim()
    assert not run.cancel()
    assert not run.fail("again")
    assert again(run).state == ended


def test_retry_queues_a_failed_run_afresh(run, lead):
    run.claim()
    run.fail("no memory")

    assert run.retry(by=lead)
    assert (again(run).state, again(run).failure, again(run).losses) == (Run.State.QUEUED, "", 0)
    assert again(run).finished_at is None


def test_a_run_at_work_is_not_retried(run, lead):
    run.claim()

    assert not run.retry(by=lead)


def test_a_beat_extends_the_lease_and_tells_the_progress(run):
    run.claim()
    silence(run)

    assert run.beat(stage="counting", share_done=0.25)
    assert again(run).lease_until > timezone.now()
    assert (again(run).stage, again(run).share_done) == ("counting", 0.25)


def test_seconds_are_those_of_the_last_attempt(run):
    run.claim()
    run.finish()

    ended = again(run)
    assert ended.seconds == pytest.approx((ended.finished_at - ended.started_at).total_seconds())
