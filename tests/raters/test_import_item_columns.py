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
        (b"Good\nBad\nUgly\n", {"1": {"text": "Good"}, "2": {"text": "Bad"}, "3": {"text": "Ugly"}}),
        (
            b"sentence\nOne, two, and three.\nFour\n",
            {"1": {"sentence": "One, two, and three."}, "2": {"sentence": "Four"}},
        ),
        (
            b'"Great", she said, and left.\nNot "bad" at all, really.\n',
            {"1": {"text": '"Great", she said, and left.'}, "2": {"text": 'Not "bad" at all, really.'}},
        ),
        (b'"One"\n"Two\nlines"\n', {"1": {"One": "Two\nlines"}}),
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


def test_choices_that_the_preview_does_not_show_are_not_imported(client, project):
    draft = drafted(client, project, b"Code,System,Text\n1,gpt,Hello\n2,opus,Bye\n")
    page = client.get(draft.get_absolute_url())
    sent = {"encoding": "auto", "separator": "auto", "what": "items", "seen": page.context["seen"]}
    untouched = {"role-0": "text", "role-1": "text", "role-2": "text"}

    client.post(f"{draft.get_absolute_url()}confirm/", {**sent, **untouched, "role-0": "item"})
    draft.refresh_from_db()
    assert (draft.state, draft.options["columns"]) == ("draft", {"Code": "item"})
    seen = client.get(draft.get_absolute_url()).context["seen"]
    client.post(f"{draft.get_absolute_url()}confirm/", {**sent, **untouched, "role-0": "item", "seen": seen})

    assert sorted(project.items.values_list("key", flat=True)) == ["1", "2"]


def test_numbers_go_on_after_those_that_there_are_and_a_file_is_not_numbered_twice(client, project):
    for content in (b"One\nTwo\n", b"Three\nFour\n", b"One\nTwo\n"):
        confirm(client, drafted(client, project, content))

    assert {item.key: item.content[0]["value"] for item in project.items.all()} == {
        "1": "One",
        "2": "Two",
        "3": "Three",
        "4": "Four",
    }


def test_two_columns_cannot_hold_the_key(client, project):
    draft = drafted(client, project, b"a,b\nx,y\n")

    client.post(
        draft.get_absolute_url(),
        {"encoding": "auto", "separator": "auto", "role-0": "item", "role-1": "item"},
    )

    draft.refresh_from_db()
    assert [fault["code"] for fault in draft.faults] == ["bad_column"]
    # The columns are still there to choose from.
    assert draft.preview["written_columns"] == ["a", "b"]


def test_the_first_row_may_be_an_item(client, project):
    draft = drafted(client, project, b"x,Hello\ny,Bye\n")
    chosen = {"encoding": "auto", "separator": "auto", "first_row": "item"}

    client.post(draft.get_absolute_url(), chosen)
    draft.refresh_from_db()
    client.post(draft.get_absolute_url(), {**chosen, "role-0": "item"})
    draft.refresh_from_db()
    confirm(client, draft)

    assert sorted(project.items.values_list("key", flat=True)) == ["x", "y"]
