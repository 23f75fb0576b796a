"""Model runs whose worker dies, that are canceled, or that reach a limit."""

import pytest

from core.runs.ledger import from_now
from raters.model_runs.drafting import RunBudget
from raters.model_runs.starting import cancel, resume
from raters.models import Label, ModelRun
from tests.raters.model_runs.conftest import work_off
from tests.raters.model_runs.test_working import State, states, stored_answers


def test_a_worker_that_dies_leaves_requests_whose_fate_is_unknown(new_run, endpoint, sender):
    run = new_run()
    # As after a kill between the commit of "sent" and the answer.
    assert ModelRun.objects.get(pk=run.pk).claim()
    run.requests.filter(position=1).update(state=State.SENT, attempt=1, sent_at=from_now(0))
    ModelRun.lose(run.pk)

    run = work_off(run)

    assert states(run) == {"item-1": State.UNKNOWN, "item-2": State.DONE, "item-3": State.DONE}
    assert endpoint.texts == {"Text 2": 1, "Text 3": 1}

    resume(run, by=sender, with_unknown=True, limits=RunBudget())
    run = work_off(run)
    assert states(run)["item-1"] == State.DONE
    assert endpoint.texts == {"Text 1": 1, "Text 2": 1, "Text 3": 1}


def test_an_answer_that_was_stored_is_labeled_without_sending_again(new_run, endpoint):
    run = new_run()
    # As after a kill between the commit of the answer and that of its label.
    run.requests.filter(position=2).update(state=State.ANSWERED, answer='{"tone": "fair"}')

    run = work_off(run)

    assert stored_answers(run)["item-2"] == "fair"
    assert endpoint.texts == {"Text 1": 1, "Text 3": 1}


def test_a_cancellation_stops_before_the_next_request_and_keeps_what_comes_back(new_run, endpoint, sender):
    run = new_run()
    fetched = ModelRun.objects.get(pk=run.pk)
    assert fetched.claim()

    from raters.model_runs import working

    wave = working._taken(fetched)
    assert cancel(ModelRun.objects.get(pk=run.pk), by=sender)
    working._send(fetched, wave)

    run.refresh_from_db()
    assert run.state == ModelRun.State.CANCELLED
    assert states(run) == {"item-1": State.DONE, "item-2": State.DONE, "item-3": State.PENDING}
    with pytest.raises(working.RunLost):
        working._taken(fetched)


def test_a_late_answer_does_not_undo_that_it_was_asked_for_again(new_run, endpoint, sender):
    from raters.model_runs import working

    run = new_run()
    lost = ModelRun.objects.get(pk=run.pk)
    assert lost.claim()
    wave = working._taken(lost)
    ModelRun.lose(run.pk)
    run = work_off(run)
    resume(run, by=sender, with_unknown=True, limits=RunBudget())
    run = work_off(run)
    assert set(states(run).values()) == {State.DONE}

    # The first worker wakes up with its answers.
    endpoint.answer = lambda _: {"tone": "bad"}
    working._send(lost, wave)

    assert set(stored_answers(run).values()) == {"good"}
    assert Label.objects.filter(rater=run.rater).count() == 3


def test_the_limit_of_tokens_stops_the_run_before_it_is_exceeded(new_run, endpoint, sender):
    run = new_run(limits=RunBudget(tokens=330))
    run.requests.update(n_input_estimated=100, n_output_estimated=50)

    run = work_off(run)

    assert run.state == ModelRun.State.FAILED
    # Two requests are within 330; what they used (2 × 110) and a third one (150) are not.
    assert states(run) == {"item-1": State.DONE, "item-2": State.DONE, "item-3": State.PENDING}
    assert len(endpoint.received) == 2


def test_the_limit_of_cost_stops_the_run_and_can_be_raised(new_run, endpoint, sender):
    run = new_run(limits=RunBudget(cost=0.0005))
    # 0.0002 each: one within the limit, and a second one.
    run.requests.update(n_input_estimated=100, n_output_estimated=10)

    run = work_off(run)

    assert run.state == ModelRun.State.FAILED
    assert states(run) == {"item-1": State.DONE, "item-2": State.DONE, "item-3": State.PENDING}

    resume(run, by=sender, limits=RunBudget(cost=0.01))
    run = work_off(run)
    assert run.state == ModelRun.State.DONE
    assert endpoint.texts == {"Text 1": 1, "Text 2": 1, "Text 3": 1}
