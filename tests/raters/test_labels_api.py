"""Labels over the API: sent in bulk, the same only once, and fetched as they change."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from projects.models import Category, Event, Item, Project, Round
from raters.models import Assignment, Label, LabelRevision, Rater
from tests import cast

LABELS: list[dict] = [
    {"item": "a", "rater": "ann", "question": "tone", "category": "NA", "source_id": "1", "note": "odd"},
    {"item": "a", "rater": "ben", "question": "tone", "category": "good", "source_id": "2", "seconds": 2.5},
    {"item": "a", "rater": "ann", "question": "topics", "categories": ["x", "y"], "source_id": "3"},
    {"item": "b", "rater": "ann", "question": "topics", "categories": []},
    {"item": "a", "rater": "ann", "question": "score", "number": 99},
    {"item": "b", "rater": "ann", "question": "score", "number": 1.5},
    {"item": "c", "rater": "ann", "question": "score", "number": 2},
    {
        "item": "b",
        "rater": "gpt",
        "rater_kind": "model",
        "question": "tone",
        "cannot_tell": True,
        "reason": "blurred",
    },
]


def post(client, project, labels, query=""):
    return client.post(
        f"/api/v1/projects/{project.slug}/labels/{query}", json.dumps(labels), content_type="application/json"
    )


def saved(client, project, labels, query=""):
    answer = post(client, project, labels, query)
    assert answer.status_code in {200, 201}, answer.content
    return tuple(answer.json().values())


def fetched(client, project, query=""):
    # As a commit does.
    if connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    answer = client.get(f"/api/v1/projects/{project.slug}/labels/{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def one(category, **more) -> list[dict]:
    return [{"item": "a", "rater": "ann", "question": "tone", "category": category, **more}]


def test_labels_of_every_kind_are_saved_as_they_are_sent(client, project, lead):
    answer = post(client, project, LABELS)

    assert (answer.status_code, answer.json()) == (201, {"n_created": 8, "n_changed": 0, "n_unchanged": 0})
    assert Label.objects.get(source_id="1").category.key == "NA"
    chosen = Label.objects.get(source_id="3").category_set
    assert set(Category.objects.filter(pk__in=chosen).values_list("key", flat=True)) == {"x", "y"}
    assert set(Label.objects.filter(question__key="score").values_list("number", flat=True)) == {99, 1.5, 2}
    assert Label.objects.get(item__key="b", question__key="topics").category_set == []
    unclear = Label.objects.get(rater__key="gpt")
    assert (unclear.is_abstention, unclear.reason, unclear.rater.kind) == (True, "blurred", "model")
    assert set(LabelRevision.objects.values_list("source", "user_id")) == {("api, in bulk", lead.pk)}
    [event] = Event.objects.filter(project_id=project.pk, kind=Event.Kind.IMPORTED)
    assert (event.detail["what"], event.detail["created"]) == ("labels", 8)


def test_the_same_post_twice_saves_nothing(client, project):
    post(client, project, LABELS)
    before = list(LabelRevision.objects.values())

    assert saved(client, project, LABELS) == (0, 0, 8)
    assert list(LabelRevision.objects.values()) == before


def test_a_source_id_tells_which_label_is_changed(client, project):
    saved(client, project, one("good", source_id="7"))

    assert saved(client, project, one("bad", source_id="7")) == (0, 1, 0)
    assert saved(client, project, one("bad", source_id="7")) == (0, 0, 1)
    label = Label.objects.get()
    assert (label.category.key, label.revision) == ("bad", 2)


def test_the_source_id_holds_in_another_round_too(client, project):
    saved(client, project, one("good", source_id="7", round="first"))

    assert saved(client, project, one("bad", source_id="7", round="second")) == (0, 1, 0)
    assert Label.objects.get().round.key == "first"


def test_an_id_is_of_one_rater_and_question(client, project):
    annotation = [
        {"item": "a", "rater": rater, "question": question, "category": "x", "source_id": "7"}
        for rater in ("ann", "ben")
        for question in ("tone", "topic")
    ]

    assert saved(client, project, annotation) == (4, 0, 0)
    assert saved(client, project, annotation) == (0, 0, 4)


def test_a_label_that_is_there_without_an_id_gets_it(client, project):
    saved(client, project, one("good"))

    assert saved(client, project, one("good", source_id="7")) == (0, 0, 1)
    assert saved(client, project, one("bad", source_id="7")) == (0, 1, 0)


def test_a_label_cannot_move_to_another_item(client, project):
    saved(client, project, one("good", source_id="7"))

    answer = post(
        client,
        project,
        [*one("good"), {**one("good", source_id="7")[0], "item": "b"}],
        "?on_conflict=replace",
    )

    assert (answer.status_code, answer.json()["error"]) == (409, "source_id_moved")
    assert answer.json()["errors"][0]["field"] == "1.source_id"
    assert not Item.objects.filter(key="b").exists()


def test_a_label_without_an_id_that_differs_is_a_conflict(client, project):
    saved(client, project, one("good"))

    refused = post(client, project, one("bad"))

    assert (refused.status_code, refused.json()["error"]) == (409, "conflicts_with_label")
    assert refused.json()["errors"][0]["field"] == "0.category"
    assert saved(client, project, one("bad"), "?on_conflict=replace") == (0, 1, 0)


@pytest.mark.parametrize(
    ("wrong", "field", "code"),
    [
        ({"category": None}, "1", "one_value"),
        ({"number": 5}, "1", "one_value"),
        ({"category": None, "number": 5}, "1.number", "wrong_kind"),
        ({"category": None, "categories": ["x"]}, "1.categories", "wrong_kind"),
        ({"category": " x"}, "1.category", "edge_space"),
        ({"category": "GOOD"}, "1.category", "confusable_id"),
        ({"item": ""}, "1.item", "blank"),
        ({"rater": 5}, "1.rater", "invalid"),
        ({"rater": "ANN"}, "1.rater", "confusable_id"),
        ({"labeled_at": "yesterday"}, "1.labeled_at", "bad_time"),
        ({"pass_number": 0}, "1.pass_number", "min_value"),
        ({"seconds": -1}, "1.seconds", "min_value"),
        ({"rater_kind": "consensus"}, "1.rater_kind", "invalid_choice"),
        ({"label": "x"}, "1.label", "unknown_field"),
        ({"source_id": "1", "item": "b"}, "1.source_id", "duplicate_source_id"),
        ({"item": "a", "category": "bad"}, "1.category", "duplicate_label"),
    ],
)
def test_an_error_says_which_label_and_field(client, project, wrong, field, code):
    labels = [*one("good", source_id="1"), {**one("good")[0], "item": "b", **wrong}]

    answer = post(client, project, labels)

    errors = [(error["field"], error["code"]) for error in answer.json()["errors"]]
    assert (answer.status_code, errors) == (400, [(field, code)])
    assert not Label.objects.exists()
    assert not Item.objects.exists()


def test_new_names_may_be_refused(client, project):
    saved(client, project, one("good"))

    answer = post(client, project, one("bad", round="x"), "?declared_only=true")

    codes = {(error["field"], error["code"]) for error in answer.json()["errors"]}
    assert codes == {("0.category", "unknown_category"), ("0.round", "unknown_round")}


def test_above_the_stated_number_the_answer_points_to_imports(client, project):
    answer = post(client, project, one("good") * 5_001)

    assert (answer.status_code, answer.json()["error"]) == (413, "too_many")
    assert "import a file" in answer.json()["detail"]


def test_a_closed_project_takes_no_labels(client, project):
    Project.objects.update(state="closed")

    assert post(client, project, LABELS).status_code == 409


@pytest.mark.parametrize("role", ["rita", "auditor", "adjudicator", "stranger"])
def test_only_leads_save_labels(request, project, role):
    answer = post(cast.signed_in(request.getfixturevalue(role)), project, LABELS)

    assert answer.status_code == (404 if role == "stranger" else 403)
    assert not Label.objects.exists()


def test_labels_are_fetched_as_they_are(client, project):
    saved(client, project, LABELS)
    saved(client, project, [{**LABELS[0], "category": "good"}])

    found = fetched(client, project)

    assert (len(found["results"]), found["has_more"]) == (8, False)
    last = found["results"][-1]
    shown = {
        name: last[name]
        for name in ("item", "rater", "question", "category", "note", "revision", "source_id")
    }
    assert shown == {
        "item": "a", "rater": "ann", "question": "tone", "category": "good", "note": "odd", "revision": 2,
        "source_id": "1",
    }  # fmt: skip
    topics = next(label for label in found["results"] if label["categories"])
    assert topics["categories"] == ["x", "y"]


def test_a_poller_gets_what_changed_and_what_was_withdrawn(client, project):
    saved(client, project, LABELS)
    since = fetched(client, project)["next"]
    assert fetched(client, project, f"?changed_since={since}") == {
        "results": [],
        "has_more": False,
        "next": since,
    }

    Label.objects.get(source_id="2").delete()
    saved(client, project, [{**LABELS[0], "category": "good"}])

    gone, changed = fetched(client, project, f"?changed_since={since}")["results"]
    assert (gone["is_withdrawn"], gone["source_id"], gone["category"], gone["cannot_tell"]) == (
        True,
        "2",
        None,
        False,
    )
    assert (changed["is_withdrawn"], changed["source_id"], changed["category"]) == (False, "1", "good")
    # One who begins has no copy of it.
    assert not any(label["is_withdrawn"] for label in fetched(client, project)["results"])


def test_pages_hold_each_label_once(client, project):
    saved(client, project, LABELS)

    since, seen = "0-0", []
    while True:
        page = fetched(client, project, f"?changed_since={since}&page_size=3")
        seen += [label["id"] for label in page["results"]]
        since = page["next"]
        if not page["has_more"]:
            break

    assert sorted(seen) == sorted(Label.objects.values_list("pk", flat=True))


def test_labels_are_found_by_filters(client, project):
    saved(client, project, [*LABELS, {**LABELS[1], "item": "d", "round": "one", "source_id": "9"}])

    def n(query):
        return len(fetched(client, project, query)["results"])

    assert (n("?question=tone"), n("?rater=ben"), n("?item=a"), n("?round=one")) == (4, 2, 4, 1)
    assert n("?question=tone&rater=ben&item=d&round=one") == 1


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?since=1", 400),
        ("?changed_since=yesterday", 400),
        ("?changed_since=1", 400),
        ("?changed_since=1-" + "9" * 30, 400),
        ("?question=x", 404),
        ("?round=x", 404),
        ("?rater=x", 404),
        ("?item=x", 404),
        ("?page_size=1001", 400),
    ],
)
def test_a_filter_that_is_not_known_is_refused(client, project, query, status):
    assert client.get(f"/api/v1/projects/{project.slug}/labels/{query}").status_code == status


def test_the_number_of_queries_does_not_grow(client, project):
    def asked(work):
        with CaptureQueriesContext(connection) as captured:
            work()
        return len(captured)

    def labels(n, name):
        return [
            {**LABELS[1], "item": f"{name}-{place}", "source_id": f"{name}-{place}"} for place in range(n)
        ]

    post(client, project, LABELS)
    few = asked(lambda: saved(client, project, labels(10, "few")))
    assert asked(lambda: saved(client, project, labels(1_000, "many"))) == few
    fetched(client, project)
    assert asked(lambda: fetched(client, project, "?page_size=10")) == asked(
        lambda: fetched(client, project, "?page_size=1000")
    )


def test_one_who_labels_sees_and_saves_nothing_of_others(client, project, lead):
    saved(client, project, LABELS)
    round_ = Round.objects.create(project=project, key="open")
    free = Round.objects.create(project=project, key="free")
    rater = Rater.objects.create(project=project, key="lead", user=lead)
    Assignment.objects.create(rater=rater, item=Item.objects.get(key="a"), round=round_)

    url = f"/api/v1/projects/{project.slug}/labels/"
    assert client.get(url).status_code == 403
    assert client.get(f"{url}?round=open").status_code == 403
    assert client.get(f"{url}?item=b").status_code == 403
    assert client.get(f"{url}?round={free.key}").status_code == 200
    assert post(client, project, one("bad")).status_code == 403
    assert post(client, project, one("bad"), "?round=free").status_code == 403
    assert Event.objects.filter(kind=Event.Kind.LOOK_REFUSED).exists()


def test_a_label_has_the_confidence_that_it_was_sent_with(client, project):
    saved(client, project, one("good", source_id="1", confidence=0.93))
    saved(client, project, [{"item": "b", "rater": "ann", "question": "tone", "category": "NA"}])

    assert {each["item"]: each["confidence"] for each in fetched(client, project)["results"]} == {
        "a": 0.93,
        "b": None,
    }
    # Another confidence is another label; the source id tells which.
    assert saved(client, project, one("good", source_id="1", confidence=0.5)) == (0, 1, 0)
    # One that says none leaves it as it is.
    assert saved(client, project, one("good", source_id="1")) == (0, 0, 1)
    assert Label.objects.get(source_id="1").confidence == 0.5
    # One of another value has its own.
    assert saved(client, project, one("NA", source_id="1")) == (0, 1, 0)
    assert Label.objects.get(source_id="1").confidence is None


@pytest.mark.parametrize("confidence", [1.5, -1, "high"])
def test_a_confidence_is_a_probability(client, project, confidence):
    answer = post(client, project, one("good", confidence=confidence))

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "0.confidence"
