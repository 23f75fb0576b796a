"""Adjudication over the API."""

import pytest

from projects.models import Project, Round
from raters.adjudication.deciding import NewDecision, current_decision, decide
from raters.labeling.answers import Answer
from raters.models import Assignment, Rater

pytestmark = pytest.mark.signed_in("adjudicator")


def address(item, question):
    return f"/api/v1/projects/{item.project.slug}/adjudication/{item.pk}/{question.pk}/"


def put(client, item, question, **body):
    return client.put(address(item, question), body, content_type="application/json")


def test_disputes_are_listed_most_disputed_first(client, project, disputed, disputed_tone, closed_round):
    listed = client.get(f"/api/v1/projects/{project.slug}/adjudication/?page_size=1&question=tone").json()
    second = client.get(f"/api/v1/projects/{project.slug}/adjudication/?page_size=1&page=2").json()

    assert (listed["count"], [row["item"] for row in listed["results"]]) == (2, ["item-3"])
    assert [(row["item"], row["n_most"], row["n_values"]) for row in second["results"]] == [("item-2", 2, 2)]


@pytest.mark.parametrize(("query", "status"), [("question=x", 404), ("round=x", 404), ("state=open", 400)])
def test_an_invalid_filter_is_refused(client, project, disputed, query, status):
    assert client.get(f"/api/v1/projects/{project.slug}/adjudication/?{query}").status_code == status


def test_a_case_holds_all_answers_without_names(client, disputed, disputed_tone):
    case = client.get(address(disputed[1], disputed_tone)).json()

    assert sorted(label["category"] for label in case["labels"]) == ["bad", "good", "good"]
    assert [label["rater"] for label in case["labels"]] == ["Rater A", "Rater B", "Rater C"]
    assert (case["decision"], case["revision"]) == (None, 0)
    assert "Rater slip" in case["reasons"]


def test_decide_revise_and_withdraw(client, disputed, disputed_tone):
    item = disputed[1]

    made = put(client, item, disputed_tone, category="good", revision=0, for_guidelines=True).json()
    revised = put(
        client, item, disputed_tone, cannot_tell=True, reason="Ambiguous item", note="Really.", revision=1
    ).json()
    gone = client.delete(address(item, disputed_tone) + "?revision=2")

    assert (made["decision"]["category"], made["revision"]) == ("good", 1)
    assert made["decision"]["for_guidelines"] is True
    assert made["decision"]["decided_by"] == "ada"
    assert (revised["decision"]["cannot_tell"], revised["decision"]["note"]) == (True, "Really.")
    assert gone.status_code == 204
    assert current_decision(item, disputed_tone).label is None


def test_the_second_adjudicator_sees_the_current_decision(client, disputed, disputed_tone, other_adjudicator):
    decide(disputed[1], disputed_tone, NewDecision(Answer(category="bad")), seen=0, by=other_adjudicator)

    refused = put(client, disputed[1], disputed_tone, category="good", revision=0)

    body = refused.json()
    assert (refused.status_code, body["error"]) == (409, "stale_revision")
    assert body["errors"][0]["revision"] == 1
    assert body["errors"][0]["current"]["category"] == "bad"
    assert body["errors"][0]["current"]["decided_by"] == "abe"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"category": "good"}, 428, "revision_required"),
        ({"revision": 0}, 400, "one_value"),
        ({"category": "x", "revision": 0}, 400, "unknown_category"),
        ({"category": "good", "reason": "Mood", "revision": 0}, 400, "unknown_reason"),
        ({"category": "fair", "revision": 0}, 400, "reason_required"),
        ({"category": "good", "revision": "0"}, 400, "invalid"),
        ({"category": "good", "revision": 0, "rater": 1}, 400, "unknown_field"),
    ],
)
def test_what_is_no_decision_is_refused(client, disputed, disputed_tone, body, status, code):
    refused = put(client, disputed[1], disputed_tone, **body)

    assert (refused.status_code, refused.json()["error"]) == (status, code)
    assert current_decision(disputed[1], disputed_tone).label is None


def test_a_withdrawal_names_the_revision(client, disputed, disputed_tone, adjudicator):
    decide(disputed[1], disputed_tone, NewDecision(Answer(category="bad")), seen=0, by=adjudicator)

    assert client.delete(address(disputed[1], disputed_tone)).status_code == 428
    assert client.delete(address(disputed[1], disputed_tone) + "?revision=7").status_code == 409


def test_a_closed_project_takes_no_decision(client, disputed, disputed_tone, project):
    Project.objects.filter(pk=project.pk).update(state=Project.State.CLOSED)

    assert put(client, disputed[1], disputed_tone, category="good", revision=0).status_code == 409


def test_who_labels_the_item_is_refused(client, disputed, disputed_tone, project, adjudicator):
    mine = Rater.objects.create(project=project, key="ada", user=adjudicator)
    round_ = Round.objects.create(project=project, key="round 2", state=Round.State.OPEN)
    Assignment.objects.create(item=disputed[1], round=round_, rater=mine)

    assert client.get(address(disputed[1], disputed_tone)).status_code == 403
    assert put(client, disputed[1], disputed_tone, category="good", revision=0).status_code == 403
    assert client.get(f"/api/v1/projects/{project.slug}/adjudication/").json()["count"] == 1
