"""Items from any table or list of texts: what each column holds is guessed, and chosen above it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from raters.models import LabelImport
from tests.files import confirm, drafted, send


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        # A list of texts, whose first line is no name.
        (
            b"The plot was thin, and the end was worse.\nNot bad at all, I would see it again.\n",
            {"1": {"text": "The plot was thin, and the end was worse."},
             "2": {"text": "Not bad at all, I would see it again."}},
        ),
        (b"id, text\nx7,Good\n", {"x7": {" text": "Good"}}),
        (b"review\nGood\nBad\n", {"1": {"review": "Good"}, "2": {"review": "Bad"}}),
        (b"Doc_ID,review\nx7,Good\nx8,Bad\n", {"x7": {"review": "Good"}, "x8": {"review": "Bad"}}),
    ],
)  # fmt: skip
def test_items_need_no_column_of_that_name(client, project, content, kept):
    draft = drafted(client, project, content)

    confirm(client, draft)

    assert {
        item.key: {part["name"]: part["value"] for part in item.content} for item in project.items.all()
    } == kept


def test_a_list_of_texts_is_not_taken_for_labels(client, project):
    lines = "\n".join(f"The review with the number {n} is about a long film." for n in range(5))

    send(client, project, lines.encode(), what="", name="reviews.txt")

    assert LabelImport.objects.get().kind == "items"


def test_a_list_of_texts_can_be_pasted(client, project):
    text = "The first text, which is long enough.\nThe second text, which is longer.\n"

    answer = client.post(f"/p/{project.slug}/import/", {"encoding": "auto", "text": text, "what": "items"})
    confirm(client, LabelImport.objects.get())

    assert answer.status_code == 302
    assert [item.content[0]["value"] for item in project.items.order_by("key")] == text.splitlines()


@pytest.mark.parametrize(
    "sent", [{}, {"text": " \n"}, {"text": "a", "file": SimpleUploadedFile("a.csv", b"a")}]
)
def test_a_file_or_a_text_is_sent(client, project, sent):
    answer = client.post(f"/p/{project.slug}/import/", {"encoding": "auto", **sent})

    assert answer.status_code == 400
    assert not LabelImport.objects.exists()


def test_what_a_column_of_items_holds_is_chosen_above_it(client, project):
    content = b"code,system,sentence,remark\n1,gpt,Hello,x\n2,opus,Bye,y\n"
    draft = drafted(client, project, content)
    chosen = {"encoding": "auto", "separator": "auto"}
    chosen |= {"role-0": "item", "role-1": "attribute", "role-2": "markdown", "role-3": "ignore"}

    client.post(draft.get_absolute_url(), chosen)
    draft.refresh_from_db()
    # What was chosen is kept when something else is.
    client.post(draft.get_absolute_url(), {**chosen, "replace": "on"})
    draft.refresh_from_db()
    confirm(client, draft)

    first = project.items.get(key="1")
    assert first.content == [{"name": "sentence", "kind": "markdown", "value": "Hello"}]
    assert first.attributes == {"system": "gpt"}
    assert project.items.count() == 2


def test_two_columns_cannot_hold_the_key(client, project):
    draft = drafted(client, project, b"a,b\nx,y\n")

    client.post(
        draft.get_absolute_url(),
        {"encoding": "auto", "separator": "auto", "role-0": "item", "role-1": "item"},
    )

    draft.refresh_from_db()
    assert [fault["code"] for fault in draft.faults] == ["bad_column"]


def test_the_first_row_may_be_an_item(client, project):
    draft = drafted(client, project, b"x,Hello\ny,Bye\n")
    chosen = {"encoding": "auto", "separator": "auto", "first_row": "item"}

    client.post(draft.get_absolute_url(), chosen)
    draft.refresh_from_db()
    client.post(draft.get_absolute_url(), {**chosen, "role-0": "item"})
    draft.refresh_from_db()
    confirm(client, draft)

    assert sorted(project.items.values_list("key", flat=True)) == ["x", "y"]
