"""Files in which no column says who labeled: the rater is named on the page, or suggested by the name of the file."""

import pytest

from raters.models import Label, LabelImport
from raters.tasks import load_import
from tests.files import confirm, read_as, send


def test_with_a_rater_for_all_rows_columns_are_questions(client, project):
    rows = ["a,yes,1,north", "b,no,2,south", "c,yes,2,north"]
    send(client, project, "\n".join(["item,rude,stars,site", *rows]).encode())
    draft = LabelImport.objects.get()

    read_as(client, draft, layout="wide", rater="ann")
    read_as(client, draft, layout="wide", rater="ann", role__3="ignore", question__1="is_rude")
    read_as(client, draft, layout="wide", rater="ann", role__3="ignore", round="first")
    confirm(client, draft)
    load_import(draft.pk)

    labels = Label.objects.filter(item__project=project).order_by("question__key", "item__key")
    found = labels.values_list("rater__key", "question__key", "category__key", "round__key")
    assert list(found) == [
        *(("ann", "is_rude", category, "first") for category in ("yes", "no", "yes")),
        *(("ann", "stars", category, "first") for category in "122"),
    ]


def test_columns_of_unlike_answers_are_questions_of_the_rater_whom_the_file_is_named_after(client, project):
    topics = ["art", "law", "tech"]
    rows = [f"a{n},{'yes' if n % 2 else 'no'},{n % 5 + 1},{topics[n % 3]}" for n in range(12)]
    page = client.get(
        send(client, project, "\n".join(["item,rude,stars,topic", *rows]).encode(), name="ann.csv").url
    )
    draft = LabelImport.objects.get()
    columns = draft.options["columns"]
    read_as(client, draft, layout="wide", rater="")
    draft.refresh_from_db()

    assert page.content.count(b'name="rater"') == 1
    assert draft.n_faults == 0
    assert [columns[name]["question"] for name in ("rude", "stars", "topic")] == ["rude", "stars", "topic"]
    # Whoever says so gets raters nonetheless.
    assert draft.preview["new"]["rater"]["first"] == ["rude", "stars", "topic"]


@pytest.mark.parametrize(("name", "rater", "n_faults"), [("ann.csv", "ann", 0), ("labels.csv", "", 1)])
def test_a_file_of_labels_without_rater_is_of_the_one_it_is_named_after(
    client, project, name, rater, n_faults
):
    page = client.get(send(client, project, b"item,label\na,yes\nb,no\nc,no\n", name=name).url)
    draft = LabelImport.objects.get()

    assert (draft.options["rater"], draft.n_faults) == (rater, n_faults)
    assert page.content.count(b'name="rater"') == 1


@pytest.mark.parametrize(
    ("name", "content", "rater", "labels"),
    [
        ("ben.csv", "item,label,comment\nd1,pos,c\nd2,neg,d\nd3,pos,e", "ben", ["label"] * 3),
        ("ben.csv", "item,sentiment\nd1,pos\nd2,neg\nd3,pos", "ben", ["sentiment"] * 3),
        ("ben.csv", "item,label,status\nd1,pos,done\nd2,neg,draft\nd3,pos,deleted", "ben", ["label"]),
        ("ben.csv", "item,a,b,status\nd1,1,1,done\nd2,2,1,draft\nd3,1,2,", "", ["label"] * 6),
        ("wide.csv", "item,coder1,coder2\n" + "\n".join(f"d{n},yes,y" for n in range(6)), "", ["label"] * 12),
        ("ben.csv", "item,gold\nd1,pos\nd2,neg\nd3,pos", "", ["label"] * 3),
        (
            "labels.csv",
            "item,rater,tone,size\nd1,ann,lo,1\nd2,ann,hi,2\nd1,ben,lo,2\nd2,ben,hi,1",
            "",
            ["size", "tone"] * 4,
        ),
    ],
)
def test_who_labeled_what(client, project, name, content, rater, labels):
    send(client, project, content.encode(), name=name)
    draft = LabelImport.objects.get()
    confirm(client, draft)
    load_import(draft.pk)

    found = Label.objects.filter(item__project=project).order_by("item__key", "rater__key", "question__key")
    assert draft.options["rater"] == rater
    assert list(found.values_list("question__key", flat=True)) == labels


def test_a_file_named_after_a_gold_standard_is_of_a_reference(client, project):
    send(client, project, b"item,label\na,yes\nb,no\nc,no\n", name="gold.csv")

    options = LabelImport.objects.get().options
    assert (options["rater"], options["rater_kind"]) == ("gold", "reference")


def test_the_same_file_is_known_by_whatever_name_its_rater_was_given(client, project):
    for _ in range(2):
        send(client, project, b"item,label\na,yes\nb,no\nc,no\n", name="anna.csv")
        if draft := LabelImport.objects.filter(state="draft").first():
            read_as(client, draft, rater="Anna K")
            confirm(client, draft)
            load_import(draft.pk)

    assert LabelImport.objects.count() == 1
    assert list(project.raters.values_list("key", flat=True)) == ["Anna K"]


def test_ignored_columns_that_could_be_labels_are_named(client, project):
    topics = ["art", "law", "tech"]
    rows = [f"a{n},{n % 5 + 1},{n % 4 + 1},{topics[n % 3]}" for n in range(12)]
    content = "\n".join(["item,fluency,adequacy,topic", *rows]).encode()
    page = client.get(send(client, project, content, name="carla.csv").url)
    draft = LabelImport.objects.get()
    ignored = draft.preview["ignored_labels"]

    read_as(client, draft, layout="wide", rater="carla")

    draft.refresh_from_db()
    assert ignored == ["topic"]
    assert b'id="ignored-labels"' in page.content
    assert draft.preview["new"]["question"]["first"] == ["fluency", "adequacy", "topic"]
    assert b'id="ignored-labels"' not in client.get(draft.get_absolute_url()).content


def test_columns_of_known_questions_are_no_raters(client, project):
    send(
        client,
        project,
        b"item,rater,question,label\na,ann,tone,low\na,ann,size,low\nb,ann,tone,high\nb,ann,size,high\n",
    )
    draft = LabelImport.objects.get()
    confirm(client, draft)
    load_import(draft.pk)

    send(client, project, b"item,tone,size\na,low,low\nb,high,high\n", name="ben.csv")

    assert LabelImport.objects.latest("id").options["rater"] == "ben"


def test_columns_are_raters_again_without_a_rater_for_all_rows(client, project):
    send(client, project, b"item,ann,ben\na,yes,no\nb,no,no\nc,yes,yes\n")
    draft = LabelImport.objects.get()

    read_as(client, draft, layout="wide", rater="ann")
    read_as(client, draft, layout="wide", rater="")

    draft.refresh_from_db()
    assert {name: column.get("rater") for name, column in draft.options["columns"].items()} == {
        "item": None,
        "ann": "ann",
        "ben": "ben",
    }


def test_raters_their_type_and_the_round_are_not_those_of_an_earlier_file(client, project):
    for round_, rater in (("first", "ann"), ("", "")):
        send(client, project, f"item,label\n{rater}a,yes\n{rater}b,no\n{rater}c,no\n".encode())
        draft = LabelImport.objects.latest("id")
        if rater:
            read_as(client, draft, rater=rater, rater_kind="reference", round=round_)
            confirm(client, draft)
            load_import(draft.pk)

    assert (draft.options["rater"], draft.options["rater_kind"], draft.options["round"]) == ("", "human", "")


def test_an_import_that_was_undone_is_no_example(client, project):
    send(client, project, b"item,rater,label,mood\na,ann,yes,good\nb,ann,no,bad\n")
    draft = LabelImport.objects.latest("id")
    read_as(client, draft, role__2="ignore", role__3="label")
    confirm(client, draft)
    load_import(draft.pk)
    client.post(f"{draft.get_absolute_url()}undo/")

    send(client, project, b"item,rater,label,mood\na,ben,yes,good\nb,ben,no,bad\n")

    assert LabelImport.objects.get(pk=draft.pk).undone_at
    assert LabelImport.objects.latest("id").options["columns"]["label"]["role"] == "label"
