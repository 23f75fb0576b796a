"""Final labels as Interrater exports them: what is read of a table and of JSON lines."""

from raters.adjudication.exporting import COLUMNS as WRITTEN
from raters.reading.formats.final_labels import COLUMNS, FINAL_LABELS, FURTHER
from tests.raters.reading import samples
from tests.raters.reading.samples import Reading, sent


def test_the_columns_are_those_that_are_written():
    assert [*COLUMNS, *FURTHER] == WRITTEN


def test_a_table_of_final_labels():
    found = Reading(FINAL_LABELS, sent(("final.csv", samples.FINAL_LABELS)))

    assert found.values == [
        ("i-1", "final labels", "tone", "pos"),
        ("i-1", "final labels", "topics", ()),
        ("i-2", "final labels", "tone", None),
        ("i-3", "final labels", "tone", "=1+1"),
    ]
    assert {label.rater_kind for label in found.labels} == {"reference"}
    decided = found.labels[2]
    assert (decided.cannot_tell, decided.reason, decided.note) == (True, "Rater slip", "too dark")
    assert decided.at == "2026-03-02T10:12:00+00:00"
    assert [(item.item, item.content) for item in found.items] == [
        ("i-1", {"site": "north"}),
        ("i-2", {"site": "south"}),
    ]
    assert found.left_out == {"items without a final label": 1}


def test_json_lines_of_final_labels():
    found = Reading(FINAL_LABELS, sent(("final.jsonl", samples.FINAL_LABELS_LINES)))

    assert found.values == [
        ("i-1", "final labels", "tone", "pos"),
        ("i-1", "final labels", "topics", ("food", "a|b")),
        ("i-1", "final labels", "size", "1.5"),
    ]
    assert found.questions["topics"].kind == "multiple"
    assert found.left_out == {"items without a final label": 1}


def test_a_record_without_a_field_is_a_fault():
    broken = samples.FINAL_LABELS_LINES.replace('"label": null, ', "")

    found = Reading(FINAL_LABELS, sent(("final.jsonl", broken)))

    assert [(fault.line, fault.column, fault.code) for fault in found.faults.listed] == [
        (4, "label", "missing_field")
    ]
