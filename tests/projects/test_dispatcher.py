"""What is sent to the broker, and when; the broker itself is real in tests/faults."""

from unittest.mock import patch

import pytest
from django.db import OperationalError, connection, transaction
from kombu.exceptions import OperationalError as BrokerError

from core.runs.chores import Chore
from core.runs.dispatcher import Dispatcher
from core.runs.ledger import from_now
from raters.models import LabelImport
from reports.models import Report, ReportShard
from tests import cast
from tests.labeling import new_question


@pytest.fixture
def send_task():
    with patch("core.runs.dispatcher.current_app.send_task") as send:
        yield send


def aged(run: Report, *, seconds: int) -> None:
    """Let the last message of a run be this old."""
    Report.objects.filter(pk=run.pk).update(sent_at=from_now(-seconds))


def test_a_queued_run_is_named_to_the_broker_once(run, send_task):
    dispatcher = Dispatcher()

    dispatcher.sweep()
    dispatcher.sweep()

    assert send_task.call_count == 1
    assert send_task.call_args.args == ("reports.compute_report",)
    assert send_task.call_args.kwargs["args"] == [run.pk]


@pytest.mark.parametrize(("sends", "pause"), [(1, 2), (2, 4), (5, 32), (6, 60), (40, 60)])
def test_a_message_that_may_be_lost_is_sent_again_ever_more_slowly(run, send_task, sends, pause):
    Report.objects.filter(pk=run.pk).update(sends=sends)

    aged(run, seconds=pause - 1)
    Dispatcher().sweep()
    assert send_task.call_count == 0

    aged(run, seconds=pause + 1)
    Dispatcher().sweep()
    assert send_task.call_count == 1


def test_a_run_that_waits_for_weeks_does_not_stop_the_others(run, send_task):
    Report.objects.filter(pk=run.pk).update(sends=32_767)
    aged(run, seconds=61)

    Dispatcher().sweep()

    assert Report.objects.get(pk=run.pk).sends == 100


def test_a_run_at_work_is_not_sent(run, send_task):
    run.claim()

    Dispatcher().sweep()

    assert send_task.call_count == 0


def test_a_lost_run_is_sent_at_once(run, send_task):
    run.claim()
    Report.lose(run.pk)

    Dispatcher().sweep()

    assert send_task.call_count == 1


def test_the_last_loss_fails_the_run_instead(run, send_task):
    run.claim()
    Report.objects.filter(pk=run.pk).update(losses=2)
    Report.lose(run.pk)

    Dispatcher().sweep()

    assert send_task.call_count == 0
    assert Report.objects.get(pk=run.pk).state == Report.State.FAILED


def named(send_task) -> list[int]:
    return [call.kwargs["args"][0] for call in send_task.call_args_list]


def test_projects_take_turns(run, send_task, lead):
    mine = [run, *(Report.objects.create(project=run.project, asked_by=lead) for _ in range(3))]
    theirs = Report.objects.create(project=cast.new_project("Theirs"), asked_by=lead)
    dispatcher = Dispatcher()

    dispatcher.sweep()
    assert named(send_task) == [mine[0].pk, theirs.pk]

    mine[0].claim()
    dispatcher.sweep()
    assert named(send_task)[2:] == [mine[1].pk]


def test_the_turn_of_a_project_is_for_all_kinds_of_runs(run, send_task):
    LabelImport.objects.create(project=run.project, n_bytes=1)
    dispatcher = Dispatcher()

    dispatcher.sweep()
    assert named(send_task) == [run.pk]

    run.claim()
    dispatcher.sweep()
    assert send_task.call_args.args == ("raters.load_import",)


def test_a_message_that_may_be_lost_keeps_its_turn(run, send_task, lead):
    Report.objects.create(project=run.project, asked_by=lead)
    Report.objects.filter(pk=run.pk).update(sends=1)
    aged(run, seconds=3)

    Dispatcher().sweep()

    assert named(send_task) == [run.pk]


def test_a_cancelled_run_gives_its_turn_to_the_next(run, send_task, lead):
    second = Report.objects.create(project=run.project, asked_by=lead)
    dispatcher = Dispatcher()
    dispatcher.sweep()

    run.cancel()
    dispatcher.sweep()

    assert named(send_task) == [run.pk, second.pk]


def test_a_broker_that_is_away_is_left_alone_for_a_while(run, send_task):
    send_task.side_effect = BrokerError("gone")
    dispatcher = Dispatcher()

    dispatcher.sweep()
    dispatcher.sweep()

    assert send_task.call_count == 1
    assert Report.objects.get(pk=run.pk).sent_at is None


def test_forged_or_repeated_messages_do_nothing(db):
    from reports.tasks import compute_report

    compute_report(123_456_789)


def test_chores_are_done_each_at_its_own_pace_and_hold_up_nothing(run, send_task, monkeypatch):
    done = []

    def fail() -> None:
        done.append("fails")
        raise OperationalError("gone")

    often, seldom = Chore(lambda: done.append("often"), every=0.0), Chore(fail, every=60.0)
    monkeypatch.setattr("core.runs.dispatcher.chores", lambda: (seldom, often))
    dispatcher = Dispatcher()

    for _ in range(3):
        dispatcher.do_chores()
        dispatcher.sweep()

    assert done == ["fails", "often", "often", "often"]
    assert named(send_task) == [run.pk]


def test_a_shard_that_no_worker_takes_holds_up_no_other_run(run, send_task):
    """As after an upgrade: its message is dropped by workers of the new version."""
    whose = {"report": run, "question": new_question(run.project, key="shared")}
    what = {"work": "question", "digest": "", "counted": [], "first": 0, "last": 1}
    ReportShard.objects.create(**whose, **what, sent_at=from_now(0), sends=1)

    Dispatcher().sweep()

    assert named(send_task) == [run.pk]


def test_a_chore_that_takes_too_long_is_canceled(run, send_task, monkeypatch):
    def take_long() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(60)")

    monkeypatch.setattr("core.runs.dispatcher.chores", lambda: (Chore(take_long, every=60.0),))
    monkeypatch.setattr("core.runs.dispatcher.LONGEST_OF_CHORE", 1)
    dispatcher = Dispatcher()

    dispatcher.do_chores()
    dispatcher.sweep()

    assert named(send_task) == [run.pk]
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)
