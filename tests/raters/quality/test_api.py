"""Quality over the API."""

import pytest

from raters.models import QualityAlert
from raters.quality.pausing import pause_rater
from tests import cast
from tests.working import answer, new_work

pytestmark = pytest.mark.django_db


def send(client, method, school, path, body=None):
    address = f"/api/v1/projects/{school.project.slug}/{path}"
    more = {} if body is None else {"data": body, "content_type": "application/json"}
    return getattr(client, method)(address, **more)


def test_a_rule_is_set_and_changed(school, of_lead):
    rule = send(
        of_lead, "put", school, "quality/rules/speed/", {"n": 30, "acceptable": 0.05, "seconds": 3}
    ).json()
    assert (rule["n"], rule["limit"], rule["seconds"], rule["is_active"]) == (30, 5, 3.0, True)
    assert rule["words"] == "more than 5 of 30 items answered in less than 3 s"
    assert 0 < rule["false_alarms_per_block"] <= 0.01

    again = send(of_lead, "put", school, "quality/rules/speed/", {"message": "Slow down."}).json()
    assert (again["n"], again["message"]) == (30, "Slow down.")
    assert send(of_lead, "get", school, "quality/rules/").json() == [again]
    off = send(of_lead, "put", school, "quality/rules/speed/", {"is_active": False}).json()
    assert off["is_active"] is False


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("none", {}, 404),
        ("speed", {"n": 1}, 400),
        ("speed", {"acceptable": 1}, 400),
        ("reference", {"n": 2, "acceptable": 0.5}, 400),
        ("reference", {"message": "a\nb"}, 400),
        ("same_answer", {"limit": 1}, 400),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(school, of_lead, kind, body, status):
    assert send(of_lead, "put", school, f"quality/rules/{kind}/", body).status_code == status


def test_alerts_are_listed_and_closed(school, of_lead):
    alerts = [
        QualityAlert.objects.create(
            project=school.project, rater=school.raters[0], kind=kind, rule="x", n=3, n_bad=2
        )
        for kind in ("reference", "speed")
    ]
    closed = send(
        of_lead, "post", school, f"quality/alerts/{alerts[1].pk}/close/", {"note": "Talked."}
    ).json()
    assert closed["note"] == "Talked."
    again = send(of_lead, "post", school, f"quality/alerts/{alerts[1].pk}/close/", {"note": "Other."}).json()
    assert again == closed

    listed = send(of_lead, "get", school, "quality/alerts/").json()["results"]
    assert [row["kind"] for row in listed] == ["reference", "speed"]
    assert send(of_lead, "get", school, "quality/alerts/?state=open").json()["count"] == 1


def test_a_rater_is_paused_and_resumed(school, of_lead):
    zoe = school.raters[0]
    of_zoe = cast.signed_in(school.user())
    assert (
        send(of_lead, "put", school, f"raters/{zoe.pk}/pause/", {"note": "Call me."}).json()["note"]
        == "Call me."
    )
    assert send(of_zoe, "post", school, "assignments/next/", {}).json()["assignment"] is None
    assert send(of_zoe, "delete", school, "assignments/pause/").status_code == 403

    assert send(of_lead, "delete", school, f"raters/{zoe.pk}/pause/").json()["paused_at"] is None
    pause_rater(zoe, by=None, note="Read.", may_resume=True)
    assert send(of_zoe, "get", school, "assignments/pause/").json()["may_resume"] is True
    assert send(of_zoe, "delete", school, "assignments/pause/").json()["paused_at"] is None
    assert send(of_zoe, "post", school, "assignments/next/", {}).json()["assignment"] is not None


def test_a_gate_is_set_and_a_rater_let_through(school, of_lead):
    main = school.project.rounds.create(key="main", position=1)
    zoe = school.raters[0]
    zoe.assignments.filter(item=school.items[1]).update(round=main)
    of_zoe = cast.signed_in(school.user())
    send(of_lead, "patch", school, f"rounds/{school.round.pk}/", {"pass_mark": 0.8})
    shown = send(of_lead, "patch", school, f"rounds/{main.pk}/", {"gates": [school.round.pk]}).json()
    assert shown["gates"] == [school.round.pk]
    answer(school, "bad")

    assert send(of_zoe, "post", school, "assignments/next/", {}).json()["assignment"] is None
    [row] = send(of_zoe, "get", school, "assignments/").json()["rounds"]
    assert row["gates"] == ["round 1"]
    passes = send(of_lead, "get", school, f"rounds/{school.round.pk}/passes/").json()
    assert [(row["rater"], row["is_passed"]) for row in passes] == [("yves", None), ("zoe", False)]
    decided = send(
        of_lead, "put", school, f"rounds/{school.round.pk}/passes/{zoe.pk}/", {"is_passed": True}
    ).json()
    assert (decided["is_passed"], decided["is_decided"]) == (True, True)
    assert send(of_zoe, "post", school, "assignments/next/", {}).json()["assignment"] is not None
    assert send(of_lead, "get", school, f"rounds/{main.pk}/passes/").json() == []


def test_gates_that_are_no_rounds_are_refused(school, of_lead):
    refused = send(of_lead, "patch", school, f"rounds/{school.round.pk}/", {"gates": [10**9]})
    assert (refused.status_code, refused.json()["error"]) == (400, "no_such_round")
    other = new_work().round
    assert (
        send(of_lead, "patch", school, f"rounds/{school.round.pk}/", {"gates": [other.pk]}).status_code == 400
    )
    itself = send(of_lead, "patch", school, f"rounds/{school.round.pk}/", {"gates": [school.round.pk]})
    assert itself.status_code == 409
