"""A model run against an endpoint that answers, fails in every way, or is gone: nothing is lost or sent twice."""

import threading

import pytest

from core.runs.ledger import from_now
from projects.models import Event, Item, Project, Question
from raters.model_runs.choosing import Items
from raters.model_runs.drafting import RunBudget
from raters.model_runs.starting import resume
from raters.models import Label, LabelRevision, ModelRequest, ModelRun, Rater
from raters.tasks import run_model
from tests.labeling import new_question
from tests.raters.model_runs.conftest import KEY, work_off
from tests.raters.model_runs.endpoint import Fault, error

State = ModelRequest.State


def states(run: ModelRun) -> dict[str, str]:
    return dict(run.requests.values_list("item__key", "state"))


def stored_answers(run: ModelRun) -> dict[str, str]:
    labels = Label.objects.filter(rater=run.rater)
    return dict(labels.values_list("item__key", "category__key"))


def test_all_items_are_labeled(new_run, endpoint, work, sender):
    answers = {"Text 1": "good", "Text 2": "bad", "Text 3": "fair"}
    endpoint.answer = lambda text: {"tone": answers[text]}

    run = work_off(new_run())

    assert run.state == ModelRun.State.DONE
    assert stored_answers(run) == {"item-1": "good", "item-2": "bad", "item-3": "fair"}
    assert endpoint.texts == dict.fromkeys(answers, 1)
    assert {headers["Authorization"] for headers, _ in endpoint.received} == {f"Bearer {KEY}"}
    assert {headers["path"] for headers, _ in endpoint.received} == {"/v1/chat/completions"}
    rater = run.rater
    assert (rater.kind, rater.key) == (Rater.Kind.MODEL, f"tiny · {run.digest[:6]}")
    assert rater.attributes == {
        "model": "tiny",
        "configuration": run.digest,
        "reported model": "tiny-2026-08",
    }
    assert set(Label.objects.filter(rater=rater).values_list("round", "pass_number")) == {(work.round.pk, 1)}
    history = LabelRevision.objects.filter(rater_id=rater.pk)
    assert set(history.values_list("source", "user_id")) == {(f"model run {run.pk}", sender.pk)}


def test_what_was_shown_is_what_was_sent(new_draft, endpoint, sender):
    from raters.model_runs.configuring import request_of
    from raters.model_runs.starting import start

    run = new_draft()
    shown = {request_of(run.content, row.item) for row in run.requests.select_related("item")}
    assert endpoint.received == []

    start(run, by=sender)
    work_off(run)

    assert {body for _, body in endpoint.received} == shown


def test_tokens_and_cost_are_those_of_the_endpoint(new_run):
    run = work_off(new_run())

    figures = run.figures
    assert (figures.n_input, figures.n_output) == (300, 30)
    assert figures.cost == pytest.approx((300 * 1.0 + 30 * 10.0) / 1_000_000)


def test_without_usage_tokens_are_estimated(new_run, endpoint):
    endpoint.usage = None

    run = work_off(new_run())

    row = run.requests.first()
    assert (row.n_input, row.n_output) == (row.n_input_estimated, row.n_output_estimated)


@pytest.mark.parametrize(
    "fault",
    [
        error(429, "slow down", **{"Retry-After": "0"}),
        error(429, "slow down"),
        error(500),
        error(503, "overloaded"),
        Fault(cut=True, body="x" * 1000),
    ],
)
def test_what_may_pass_is_tried_again(new_run, endpoint, fault):
    endpoint.faults = {"Text 2": [fault]}

    run = work_off(new_run())

    assert set(states(run).values()) == {State.DONE}
    assert endpoint.texts == {"Text 1": 1, "Text 2": 2, "Text 3": 1}


def test_a_request_without_an_answer_in_time_is_tried_again(new_run, endpoint, settings):
    settings.MODEL_TIMEOUT = 0.2
    held = threading.Event()
    endpoint.faults = {"Text 1": [Fault(wait=held)]}

    run = work_off(new_run())
    held.set()

    assert set(states(run).values()) == {State.DONE}
    assert endpoint.texts["Text 1"] == 2


def test_the_endpoint_says_how_long_to_wait(new_run, endpoint):
    endpoint.faults = {"any": [error(429, "slow down", **{"Retry-After": "120"})]}
    run = new_run()

    run_model(run.pk)

    run.refresh_from_db()
    assert run.state == ModelRun.State.QUEUED
    assert 119 <= (run.due_at - run.started_at).total_seconds() <= 121
    assert not ModelRun.objects.due().exists()
    assert set(states(work_off(run)).values()) == {State.DONE}


def test_without_a_requested_pause_pauses_grow(new_run, endpoint, settings):
    settings.MODEL_PAUSES = (10.0, 100.0)
    endpoint.faults = {"Text 1": [error(500), error(500)]}
    run = new_run()
    pauses = []
    for _ in range(2):
        run_model(run.pk)
        run.refresh_from_db()
        pauses.append(round((run.due_at - run.started_at).total_seconds()))
        ModelRun.objects.filter(pk=run.pk).update(due_at=from_now(-1))

    assert pauses == [10, 100]


def test_an_endpoint_that_stays_down_stops_the_run(new_run, endpoint):
    endpoint.faults = {"any": [error(503, "down for maintenance")] * 50}

    run = work_off(new_run())

    assert run.state == ModelRun.State.FAILED
    assert "down for maintenance" in run.failure
    # Two at a time, each tried three times; the third item was never sent.
    assert endpoint.texts == {"Text 1": 3, "Text 2": 3}
    assert states(run) == {"item-1": State.FAILED, "item-2": State.FAILED, "item-3": State.PENDING}


def test_one_item_that_keeps_failing_does_not_stop_the_others(new_run, endpoint):
    endpoint.faults = {"Text 1": [error(500)] * 3}

    run = work_off(new_run())

    assert run.state == ModelRun.State.DONE
    assert states(run) == {"item-1": State.FAILED, "item-2": State.DONE, "item-3": State.DONE}


@pytest.mark.parametrize("status", [400, 401, 403, 404, 301])
def test_a_refusal_stops_the_run(new_run, endpoint, status):
    endpoint.faults = {"any": [error(status, f"bad key {KEY}")] * 2}

    run = work_off(new_run())

    assert run.state == ModelRun.State.FAILED
    assert str(status) in run.failure
    assert ("bad key" in run.failure) == (status not in {401, 403})
    assert KEY not in run.failure
    assert len(endpoint.received) == 2
    assert states(run)["item-3"] == State.PENDING


def test_an_item_that_the_endpoint_refuses_does_not_stop_a_run_that_works(new_run, endpoint):
    endpoint.faults = {"Text 3": [error(400, "too long for the model")]}

    run = work_off(new_run())

    assert run.state == ModelRun.State.DONE
    assert "too long for the model" in run.requests.get(state=State.FAILED).fault


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("I think it is good.", "not valid JSON"),
        ("[]", "not a JSON object"),
        ({"tone": "great"}, "great"),
        ({}, "no answer"),
        ({"tone": ["good"]}, "wrong type"),
        ({"tone": "good", "mood": "good"}, "mood"),
        ('{"tone": "\\u0000\\ud800"}', "no category"),
    ],
)
def test_an_answer_that_does_not_fit_is_asked_for_once_more_and_kept(new_run, endpoint, answer, why):
    endpoint.answer = lambda text: answer if text == "Text 1" else {"tone": "bad"}

    run = work_off(new_run())

    assert run.state == ModelRun.State.DONE
    assert endpoint.texts == {"Text 1": 2, "Text 2": 1, "Text 3": 1}
    failed = run.requests.get(state=State.FAILED)
    assert failed.item.key == "item-1"
    assert why in failed.fault
    assert failed.answer
    # Both answers were paid for.
    assert failed.n_input == 200
    assert stored_answers(run) == {"item-2": "bad", "item-3": "bad"}


def test_a_second_answer_that_fits_counts(new_run, endpoint):
    answers = iter(["hm", {"tone": "good"}])
    endpoint.answer = lambda text: next(answers) if text == "Text 1" else {"tone": "bad"}

    run = work_off(new_run())

    assert stored_answers(run)["item-1"] == "good"


def test_a_fenced_answer_is_read(new_run, endpoint):
    endpoint.answer = lambda _: '```json\n{"tone": "good"}\n```'

    assert set(stored_answers(work_off(new_run())).values()) == {"good"}


def test_another_run_of_the_same_configuration_is_the_next_pass(new_run, endpoint):
    first = work_off(new_run())
    second = work_off(new_run(items=Items(is_only_new=False)))

    assert first.rater == second.rater
    assert set(Label.objects.filter(rater=first.rater).values_list("pass_number", flat=True)) == {1, 2}
    assert second.state == ModelRun.State.DONE


def test_another_prompt_is_another_rater(new_run):
    first = work_off(new_run())
    second = work_off(new_run(instructions="Irony counts as bad."))

    assert first.rater != second.rater
    assert second.content["system"].count("Irony counts as bad.") == 1


def test_conditional_questions_numbers_and_sets(work, new_run, endpoint):
    project = work.project
    new_question(project, key="themes", kind=Question.Kind.MULTIPLE, categories=("price", "taste"))
    Question.objects.create(
        project=project,
        key="stars",
        kind=Question.Kind.NUMBER,
        level="interval",
        minimum=1,
        maximum=5,
        position=2,
    )
    Question.objects.create(
        project=project,
        key="why",
        kind=Question.Kind.TEXT,
        asked_if_question="tone",
        asked_if_categories=["bad"],
        position=3,
    )
    endpoint.answer = lambda text: {
        "Text 1": {"tone": "good", "themes": ["taste", "price"], "stars": 5, "why": "dropped"},
        "Text 2": {"tone": "bad", "themes": [], "stars": 1, "why": "cold"},
        "Text 3": {"tone": None, "themes": ["price"], "stars": None, "why": None},
    }[text]

    run = work_off(new_run())

    assert set(states(run).values()) == {State.DONE}
    labels = Label.objects.filter(rater=run.rater).order_by("item", "question__position")
    found = {(each.item.key, each.question.key): each for each in labels.select_related("item", "question")}
    assert ("item-1", "why") not in found
    assert found["item-2", "why"].text == "cold"
    assert found["item-1", "stars"].number == 5.0
    assert found["item-2", "themes"].category_set == []
    assert len(found["item-1", "themes"].category_set) == 2
    assert found["item-3", "tone"].is_abstention
    assert found["item-3", "stars"].is_abstention
    assert ("item-3", "why") not in found


def test_an_item_that_changed_after_the_start_is_not_sent(new_run, endpoint, work):
    run = new_run()
    item = work.items[1]
    item.content = [{"name": "text", "kind": "text", "value": "Something secret"}]
    item.save(update_fields=["content"])
    Item.objects.filter(pk=work.items[2].pk).update(withdrawn_at=from_now(0))

    run = work_off(run)

    assert states(run) == {"item-1": State.DONE, "item-2": State.FAILED, "item-3": State.FAILED}
    assert endpoint.texts == {"Text 1": 1}


def test_a_closed_project_takes_no_labels(new_run, endpoint, work, sender):
    run = new_run()
    run.requests.filter(position=1).update(state=State.ANSWERED, answer='{"tone": "fair"}')
    Project.objects.filter(pk=work.project.pk).update(state=Project.State.CLOSED)

    run = work_off(run)

    assert (run.state, endpoint.received, stored_answers(run)) == (ModelRun.State.FAILED, [], {})
    Project.objects.filter(pk=work.project.pk).update(state=Project.State.OPEN)
    resume(run, by=sender, limits=RunBudget())
    assert stored_answers(work_off(run)) == {"item-1": "fair", "item-2": "good", "item-3": "good"}


def test_the_endpoint_of_another_operator_gets_nothing(new_run, endpoint, settings):
    run = new_run()
    settings.MODEL_ENDPOINT = "http://127.0.0.1:1/v1"

    run = work_off(run)

    assert run.state == ModelRun.State.FAILED
    assert set(states(run).values()) == {State.PENDING}


def test_the_log_says_who_sent_what_where(new_run, endpoint, work, sender):
    run = work_off(new_run(fields_left_out=["site"]))

    events = Event.objects.filter(project_id=work.project.pk, kind__startswith="model_run").order_by("id")
    started, ended = events
    assert (started.kind, started.user_id, started.about) == (
        "model_run_started",
        sender.pk,
        run.rater.key,
    )
    assert started.detail == {
        "run": run.pk,
        "model": "tiny",
        "host": endpoint.url.removeprefix("http://").removesuffix("/v1"),
        "items": 3,
        "questions": ["tone"],
        "fields_left_out": ["site"],
        "digest": run.digest,
    }
    assert ended.kind == "model_run_ended"
    assert ended.detail["labeled"] == 3
    assert KEY not in str([event.detail for event in events])
