"""SuperAnnotate: a file for each item."""

import json

import pytest

from core.tables.faults import FileRefused
from raters.reading.formats.superannotate import SUPERANNOTATE as FORMAT
from tests.raters.reading.made_files import SUPERANNOTATE, superannotate
from tests.raters.reading.read import Read, files_of


def test_tags_are_a_set_and_a_duplicated_item_is_one():
    read = Read(FORMAT, files_of(SUPERANNOTATE))

    assert read.values("tags") == {
        ("d1", "anna"): ("pos",),
        ("d1", "ben"): ("pos", "warm"),
        ("d2", "anna"): (),
    }


def test_times_are_in_milliseconds_and_unfinished_items_are_drafts():
    labels = Read(FORMAT, files_of(SUPERANNOTATE)).labels

    assert {label.at for label in labels} == {"2021-10-22T10:40:29Z"}
    assert [label.state for label in labels] == ["submitted", "submitted", "draft"]


def test_entities_are_counted():
    assert Read(FORMAT, files_of(SUPERANNOTATE)).left_out == {"spans": 3}


def test_an_item_without_name_is_a_fault_and_a_broken_file_refused():
    read = Read(FORMAT, files_of({"a.json": superannotate("", "anna", [])}))

    assert [fault.code for fault in read.faults.listed] == ["missing_key"]
    with pytest.raises(FileRefused, match="ends too early"):
        Read(FORMAT, files_of({"a.json": superannotate("d1", "anna", [])[:-9]}))


def test_without_annotator_it_is_who_made_the_first_annotation_by_hand():
    item = {
        "metadata": {"name": "d1", "status": "Completed", "projectId": 1, "annotatorEmail": None},
        "instances": [
            {"type": "entity", "createdBy": {"email": "bot@x.org"}, "creationType": "Prediction"},
            {"type": "entity", "createdBy": {"email": "anna@x.org"}, "creationType": "Manual"},
        ],
        "tags": ["pos"],
    }

    read = Read(FORMAT, files_of({"d1.json": json.dumps(item)}))

    assert [label.rater for label in read.labels] == ["anna@x.org"]
