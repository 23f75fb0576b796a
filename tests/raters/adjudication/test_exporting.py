"""Final labels as files: complete, safe in spreadsheets, never held in memory."""

import csv
import io
import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.tables.safe_cells import BEGINS_FORMULA, original_cell
from projects.models import Category, Event, Item, Question, Round
from raters.adjudication.deciding import NewDecision, decide
from raters.adjudication.exporting import COLUMNS, final_labels
from raters.labeling.answers import Answer
from raters.models import Assignment, Label, Rater
from tests.labeling import new_question

pytestmark = pytest.mark.signed_in("auditor")


def body(response) -> str:
    return b"".join(response.streaming_content).decode()


def taken(client, project, kind="csv", query=""):
    return body(client.get(f"/p/{project.slug}/items/final/{kind}/{query}"))


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_every_item_has_its_final_label_and_origin(
    client, project, disputed, disputed_tone, adjudicator, say
):
    decide(
        disputed[2],
        disputed_tone,
        NewDecision(Answer(category="bad"), "Rater slip", "See p. 2", is_for_guidelines=True),
        seen=0,
        by=adjudicator,
    )
    say("item-4", "ann", "good")
    say("item-4", "bob", "bad")
    say("item-5", "ann", "good")
    say("item-5", "gold", "bad", kind=Rater.Kind.REFERENCE)
    say("item-6", "ann", None)

    rows = rows_of(taken(client, project))

    assert list(rows[0]) == COLUMNS
    shown = [
        (r["item"], r["label"], r["origin"], r["n_raters"], r["n_cannot_tell"], r["share_agree"])
        for r in rows
    ]
    assert shown == [
        ("item-1", "good", "unanimous", "3", "0", "1.0"),
        ("item-2", "good", "majority", "3", "0", str(2 / 3)),
        ("item-3", "bad", "adjudicated", "3", "0", str(1 / 3)),
        ("item-4", "", "none", "2", "0", "0.5"),
        ("item-5", "bad", "reference", "1", "0", "0.0"),
        ("item-6", "", "none", "0", "1", ""),
    ]
    assert (rows[2]["reason"], rows[2]["note"], rows[2]["for_guidelines"], rows[2]["decided_by"]) == (
        "Rater slip",
        "See p. 2",
        "yes",
        "ada",
    )


def test_json_lines_hold_the_same(client, project, disputed, disputed_tone, adjudicator):
    many = new_question(project, key="many", kind="multiple", categories=("a", "b"))
    size = Question.objects.create(project=project, key="size", kind="number", position=9)
    ann = Rater.objects.get(key="ann")
    ids = sorted(many.categories.values_list("pk", flat=True))
    Label.objects.create(item=disputed[0], question=many, rater=ann, category_set=ids)
    Label.objects.create(item=disputed[1], question=many, rater=ann, category_set=[])
    Label.objects.create(item=disputed[0], question=size, rater=ann, number=-0.5)
    cannot = NewDecision(Answer(is_abstention=True), "Ambiguous item")
    decide(disputed[2], disputed_tone, cannot, seen=0, by=adjudicator)

    found = [json.loads(line) for line in taken(client, project, "jsonl").splitlines()]
    as_csv = rows_of(taken(client, project))

    labels = {(row["item"], row["question"]): row["label"] for row in found}
    assert labels["item-1", "many"] == ["a", "b"]
    assert labels["item-2", "many"] == []
    assert labels["item-1", "size"] == -0.5
    assert labels["item-3", "tone"] is None
    assert next(row["origin"] for row in found if row["item"] == "item-3") == "adjudicated"
    assert [row["label"] for row in as_csv if row["question"] == "many"] == ["a|b", "{}"]
    assert [row["label"] for row in as_csv if row["question"] == "size"] == ["-0.5"]


def test_one_round_counts_its_own_labels_and_the_decisions_about_its_items(
    client, project, disputed, disputed_tone, adjudicator, say
):
    second = Round.objects.create(project=project, key="round 2", state=Round.State.CLOSED)
    say("item-1", "ann", "bad", round=second, pass_number=2)
    say("item-3", "ann", "bad", round=second, pass_number=2)
    decide(disputed[2], disputed_tone, NewDecision(Answer(category="good")), seen=0, by=adjudicator)

    rows = rows_of(taken(client, project, query=f"?round={second.pk}"))

    assert [(row["item"], row["label"], row["origin"], row["n_raters"]) for row in rows] == [
        ("item-1", "bad", "one_rater", "1"),
        ("item-3", "good", "adjudicated", "1"),
    ]


STRANGE = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "＝1", "＋1", "－1", "＠x", "'", "'=1", "plain", 'a"b,c']


def test_no_text_is_a_formula_and_each_is_had_back(client, project, disputed_tone, lead, say, adjudicator):
    project.adjudication_reasons = STRANGE
    project.save()
    for text in STRANGE:
        Category.objects.create(question=disputed_tone, key=text, position=disputed_tone.categories.count())
        say(text, "ann", text)
        label = Label.objects.get(item__key=text)
        decide(
            label.item,
            disputed_tone,
            NewDecision(Answer(category=text), text, note=f"={text}\r\n"),
            seen=0,
            by=adjudicator,
        )

    rows = rows_of(taken(client, project))

    cells = [row[name] for row in rows for name in ("item", "question", "label", "reason", "note")]
    assert not [cell for cell in cells if cell[:1] in BEGINS_FORMULA]
    for name in ("item", "label", "reason"):
        assert [original_cell(row[name]) for row in rows] == STRANGE
    assert [original_cell(row["note"]) for row in rows] == [f"={text}\r\n" for text in STRANGE]


def test_the_api_gives_the_same_file(client, project, disputed):
    api = client.get(f"/api/v1/projects/{project.slug}/final-labels/?as=csv", headers={"Accept": "text/csv"})
    lines = client.get(f"/api/v1/projects/{project.slug}/final-labels/?as=jsonl&round=round%201")

    assert api["Content-Type"] == "text/csv; charset=utf-8"
    assert body(api) == taken(client, project)
    assert [json.loads(line)["item"] for line in body(lines).splitlines()] == ["item-1", "item-2", "item-3"]


@pytest.mark.parametrize(("query", "status"), [("as=xml", 400), ("round=none", 404), ("format=csv", 400)])
def test_an_invalid_file_is_refused(client, project, disputed, query, status):
    refused = client.get(f"/api/v1/projects/{project.slug}/final-labels/?{query}")

    assert refused.status_code == status
    assert refused["Content-Type"] == "application/json"


def test_taking_them_is_logged_once(client, project, disputed):
    taken(client, project)

    event = Event.objects.get(kind=Event.Kind.FINAL_LABELS_TAKEN)
    assert (event.user_name, event.about, event.detail) == (
        "otto",
        "all rounds",
        {"format": "csv", "also_rates": False},
    )


def test_who_labels_in_an_open_round_waits_for_it(project, disputed, lead):
    mine = Rater.objects.create(project=project, key="lena", user=lead)
    round_ = Round.objects.create(project=project, key="round 2", state=Round.State.OPEN)
    Assignment.objects.create(item=disputed[1], round=round_, rater=mine)
    client = Client()
    client.force_login(lead)

    file = client.get(f"/p/{project.slug}/items/final/csv/")
    page = client.get(f"/p/{project.slug}/items/final/")

    assert file.status_code == 403
    assert "assignments in round 2" in page.content.decode()
    assert "Download" not in page.content.decode()
    assert not Event.objects.filter(kind=Event.Kind.FINAL_LABELS_TAKEN).exists()


def test_the_page_counts_each_origin(client, project, disputed, disputed_tone, adjudicator):
    decide(disputed[2], disputed_tone, NewDecision(Answer(category="bad")), seen=0, by=adjudicator)

    response = client.get(f"/p/{project.slug}/items/final/")

    counts = {str(origin): n for origin, _, n in response.context["rows"]}
    assert counts == {
        "adjudicated": 1,
        "reference": 0,
        "unanimous": 1,
        "one rater": 0,
        # As pages call what files call majority.
        "most frequent label": 1,
        "none": 0,
    }


def test_labels_are_taken_one_after_the_other(disputed, project, monkeypatch):
    monkeypatch.setattr("raters.adjudication.exporting.CHUNK", 1)

    stream = final_labels(project)

    assert next(stream).item == "item-1"
    assert [label.item for label in stream] == ["item-2", "item-3"]


def test_fields_of_the_items_are_joined(client, project, disputed):
    Item.objects.filter(pk=disputed[0].pk).update(
        content=[{"name": "text", "kind": "text", "value": "=Hello"}],
        attributes={"site": "Bern", "is new": True},
    )
    url = f"/api/v1/projects/{project.slug}/final-labels/"

    rows = rows_of(body(client.get(f"{url}?fields=content.text,attributes")))
    [line] = [
        json.loads(line) for line in body(client.get(f"{url}?as=jsonl&fields=attributes.site")).splitlines()
    ][:1]

    assert list(rows[0]) == [*COLUMNS, "content.text", "attributes.is new", "attributes.site"]
    row = next(row for row in rows if row["item"] == disputed[0].key)
    assert (original_cell(row["content.text"]), row["attributes.site"], row["attributes.is new"]) == (
        "=Hello", "Bern", "yes",
    )  # fmt: skip
    assert line["attributes"] == {"site": "Bern"}
    assert "content" not in line


@pytest.mark.parametrize("fields", ["text", "content.none", "", "attributes,,content"])
def test_fields_that_no_item_has_are_refused(client, project, disputed, fields):
    refused = client.get(f"/api/v1/projects/{project.slug}/final-labels/", {"fields": fields})

    assert refused.status_code == 400


def test_joined_fields_take_no_query_for_each_label(client, project, disputed):
    url = f"/api/v1/projects/{project.slug}/final-labels/?fields=content"

    def n_queries():
        with CaptureQueriesContext(connection) as asked:
            body(client.get(url))
        return len(asked)

    few = n_queries()
    rater, question = Rater.objects.first(), Question.objects.first()
    for place in range(20):
        item = Item.objects.create(project=project, key=f"more {place}")
        Label.objects.create(item=item, rater=rater, question=question, category=question.categories.first())

    assert n_queries() == few


def test_soft_labels_are_the_shares_of_the_categories(client, project, disputed, disputed_tone, say):
    many = new_question(project, key="many", kind="multiple", categories=("a", "b", "c"))
    size = Question.objects.create(project=project, key="size", kind="number", position=9)
    a, b = (many.categories.get(key=key).pk for key in "ab")
    for rater, chosen in (("ann", [a, b]), ("bob", [b]), ("cem", [])):
        Label.objects.create(
            item=disputed[0], question=many, rater=Rater.objects.get(key=rater), category_set=chosen
        )
    Label.objects.create(item=disputed[0], question=size, rater=Rater.objects.get(key="ann"), number=2.0)
    say("item-2", "dan", "good")
    say("item-2", "eve", None)
    page = client.get(f"/p/{project.slug}/items/final/").content.decode()
    say("item-2", "gold", "bad", kind=Rater.Kind.REFERENCE)

    found = [json.loads(line) for line in taken(client, project, "jsonl").splitlines()]
    as_csv = rows_of(taken(client, project))

    shares = {(row["item"], row["question"]): row["shares"] for row in found}
    # item-2: good, good, bad, good; who could not tell and the reference are no part of it.
    assert shares["item-2", "tone"] == {"good": 0.75, "bad": 0.25}
    assert list(shares["item-2", "tone"]) == ["good", "bad"]
    # Two of three sets hold b, one holds a, none c; the empty set counts among the three.
    assert shares["item-1", "many"] == {"b": 2 / 3, "a": 1 / 3}
    assert shares["item-1", "size"] is None
    assert shares["item-1", "tone"] == {"good": 1.0}
    assert [json.loads(row["shares"]) if row["shares"] else None for row in as_csv] == [
        row["shares"] for row in found
    ]
    assert "good 75%, bad 25%" in page


def test_a_question_that_is_not_asked_has_no_final_label(client, project, disputed, disputed_tone, say):
    """Whoever thought that it is asked has answered it; the final answer to the earlier question says it is not."""
    why = new_question(
        project, key="why", categories=("rude", "dull"), position=1,
        asked_if_question="tone", asked_if_categories=["bad"],
    )  # fmt: skip
    rude = why.categories.get(key="rude")
    rater = Rater.objects.get(project=project, key="ann")
    for item in project.items.all():
        Label.objects.create(item=item, question=why, rater=rater, category=rude)
    say("item-4", "ann", "bad")
    say("item-4", "bob", "bad")
    Label.objects.create(
        item=project.items.get(key="item-4"), question=why, rater=rater, category=rude
    )  # fmt: skip

    rows = [row for row in rows_of(taken(client, project)) if row["question"] == "why"]

    found = {row["item"]: (row["label"], row["origin"]) for row in rows}
    assert found["item-1"] == ("", "not_asked")
    assert found["item-2"] == ("", "not_asked")
    # What the question hangs on is in dispute.
    assert found["item-3"] == ("", "none")
    assert found["item-4"] == ("rude", "one_rater")
    page = client.get(f"/p/{project.slug}/items/final/")
    assert {origin: n for origin, _, n in page.context["rows"]}["not asked"] == 2
