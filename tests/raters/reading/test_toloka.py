"""Toloka: assignments of a pool."""

from raters.reading.formats.toloka import TOLOKA as FORMAT
from tests.raters.reading.made_files import TOLOKA
from tests.raters.reading.read import Read, files_of


def test_outputs_are_questions_and_ids_are_kept():
    read = Read(FORMAT, files_of({"a.tsv": TOLOKA}))

    assert read.values("tone") == {
        ("Good soup", "w9"): "pos",
        ("Cold room", "golden"): "neg",
        ("Cold room", "w9"): "neg",
        ("Cold room", "w8"): "pos",
        ("Good soup", "w7"): None,
    }
    assert read.labels[0].source_id == "a1/t1"


def test_a_control_task_has_a_reference_once():
    read = Read(FORMAT, files_of({"a.tsv": TOLOKA}))

    assert [(label.item, label.value) for label in read.labels if label.rater_kind == "reference"] == [
        ("Cold room", "neg")
    ]


def test_status_tells_what_is_a_label():
    read = Read(FORMAT, files_of({"a.tsv": TOLOKA}))

    states = {label.rater: label.state for label in read.labels}
    assert states == {"w9": "submitted", "golden": "submitted", "w8": "rejected", "w7": "skipped"}


def test_times_without_zone_are_of_utc():
    assert Read(FORMAT, files_of({"a.tsv": TOLOKA})).labels[0].at == "2026-03-02T10:01:00Z"


def test_lists_are_sets_even_if_nobody_chose_two():
    read = Read(FORMAT, files_of({"a.tsv": TOLOKA}))

    assert read.values("aspects")["Good soup", "w9"] == ("food",)
    assert read.values("aspects")["Cold room", "w9"] == ()


def test_the_item_is_a_short_input_that_tells_tasks_apart_or_the_task():
    files = files_of({"a.tsv": TOLOKA})
    long = files_of({"a.tsv": TOLOKA.replace("Good soup", "Good soup " * 30)})

    assert FORMAT.choices(files)[0].options[0][0] == "INPUT:text"
    assert FORMAT.choices(long)[0].options[0][0] == "ASSIGNMENT:task_id"
    assert set(Read(FORMAT, files, item="ASSIGNMENT:task_id").items) == {"t1", "t2"}


def test_inputs_are_content_and_the_accepted_of_json_count():
    read = Read(FORMAT, files_of({"a.tsv": TOLOKA.replace("APPROVED", "ACCEPTED")}))

    assert read.items["Good soup"].content == {"text": "Good soup"}
    assert {label.state for label in read.labels if label.rater == "w9"} == {"submitted"}


def test_an_unknown_status_is_a_fault():
    read = Read(FORMAT, files_of({"a.tsv": TOLOKA.replace("SKIPPED", "LOST")}))

    assert [(fault.line, fault.code) for fault in read.faults.listed] == [(5, "bad_status")]
