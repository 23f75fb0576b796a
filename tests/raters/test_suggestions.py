"""Labels accepted from a suggestion: marked by files and programs, in the history, and in exports."""

import json

import pytest
from django.urls import reverse

from core.tables.faults import FileRefused
from raters.imports.undoing import undo_import
from raters.models import Label, LabelImport, LabelRevision
from tests import cast
from tests.cast import signed_in
from tests.files import load
from tests.raters.writing.projects import copied, file_in, losses_in

HEAD = b"item,rater,label,from_suggestion\n"


def marked() -> dict[str, bool]:
    return dict(Label.objects.values_list("item__key", "from_suggestion"))


def test_a_column_marks_labels(project):
    load(project, HEAD + b"a,ann,yes,1\nb,ann,no,0\nc,ann,yes,\nd,ann,no,true\n")

    assert marked() == {"a": True, "b": False, "c": False, "d": True}
    assert LabelRevision.objects.filter(from_suggestion=True).count() == 2


def test_another_mark_is_a_conflict_and_none_is_not(project):
    load(project, HEAD + b"a,ann,yes,1\n")

    assert load(project, b"item,rater,label\na,ann,yes\n").n_unchanged == 1
    with pytest.raises(FileRefused) as refused:
        load(project, HEAD + b"a,ann,yes,0\n")
    assert [fault.code for fault in refused.value.faults.listed] == ["conflicts_with_label"]
    assert load(project, HEAD + b"a,ann,yes,0\n", replace=True).n_changed == 1
    assert marked() == {"a": False}


def test_undoing_an_import_brings_it_back(project, lead):
    load(project, HEAD + b"a,ann,yes,1\n", by=lead)
    second = load(project, HEAD + b"a,ann,no,0\n", by=lead, replace=True)

    undo_import(LabelImport.objects.get(pk=second.pk), by=lead)

    assert marked() == {"a": True}


def test_programs_send_and_read_it(client, project, lead):
    client = signed_in(lead)
    address = reverse("api_labels", args=[project.slug])
    labels = [
        {"item": "a", "rater": "ann", "question": "tone", "category": "good", "from_suggestion": True},
        {"item": "b", "rater": "ann", "question": "tone", "category": "good"},
    ]

    assert client.post(address, json.dumps(labels), content_type="application/json").status_code == 201

    found = client.get(address).json()["results"]
    assert {each["item"]: each["from_suggestion"] for each in found} == {"a": True, "b": False}


@pytest.mark.parametrize(("key", "written"), [("csv", "labels.csv"), ("jsonl", "labels.jsonl")])
def test_an_export_is_read_again(committed_db, key, written):
    project = cast.new_project("Suggested", unique=True)
    load(project, HEAD + b"a,ann,yes,1\nb,ann,no,\n")

    copy = copied(project, written, file_in(project, key))

    found = Label.objects.filter(item__project=copy).values_list("item__key", "from_suggestion")
    assert dict(found) == {"a": True, "b": False}


def test_files_without_such_labels_keep_their_columns(committed_db):
    project = cast.new_project("Suggested", unique=True)
    load(project, b"item,rater,label\na,ann,yes\n")

    assert b"from_suggestion" not in file_in(project, "csv")


@pytest.mark.parametrize("key", ["csv-wide", "doccano", "label-studio"])
def test_a_format_that_has_no_room_for_it_says_so(committed_db, key):
    project = cast.new_project("Suggested", unique=True)
    load(project, HEAD + b"a,ann,yes,1\nb,ann,no,\n")

    assert losses_in(project, key)["marks of accepted suggestions"] == 1


def test_the_page_of_an_item_and_its_history_show_it(client, project, lead):
    load(project, HEAD + b"a,ann,yes,1\n", by=lead)
    client.force_login(lead)

    item = Label.objects.get().item
    page = client.get(reverse("item", args=[project.slug, item.pk])).content.decode()

    # Once among the labels, and once in the history.
    assert page.count("<small>from a suggestion</small>") == 2
