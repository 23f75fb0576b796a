"""Potato: the state of each rater, and the exports."""

import json

import pytest

from core.tables.faults import FileRefused
from raters.reading.formats.potato import POTATO
from tests.raters.reading.made_files import POTATO_LINES, POTATO_STATE, POTATO_TABLE
from tests.raters.reading.read import Read, files_of


def state_of(pairs: list, changes: list | None = None, user: str | None = "anna") -> str:
    return json.dumps(
        {
            "user_id": user,
            "instance_id_to_label_to_value": {"d1": pairs},
            "instance_id_to_behavioral_data": {"d1": {"annotation_changes": changes or []}},
        }
    )


def pair(schema: str, name: str, value: str = "true") -> list:
    return [{"schema": schema, "name": name}, value]


def test_a_state_becomes_labels_with_time_and_seconds():
    read = Read(POTATO, files_of({"out/anna/user_state.json": POTATO_STATE}))

    assert read.values("tone") == {("d1", "anna"): "pos", ("d2", "anna"): "neg"}
    assert read.values("aspects") == {("d1", "anna"): ("food", "room"), ("d2", "anna"): ()}
    tone = read.labels[0]
    assert (tone.at, tone.seconds) == ("2026-03-02T09:51:00Z", "9")
    assert read.left_out == {"spans": 1, "free-text answers": 1}


def test_a_point_of_a_scale_is_its_number_and_one_choice():
    changes = [{"timestamp": 2, "schema_name": "stars", "label_name": "scale_2", "new_value": "2"}]
    state = state_of([pair("stars", "scale_2", "2"), pair("stars", "scale_4", "4")], changes)

    read = Read(POTATO, files_of({"user_state.json": state}))

    assert read.values("stars") == {("d1", "anna"): "2"}
    assert read.questions["stars"].kind == "single"


def test_radio_buttons_that_stayed_are_asked_about_and_the_last_counts():
    changes = [
        {"timestamp": 20, "schema_name": "tone", "label_name": "pos", "new_value": "true"},
        {"timestamp": 10, "schema_name": "tone", "label_name": "neg", "new_value": "true"},
    ]
    files = files_of({"user_state.json": state_of([pair("tone", "pos"), pair("tone", "neg")], changes)})

    assert [choice.key for choice in POTATO.choices(files)] == ["several.tone"]
    assert Read(POTATO, files).values("tone") == {("d1", "anna"): ("pos", "neg")}
    assert Read(POTATO, files, several__tone="single").values("tone") == {("d1", "anna"): "pos"}


def test_a_value_may_be_true_or_the_label():
    state = state_of([pair("tone", "pos", "pos"), pair("clear", "yes", "true"), pair("sure", "no", "false")])

    read = Read(POTATO, files_of({"user_state.json": state}))

    assert read.values("tone") == {("d1", "anna"): "pos"}
    assert read.values("clear") == {("d1", "anna"): "yes"}
    assert read.values("sure") == {}


def test_labels_may_be_an_object_as_documented():
    state = json.dumps(
        {"user_id": "anna", "instance_id_to_label_to_value": {"d1": {"tone": {"pos": "true"}}}}
    )

    assert Read(POTATO, files_of({"user_state.json": state})).values("tone") == {("d1", "anna"): "pos"}


def test_the_folder_names_the_rater_where_the_state_does_not():
    read = Read(POTATO, files_of({"out/001/user_state.json": state_of([pair("tone", "pos")], user=None)}))

    assert read.values("tone") == {("d1", "001"): "pos"}


def test_a_table_becomes_labels_and_ids_stay_text():
    read = Read(POTATO, files_of({"a.csv": POTATO_TABLE}))

    assert read.values("tone") == {("d1", "anna"): "pos", ("d2", "anna"): "neg", ("001", "ben"): "pos"}
    assert read.values("aspects")["d1", "anna"] == ("food", "room")
    assert read.left_out == {"spans": 1}


def test_lines_become_labels():
    read = Read(POTATO, files_of({"a.jsonl": POTATO_LINES}))

    assert read.values("tone") == {("d1", "anna"): "pos", ("d1", "ben"): "neg"}
    assert read.left_out == {"spans": 1, "relations": 2}


def test_a_line_without_its_rater_is_a_fault_with_its_line():
    read = Read(POTATO, files_of({"a.jsonl": POTATO_LINES + '{"instance_id":"d3","labels":{}}\n'}))

    assert [(fault.line, fault.code) for fault in read.faults.listed] == [(3, "missing_key")]


def test_a_truncated_state_is_refused_with_its_name():
    files = files_of(
        {"out/anna/user_state.json": POTATO_STATE[:300], "out/ben/user_state.json": POTATO_STATE}
    )

    with pytest.raises(FileRefused, match=r"out/anna/user_state.json: the JSON ends too early"):
        Read(POTATO, files)


def test_a_state_nested_too_deeply_is_refused():
    state = '{"user_id": "anna", "instance_id_to_label_to_value": ' + "[" * 100_000

    with pytest.raises(FileRefused, match=r"nested too deeply"):
        Read(POTATO, files_of({"user_state.json": state}))
