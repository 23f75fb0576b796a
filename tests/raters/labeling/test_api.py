"""A rater's own work over the API: every answer, and every refusal of promises A18 to A26."""

import json
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone
from knox.models import AuthToken

from projects.models import Question, Round
from raters.models import Assignment, Label, LabelRevision
from tests.labeling import new_question
from tests.working import answer, new_work

pytestmark = pytest.mark.signed_in("first_rater")


def url(work, rest=""):
    return f"/api/v1/projects/{work.project.slug}/assignments/{rest}"


def call(client, method, address, body=None, key=None):
    headers = {"Idempotency-Key": str(key)} if key else {}
    raw = "" if body is None else json.dumps(body)
    return client.generic(method, address, raw, content_type="application/json", headers=headers)


def body(category="good", *, seen=(), **more):
    revisions = [{"question": key, "revision": number} for key, number in seen]
    return {"answers": [{"question": "tone", "category": category}], "revisions": revisions, **more}


def save(client, work, sent, *, place=0, rater=0, key=None):
    address = url(work, f"{work.assignment(place, rater).pk}/answers/")
    return call(client, "PUT", address, sent, key or uuid4())


def assert_refused(response, status, code):
    assert (response.status_code, response.json()["error"]) == (status, code)
    assert not Label.objects.exists()


def left_of(n_left, *, has_free=False):
    """What is left in the one round, which has no deadline and is not paused."""
    told = {"round": "round 1", "n_left": n_left, "has_free": has_free}
    return [{**told, "due_on": None, "paused_at": None, "paused_by": "", "pause_note": "", "gates": []}]


def test_ask_save_and_ask_again(api, work):
    first = call(api, "POST", url(work, "next/")).json()["assignment"]

    saved = save(api, work, body(seconds=2.5))

    assert first["item"] == "item-1"
    assert first["content"] == [{"name": "text", "kind": "text", "value": "Text 1"}]
    assert first["answers"] == []
    assert saved.json() == {
        "assignment": first["id"],
        "revisions": [{"question": "tone", "revision": 1}],
        "reference": None,
        "codebook_version": 1,
        "is_paused": False,
    }
    second = call(api, "POST", url(work, "next/")).json()["assignment"]
    assert (second["item"], second["before"]) == ("item-2", first["id"])
    revision = LabelRevision.objects.get()
    assert (revision.user_id, revision.source) == (work.user().pk, "page")


def test_the_history_tells_a_program_from_the_labeling_page(work):
    _, token = AuthToken.objects.create(user=work.user())
    program = Client(headers={"Authorization": f"Token {token}"})
    place = url(work, f"{work.assignment().pk}/")

    save(program, work, body())
    call(program, "POST", f"{place}undo/", {"revisions": [{"question": "tone", "revision": 1}]}, uuid4())

    sources = LabelRevision.objects.order_by("pk").values_list("source", flat=True)
    assert list(sources) == ["api", "api, undo"]


def test_the_next_but_one_is_fetched_beforehand(api, work):
    held = [work.assignment(0).pk]

    response = call(api, "POST", url(work, "next/"), {"held": held})

    assert response.json()["assignment"]["item"] == "item-2"


def test_nothing_left_is_null(api, work):
    Assignment.objects.update(state="done")

    assert call(api, "POST", url(work, "next/")).json() == {"assignment": None}


def test_progress_and_time_left(api, work):
    assert api.get(url(work)).json() == {
        "n_done": 0,
        "n_total": 3,
        "has_free": False,
        "seconds_left": None,
        "rounds": left_of(3),
    }


def test_what_waits_on_a_withdrawn_item_is_not_counted(api, work):
    answer(work, "good")
    work.project.items.filter(pk__in=[item.pk for item in work.items[:2]]).update(withdrawn_at=timezone.now())

    assert api.get(url(work)).json() == {
        "n_done": 1,
        "n_total": 2,
        "has_free": False,
        "seconds_left": None,
        "rounds": left_of(1),
    }


def test_time_left_uses_the_raters_own_pace(db):
    work = new_work(n_items=10)
    client = Client()
    client.force_login(work.user())
    for place, seconds in enumerate([2.0, 4.0, 60.0]):
        answer(work, "good", place=place, seconds=seconds)
    answer(work, "good", rater=1, seconds=500.0)

    told = client.get(url(work)).json()
    assert told == {"n_done": 3, "n_total": 10, "has_free": False, "seconds_left": 28.0, "rounds": left_of(7)}


def test_nobody_tells_how_many_are_left_while_places_are_free(db):
    work = new_work(n_items=5, places=1)
    client = Client()
    client.force_login(work.user())
    page = f"/p/{work.project.slug}/label/"

    shown = client.post(page, follow=True).content.decode()

    assert '<span data-done="0">0</span> done' in shown
    assert "<progress" not in shown
    assert client.get(url(work)).json() == {
        "n_done": 0,
        "n_total": 1,
        "has_free": True,
        "seconds_left": None,
        "rounds": left_of(1, has_free=True),
    }


def test_an_assignment_is_shown_with_its_answers(api, work):
    given = {"question": "tone", "cannot_tell": True, "reason": "Blurred", "note": "Page 2"}
    save(api, work, {"answers": [given], "revisions": [], "is_guideline_unclear": True})

    shown = api.get(url(work, f"{work.assignment().pk}/")).json()

    assert (shown["state"], shown["is_guideline_unclear"]) == ("done", True)
    assert shown["answers"] == [
        given
        | {
            "category": None,
            "categories": None,
            "number": None,
            "text": None,
            "confidence": None,
            "revision": 1,
        },
    ]


def test_answers_of_every_kind(api, work):
    Question.objects.create(project=work.project, key="size", kind=Question.Kind.NUMBER)
    new_question(work.project, key="themes", categories=("a", "b"), kind=Question.Kind.MULTIPLE)
    sent = body()
    sent["answers"] += [{"question": "size", "number": 3}, {"question": "themes", "categories": ["b", "a"]}]

    assert save(api, work, sent).status_code == 200

    shown = api.get(url(work, f"{work.assignment().pk}/")).json()
    values = {given["question"]: given for given in shown["answers"]}
    assert values["size"]["number"] == 3.0
    assert values["themes"]["categories"] == ["a", "b"]


def test_undo(api, work):
    save(api, work, body())
    seen = {"revisions": [{"question": "tone", "revision": 1}]}

    # Within one transaction, as tests are, all that was said is one saving.
    response = call(api, "POST", url(work, f"{work.assignment().pk}/undo/"), seen, uuid4())

    assert response.json()["revisions"] == []
    assert not Label.objects.exists()


def test_a_key_sent_twice_is_answered_twice_and_done_once(api, work):
    key = uuid4()

    answers = [save(api, work, body(), key=key) for _ in range(3)]

    assert [response.status_code for response in answers] == [200, 200, 200]
    assert len({response.content for response in answers}) == 1
    assert LabelRevision.objects.count() == 1


def test_a20_a_stale_revision_gets_the_current_label(api, work):
    save(api, work, body())

    response = save(api, work, body("bad"))

    assert response.status_code == 409
    assert response.json()["error"] == "stale_revision"
    [changed] = response.json()["errors"]
    assert (changed["field"], changed["revision"], changed["current"]["category"]) == ("tone", 1, "good")


def test_a21_a_missing_revision_or_key_is_refused(api, work):
    sent = body()
    address = url(work, f"{work.assignment().pk}/answers/")

    assert_refused(call(api, "PUT", address, sent), 400, "idempotency_key")
    assert_refused(call(api, "PUT", address, sent, key="not a uuid"), 400, "idempotency_key")
    del sent["revisions"]
    assert_refused(save(api, work, sent), 428, "revisions_required")


def test_a22_a_key_with_another_body_is_refused(api, work):
    key = uuid4()
    save(api, work, body(), key=key)

    response = save(api, work, body("bad", seen=[("tone", 1)]), key=key)

    assert (response.status_code, response.json()["error"]) == (422, "key_reused")


def test_a23_the_key_of_somebody_else_is_free(api, work):
    key = uuid4()
    save(api, work, body("bad"), key=key)
    other = Client()
    other.force_login(work.user(1))

    response = save(other, work, body(), rater=1, key=key)

    assert response.status_code == 200
    assert Label.objects.get(rater=work.raters[1]).category.key == "good"


def test_a24_the_place_of_another_rater_does_not_exist(api, work):
    assert_refused(save(api, work, body(), rater=1), 404, "not_found")
    assert api.get(url(work, f"{work.assignment(rater=1).pk}/")).status_code == 404


def test_a19_a_place_of_another_project_does_not_exist(api, work):
    other = new_work()

    response = call(api, "PUT", url(work, f"{other.assignment().pk}/answers/"), body(), uuid4())

    assert_refused(response, 404, "not_found")


@pytest.mark.parametrize("pk", ["0", "-1", "1e9", "%00", "..", "x" * 10_000, "9" * 30])
def test_a18_a_strange_id_does_not_exist(api, work, pk):
    assert call(api, "PUT", url(work, f"{pk}/answers/"), body(), uuid4()).status_code == 404


def test_a25_a_category_that_is_not_there_is_refused(api, work):
    new_question(new_work().project, key="theirs", categories=("foreign",))

    assert_refused(save(api, work, body("foreign")), 400, "unknown_category")


@pytest.mark.parametrize("what", ["project", "round"])
def test_a26_what_is_closed_takes_no_label(api, work, what):
    closed = getattr(work, what)
    type(closed).objects.filter(pk=closed.pk).update(state="closed")

    assert_refused(save(api, work, body()), 409, "closed")


def test_a26_a_withdrawn_item_takes_no_label(api, work):
    answer(work, "bad", place=1)
    work.project.items.update(withdrawn_at=timezone.now())

    waiting, done = work.assignment(0).pk, work.assignment(1).pk
    new = call(api, "PUT", url(work, f"{waiting}/answers/"), body(), uuid4())
    revisions = [{"question": "tone", "revision": 1}]
    changed = call(api, "PUT", url(work, f"{done}/answers/"), body() | {"revisions": revisions}, uuid4())
    undone = call(api, "POST", url(work, f"{done}/undo/"), {"revisions": revisions}, uuid4())

    for refused in (new, changed, undone):
        assert (refused.status_code, refused.json()["error"]) == (409, "closed")
        assert "withdrew" in refused.json()["detail"]
    [label] = Label.objects.all()
    assert (label.category.key, label.revision) == ("bad", 1)


def test_a_round_that_is_planned_does_not_show_its_items(api, work):
    Round.objects.update(state="draft")

    assert api.get(url(work, f"{work.assignment().pk}/")).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"rater": 2}, "unknown_field"),
        ({"seconds": -1}, "min_value"),
        ({"seconds": "3"}, "invalid"),
        ({"revisions": [{"question": "tone", "revision": True}]}, "invalid"),
        ({"answers": [{"question": "tone", "category": 1}]}, "invalid"),
        ({"answers": [{"question": "tone", "category": " "}]}, "blank"),
        ({"answers": [{"question": "tone"}]}, "one_value"),
        ({"answers": []}, "required"),
        ({"answers": [{"question": "tone", "category": "good"}] * 2}, "duplicate"),
        ({"answers": [{"question": "mood", "category": "good"}]}, "unknown_question"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(api, work, wrong, code):
    response = save(api, work, body() | wrong)

    assert response.status_code == 400
    codes = {error["code"] for error in response.json()["errors"]} | {response.json()["error"]}
    assert code in codes
    assert not Label.objects.exists()


def test_what_is_shown_of_one_is_the_same_whatever_others_say(db):
    """P8 for these addresses: two worlds that differ in another rater's labels alone."""
    seen = []
    for given in ("good", "bad"):
        work = new_work(n_items=2)
        answer(work, given, rater=1)
        answer(work, "fair", place=0)
        client = Client()
        client.force_login(work.user())
        answers = [
            client.get(url(work)),
            call(client, "POST", url(work, "next/")),
            client.get(url(work, f"{work.assignment(0).pk}/")),
            save(client, work, body(), place=0),
        ]
        seen.append([_masked(response.content.decode(), work) for response in answers])

    assert seen[0] == seen[1]


def _masked(text, work):
    found = json.loads(text)
    found.pop("request_id", None)
    text = json.dumps(found)
    for place in Assignment.objects.filter(round=work.round).order_by("-pk"):
        text = text.replace(f" {place.pk},", f" <{place.item.key}>,").replace(f" {place.pk}}}", " <>}")
    return text


def test_saving_over_the_api_takes_few_queries(api, work, django_assert_max_num_queries):
    with django_assert_max_num_queries(16):
        save(api, work, body())
