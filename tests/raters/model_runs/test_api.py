"""Model runs over the API."""

import json

import pytest
from django.urls import reverse

from raters.models import Label, ModelRun
from tests.raters.model_runs.conftest import KEY, work_off
from tests.raters.model_runs.endpoint import error


@pytest.fixture
def send(client, work):
    def send(name: str, *args, method: str = "post", **body):
        where = reverse(name, args=[work.project.slug, *args])
        return client.generic(method.upper(), where, json.dumps(body), content_type="application/json")

    return send


@pytest.fixture
def get(client, work):
    def get(name: str, *args, **query):
        answer = client.get(reverse(name, args=[work.project.slug, *args]), query)
        assert answer.status_code == 200, answer.content
        return answer.json()

    return get


def test_from_draft_to_labels(send, get, work, endpoint):
    made = send("api_model_runs", model="tiny", round=work.round.key, max_cost=1, items=["item-1", "item-2"])
    assert made.status_code == 201, made.content
    run = made.json()
    assert (run["state"], run["rater"], run["n_items"], run["n_not_sent"]) == ("draft", None, 2, 2)
    assert run["estimated_cost_left"] > 0
    request = get("api_model_request", run["id"], 2)
    assert endpoint.received == []

    assert send("api_model_run_start", run["id"]).status_code == 202
    work_off(ModelRun.objects.get(pk=run["id"]))

    done = get("api_model_run", run["id"])
    assert (done["state"], done["n_labeled"], done["input_tokens"]) == ("done", 2, 200)
    assert done["rater"] == f"tiny · {done['configuration'][:6]}"
    assert done["cost"] == pytest.approx(0.0004)
    assert request["body"] in [body for _, body in endpoint.received]
    assert KEY not in json.dumps([done, request])
    rows = get("api_model_requests", run["id"], state="done")
    assert [row["item"] for row in rows["results"]] == ["item-1", "item-2"]
    assert json.loads(rows["results"][0]["answer"]) == {"tone": "good"}
    labels = Label.objects.filter(rater__key=done["rater"])
    assert set(labels.values_list("round__key", "category__key")) == {(work.round.key, "good")}


def test_failures_and_going_on(send, get, endpoint):
    endpoint.faults = {"any": [error(404, "no such model")] * 2}
    run = send("api_model_runs", model="tiny").json()["id"]
    send("api_model_run_start", run)
    work_off(ModelRun.objects.get(pk=run))

    stopped = get("api_model_run", run)
    assert (stopped["state"], stopped["n_failed"], stopped["n_not_sent"]) == ("failed", 2, 1)
    assert "no such model" in stopped["failure"]
    assert send("api_model_run_resume", run, failed=True).status_code == 202
    work_off(ModelRun.objects.get(pk=run))
    assert get("api_model_run", run)["n_labeled"] == 3


def test_cancel_and_discard(send, endpoint):
    run = send("api_model_runs", model="tiny").json()["id"]
    assert send("api_model_run_cancel", run).status_code == 409
    assert send("api_model_run", run, method="delete").status_code == 204

    run = send("api_model_runs", model="tiny").json()["id"]
    send("api_model_run_start", run)
    assert send("api_model_run", run, method="delete").status_code == 409
    assert send("api_model_run_cancel", run).json()["state"] == "cancelled"


def test_an_outdated_draft_is_refused(send, work, endpoint):
    run = send("api_model_runs", model="tiny").json()["id"]
    work.question.categories.filter(key="bad").update(definition="New")

    answer = send("api_model_run_start", run)

    assert (answer.status_code, answer.json()["error"]) == (409, "outdated")
    assert endpoint.received == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"model": "other"}, "unknown_model"),
        ({"model": "tiny", "items_of_round": "x"}, "no_such_round"),
        ({"model": "tiny", "items_of_list": 999}, "no_such_list"),
        ({"model": "tiny", "questions": ["mood"]}, "unknown_question"),
        ({"model": "tiny", "items_of_list": 1, "items": ["a"]}, "invalid"),
        ({"model": "free", "max_cost": 1}, "no_price"),
        ({}, "empty_body"),
    ],
)
def test_refusals(send, endpoint, body, code):
    answer = send("api_model_runs", **body)

    assert answer.status_code in {400, 409}
    assert code in answer.content.decode() or code in {"empty_body"}
    assert not ModelRun.objects.exists()
