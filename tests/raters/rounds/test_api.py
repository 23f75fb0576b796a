"""Rounds over the API: the same as by the pages."""

import json

import pytest
from django.test import Client

from projects.models import Event, Round
from raters.models import Assignment


def url(project, rest=""):
    return f"/api/v1/projects/{project.slug}/rounds/{rest}"


def call(client, method, address, body=None):
    raw = "" if body is None else json.dumps(body)
    return client.generic(method, address, raw, content_type="application/json")


def plan(**more):
    return {"design": "some", "raters": ["ana", "ben", "cleo"], "raters_per_item": 2, "seed": 3} | more


def test_a_preview_tells_the_half_width_of_each_pair_and_writes_nothing(api, project, raters):
    found = call(api, "POST", url(project, "preview/"), plan(design="everyone")).json()

    assert (found["n_items"], found["n_assignments"], found["n_reference_items"]) == (100, 300, 0)
    assert [(row["rater"], row["n_items"]) for row in found["raters"]] == [
        ("ana", 100),
        ("ben", 100),
        ("cleo", 100),
    ]
    assert [(pair["a"], pair["b"], pair["n_shared"]) for pair in found["pairs"]] == [
        ("ana", "ben", 100),
        ("ana", "cleo", 100),
        ("ben", "cleo", 100),
    ]
    # With even margins and kappa 0.7, 1.96 sqrt(1 - 0.7^2) / sqrt(100).
    assert found["pairs"][0]["half_width"] == pytest.approx(0.13997, abs=1e-5)
    assert not Round.objects.exists()


def test_a_round_is_planned_opened_closed_and_revealed(api, project, raters):
    made = call(api, "POST", url(project), plan(key="main", repeat_share=0.1, reference_use="training"))

    # 67, 67 and 66 items, and 7 repeats of each.
    assert made.status_code == 201
    shown = made.json()
    assert (shown["state"], shown["n_assignments"], shown["reference_use"]) == ("draft", 221, "training")
    states = [
        call(api, "POST", url(project, f"{shown['id']}/{step}/")).json()["state"]
        for step in ("open", "close", "open", "close", "reveal")
    ]
    assert states == ["open", "closed", "open", "closed", "closed"]
    assert call(api, "GET", url(project)).json()[0]["revealed_at"]
    kinds = Event.objects.filter(project_id=project.pk).order_by("id").values_list("kind", flat=True)
    assert list(kinds)[-6:] == [
        "round_planned",
        "round_opened",
        "round_closed",
        "round_opened",
        "round_closed",
        "round_revealed",
    ]


def test_without_a_seed_one_is_drawn_and_returned(api, project, raters):
    unseeded = {name: value for name, value in plan(design="everyone").items() if name != "seed"}
    seen = [call(api, "POST", url(project, "preview/"), unseeded).json() for _ in range(4)]
    assert len({each["seed"] for each in seen}) > 1
    assert len({each["digest"] for each in seen}) > 1

    without = call(api, "POST", url(project), unseeded | {"key": "main", "digest": seen[0]["digest"]})
    assert (without.status_code, [each["field"] for each in without.json()["errors"]]) == (400, ["seed"])

    asked = unseeded | {"key": "main", "digest": seen[0]["digest"], "seed": seen[0]["seed"]}
    made = call(api, "POST", url(project), asked).json()
    assert made["seed"] == seen[0]["seed"]
    assert Round.objects.get().plans[0]["seed"] == seen[0]["seed"]

    again = call(api, "PUT", url(project, f"{made['id']}/raters/"), {"raters": ["ana", "cleo"]}).json()
    assert call(api, "GET", url(project, f"{made['id']}/")).json()["seed"] == again["seed"]


@pytest.mark.parametrize(("taken", "key"), [("Main", "main"), ("caf\u00e9", "cafe\u0301")])
def test_a_name_that_looks_like_another_is_refused(api, project, raters, taken, key):
    Round.objects.create(project=project, key=taken)

    found = call(api, "POST", url(project), plan(key=key))

    assert (found.status_code, found.json()["error"]) == (409, "key_taken")
    assert [each["field"] for each in found.json()["errors"]] == ["key"]
    assert "differs only by case or Unicode form" in found.json()["detail"]
    assert Round.objects.count() == 1


def test_a_round_that_was_not_planned_has_no_seed(api, project):
    Round.objects.create(project=project, key="imported")

    assert call(api, "GET", url(project)).json()[0]["seed"] is None


def test_what_was_seen_is_what_is_written(api, project, raters):
    seen = call(api, "POST", url(project, "preview/"), plan()).json()

    call(api, "POST", url(project), plan(key="main"))

    work = {row["rater"]: row["n_items"] for row in seen["raters"]}
    assert {name: Assignment.objects.filter(rater__key=name).count() for name in work} == work


def test_raters_leave_and_join(api, project, raters):
    pk = call(api, "POST", url(project), plan(key="main", raters=["ana", "ben"])).json()["id"]
    done = Assignment.objects.filter(rater__key="ana", position__lt=10)
    done.update(state="done")
    before = set(done.values_list("pk", flat=True))
    body = {"raters": ["ana", "cleo"], "seed": 2}

    seen = call(api, "PUT", url(project, f"{pk}/raters/?preview=yes"), body).json()
    assert not Assignment.objects.filter(rater__key="cleo").exists()
    written = call(api, "PUT", url(project, f"{pk}/raters/"), body).json()

    assert seen == written
    assert {row["rater"]: (row["n_items"], row["n_done"]) for row in written["raters"]} == {
        "ana": (100, 10),
        "cleo": (100, 0),
    }
    assert before <= set(Assignment.objects.filter(state="done").values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"raters": ["zoe"]}, "no_such_rater"),
        ({"raters": ["lena", "ana"], "n_items": 101}, "design"),
        ({"raters_per_item": 9}, "design"),
        ({"n_reference_items": 5}, "design"),
        ({"n_reference_items": 5, "reference_share": 0.1}, "invalid"),
        ({"design": "all"}, "invalid_choice"),
        ({"kappa": -0.9, "prevalence": 0.99}, "kappa"),
        ({"seed": -1}, "min_value"),
    ],
)
def test_an_invalid_plan_is_refused(api, project, raters, wrong, error):
    response = call(api, "POST", url(project, "preview/"), plan(**wrong))

    assert (response.status_code, response.json()["error"]) == (400, error)


def test_a_step_out_of_turn_is_refused(api, project, raters):
    pk = call(api, "POST", url(project), plan(key="main")).json()["id"]

    response = call(api, "POST", url(project, f"{pk}/close/"))

    assert (response.status_code, response.json()["error"]) == (409, "not_now")


def test_a_closed_round_is_not_changed(api, project):
    round_ = Round.objects.create(project=project, key="done", state="closed")

    response = call(api, "PATCH", url(project, f"{round_.pk}/"), {"reference_use": "training"})

    assert (response.status_code, response.json()["error"]) == (409, "not_now")


@pytest.fixture
def zoe(agreed_on_three):
    opened = Client()
    opened.force_login(agreed_on_three.user())
    return opened


def test_before_the_reveal_nothing_exists(agreed_on_three, zoe):
    Round.objects.update(state="closed")

    for rest in (f"{agreed_on_three.round.pk}/agreement/", f"{agreed_on_three.round.pk}/items/"):
        assert zoe.get(url(agreed_on_three.project, rest)).status_code == 404
    assert zoe.get(f"/api/v1/projects/{agreed_on_three.project.slug}/revealed/").json() == []


def test_a_revealed_round(agreed_on_three, zoe):
    Round.objects.update(state="closed", revealed_at="2026-01-01T00:00Z")

    [listed] = zoe.get(f"/api/v1/projects/{agreed_on_three.project.slug}/revealed/").json()
    [agreement] = zoe.get(url(agreed_on_three.project, f"{agreed_on_three.round.pk}/agreement/")).json()
    items = zoe.get(url(agreed_on_three.project, f"{agreed_on_three.round.pk}/items/?show=different")).json()

    assert listed["key"] == "round 1"
    [other] = agreement["others"]
    assert (other["n_shared"], other["n_same"], other["share"]["value"]) == (4, 3, 0.75)
    assert other["kappa"]["value"] == pytest.approx(7 / 11)
    assert items["count"] == 1
    [row] = items["results"]
    assert (row["item"], row["labels"][0]["own"]) == ("item-4", "good")
    assert row["labels"][0]["others"] == [{"rater": other["rater"], "answer": "bad", "is_same": False}]
    assert zoe.get(url(agreed_on_three.project, f"{agreed_on_three.round.pk}/items/")).json()["count"] == 4
    assert Event.objects.filter(kind=Event.Kind.LABELS_SEEN, user_id=agreed_on_three.user().pk).count() == 3
