"""The pages of model runs: what a lead sees before anything is sent, and what becomes of it."""

import json
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import Item, Membership
from raters.model_runs.starting import start
from raters.models import Assignment, ModelRun
from tests import cast
from tests.raters.model_runs.conftest import KEY, work_off
from tests.raters.model_runs.endpoint import error

FORM: dict[str, str | list[str]] = {
    "model": "tiny",
    "items": "all",
    "is_only_new": "on",
    "questions": ["tone"],
    "fields_sent": ["text"],
    "has_guidelines": "on",
    "temperature": "0",
    "answer_format": "json_schema",
}


@pytest.fixture
def slug(work) -> str:
    return work.project.slug


def address(name: str, run: ModelRun) -> str:
    return reverse(name, args=[run.project.slug, run.pk])


def test_from_the_form_to_the_labels(client, slug, work, endpoint):
    answer = client.post(reverse("model_run_new", args=[slug]), {**FORM, "round": work.round.pk})
    run = ModelRun.objects.get()
    assert answer.url == run.get_absolute_url()
    assert endpoint.received == []

    preview = client.get(run.get_absolute_url()).content.decode()
    assert "Send 3 items" in preview
    assert KEY not in preview
    client.post(address("model_run_start", run))
    run = work_off(run)

    page = client.get(run.get_absolute_url()).content.decode()
    assert run.state == ModelRun.State.DONE
    assert run.round == work.round
    assert "3 of 3" in page
    assert KEY not in page
    assert run.rater.key in client.get(reverse("model_runs", args=[slug])).content.decode()


def test_the_preview_shows_the_exact_body_of_each_request(client, new_draft, endpoint, sender):
    run = new_draft()
    shown = []
    for position in (1, 2, 3):
        page = client.get(run.get_absolute_url(), {"page": position}).content.decode()
        shown.append(unescape(page.partition("data-body>")[2].partition("</pre>")[0]))

    start(run, by=sender)
    work_off(run)

    assert sorted(body for _, body in endpoint.received) == sorted(shown)
    assert json.loads(shown[1])["messages"][1]["content"] == "## text\n\nText 2"


def test_a_preview_that_is_outdated_is_not_sent(client, new_draft, work, endpoint):
    run = new_draft()
    Item.objects.filter(pk=work.items[0].pk).update(content=[{"name": "text", "kind": "text", "value": "!"}])

    page = client.post(address("model_run_start", run), follow=True).content.decode()

    assert endpoint.received == []
    assert "create a new preview" in page
    run.refresh_from_db()
    assert run.is_draft
    client.post(address("model_run_review", run))
    assert ModelRun.objects.count() == 2


def test_the_preview_shows_a_changed_codebook(client, new_draft, work):
    run = new_draft()
    work.question.categories.filter(key="bad").update(definition="New")

    assert 'id="outdated"' in client.get(run.get_absolute_url()).content.decode()


def test_failures_are_listed_with_their_answers_and_can_be_sent_again(client, new_run, endpoint):
    endpoint.answer = lambda text: {"tone": "splendid"} if text == "Text 2" else {"tone": "good"}
    run = work_off(new_run())

    page = client.get(run.get_absolute_url()).content.decode()
    assert "splendid" in page
    endpoint.answer = lambda _: {"tone": "bad"}
    client.post(address("model_run_resume", run), {"with_failed": "on"})

    run = work_off(run)
    assert run.requests.filter(state="done").count() == 3
    assert endpoint.texts == {"Text 1": 1, "Text 2": 3, "Text 3": 1}


def test_nothing_to_continue_is_reported(client, new_run, endpoint):
    endpoint.faults = {"Text 1": [error(500)] * 3}
    run = work_off(new_run())

    answer = client.post(address("model_run_resume", run), {})

    assert answer.status_code == 400
    assert len(endpoint.received) == 5


def test_cancel_and_discard(client, new_draft, new_run):
    draft = new_draft()
    client.post(address("model_run_cancel", draft))
    assert not ModelRun.objects.filter(pk=draft.pk).exists()

    run = new_run()
    client.post(address("model_run_cancel", run))
    run.refresh_from_db()
    assert run.state == ModelRun.State.CANCELLED


def test_raters_still_labeling_see_no_answer_of_the_model(client, new_run, endpoint, work, sender):
    rater = work.project.raters.create(key="lena", user=sender)
    Assignment.objects.create(rater=rater, item=work.items[0], round=work.round)
    endpoint.answer = lambda _: {"tone": "splendid"}
    run = work_off(new_run())

    page = client.get(run.get_absolute_url()).content.decode()

    assert "splendid" not in page
    assert client.get(reverse("api_model_requests", args=[work.project.slug, run.pk])).status_code == 403


def test_the_form_says_what_is_wrong(client, slug, endpoint):
    wrong: list[dict[str, str | list[str]]] = [
        {"questions": []},
        {"model": "other"},
        {"items": "round-999999999"},
        {"max_cost": "-1"},
        {"temperature": "9"},
        {"model": "free", "max_cost": "1"},
    ]
    for change in wrong:
        answer = client.post(reverse("model_run_new", args=[slug]), {**FORM, **change})
        assert answer.status_code == 400, change
    assert not ModelRun.objects.exists()


def test_the_form_starts_with_the_last_choices(client, slug, new_draft):
    new_draft(instructions="Irony counts.", temperature=0.5, fields_left_out=["text2"])

    page = client.get(reverse("model_run_new", args=[slug])).content.decode()

    assert "Irony counts." in page
    assert 'value="0.5"' in page


def test_off_by_default(client, slug, settings, work):
    assert settings.MODEL_ENDPOINT == ""
    page = client.get(reverse("model_runs", args=[slug])).content.decode()
    assert 'id="off"' in page
    assert (
        reverse("model_runs", args=[slug]) not in client.get(work.project.get_absolute_url()).content.decode()
    )
    assert client.post(reverse("model_run_new", args=[slug]), FORM).status_code == 400


def test_the_tab_is_for_leads(client, slug, endpoint, work):
    link = f'href="{reverse("model_runs", args=[slug])}"'
    rater = cast.signed_in(work.user())
    adjudicator = cast.member(work.project, Membership.Role.ADJUDICATOR, username="ada", unique=True)

    codebook = reverse("codebook", args=[slug])
    assert link in client.get(codebook).content.decode()
    for other in (rater, cast.signed_in(adjudicator)):
        assert link not in other.get(codebook).content.decode()


def test_raters_never_see_the_labels_of_a_model(new_run, work, endpoint):
    run = work_off(new_run())
    rater = cast.signed_in(work.user())
    assignment = work.assignment()

    for seen in (
        rater.get(reverse("label_item", args=[work.project.slug, assignment.pk])),
        rater.get(reverse("own_work", args=[work.project.slug])),
        rater.get(reverse("api_assignments", args=[work.project.slug])),
    ):
        assert seen.status_code == 200
        assert run.rater.key not in seen.content.decode()
        assert "tiny" not in seen.content.decode()
    for name, args in (
        ("model_runs", []),
        ("model_run", [run.pk]),
        ("api_model_run", [run.pk]),
        ("api_model_requests", [run.pk]),
    ):
        assert rater.get(reverse(name, args=[work.project.slug, *args])).status_code == 403


def test_progress_is_answered_alone(client, new_run):
    run = new_run()

    page = client.get(run.get_absolute_url(), {"part": "progress"}).content.decode()

    assert "<html" not in page
    assert 'data-state="running"' in page


def test_as_many_queries_for_many_failures(client, new_run, endpoint):
    run = work_off(new_run())
    run.requests.filter(position=1).update(state="failed")
    with CaptureQueriesContext(connection) as few:
        client.get(run.get_absolute_url())
    run.requests.update(state="failed")
    with CaptureQueriesContext(connection) as many:
        client.get(run.get_absolute_url())
    assert len(many) <= len(few)
