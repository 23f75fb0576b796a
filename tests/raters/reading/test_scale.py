"""Scale: tasks with one answer each."""

import json

from raters.reading.formats.scale import SCALE as FORMAT
from tests.raters.reading.made_files import SCALE, scale
from tests.raters.reading.read import Read, files_of


def test_all_answers_are_of_one_rater_as_no_worker_is_named():
    read = Read(FORMAT, files_of({"a.json": json.dumps(SCALE)}))

    assert read.values("category") == {("1", "scale"): "pos", ("2", "scale"): "neg", ("3", "scale"): None}
    assert [label.state for label in read.labels] == ["submitted", "submitted", "draft"]
    assert read.left_out == {"bounding boxes": 2}


def test_the_item_may_be_a_key_of_the_metadata():
    files = files_of({"a.json": json.dumps(SCALE)})

    assert [value for value, _ in FORMAT.choices(files)[0].options] == ["task_id", "item"]
    assert set(Read(FORMAT, files, item="item").items) == {"d1", "d2", "d3"}


def test_several_categories_are_a_set():
    read = Read(FORMAT, files_of({"a.json": json.dumps([*SCALE, scale("4", ["pos", "neg"])])}))

    assert read.values("category")["4", "scale"] == ("pos", "neg")
    assert read.values("category")["1", "scale"] == ("pos",)


def test_a_task_without_its_id_is_a_fault_with_its_place():
    read = Read(FORMAT, files_of({"a.json": json.dumps([SCALE[0], {"response": {}}])}))

    assert [(fault.line, fault.code) for fault in read.faults.listed] == [(2, "missing_key")]
