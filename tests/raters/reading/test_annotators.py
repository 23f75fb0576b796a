"""What data sets with annotators become."""

import json

import pytest

from raters.reading.formats.annotators import ANNOTATORS
from tests.raters.reading.samples import Reading, lines, sent

LEWIDI = {
    "1": {
        "text": "Good soup",
        "annotation task": "tone",
        "annotations": "1,0,1",
        "annotators": "Ann1,Ann2,Ann3",
        "hard_label": "1",
        "soft_label": {"0": 0.33},
        "lang": "en",
    }
}


def test_lewidi_2023_zips_texts():
    found = Reading(ANNOTATORS, sent(("a.json", json.dumps(LEWIDI, indent=1))))

    assert found.values == [
        ("1", "Ann1", "tone", "1"),
        ("1", "Ann2", "tone", "0"),
        ("1", "Ann3", "tone", "1"),
    ]
    assert found.left_out == {"totals of several raters (hard and soft labels)": 2}
    assert found.items[0].content == {"text": "Good soup", "lang": "en"}


def test_lewidi_2025_may_name_an_annotator_twice():
    record = {
        "annotators": "Ann1,Ann2,Ann2",
        "annotations": {"Ann1": "0", "Ann2": "a,b"},
        "text": {"post": "x"},
    }

    found = Reading(ANNOTATORS, sent(("a.json", json.dumps({"7": record}))))

    assert found.values == [("7", "Ann1", "label", ("0",)), ("7", "Ann2", "label", ("a", "b"))]


@pytest.mark.parametrize(
    "record",
    [
        {"annotators": ["a", "b"], "annotations": [1, 0]},
        {"annotations": [{"annotator": "a", "label": 1}, {"annotator": "b", "label": 0}]},
        {"annotations": {"annotator": ["a", "b"], "label": [1, 0]}},
    ],
)
def test_lists_in_each_form(record):
    found = Reading(ANNOTATORS, sent(("a.jsonl", lines({"id": "x", "text": "t", **record}))))

    assert found.values == [("x", "a", "label", "1"), ("x", "b", "label", "0")]


def test_columns_are_annotators_and_minus_one_no_label():
    files = sent(("a.jsonl", lines({"id": 1, "text": "t", "annotator_1": 1, "annotator_2": -1})))

    assert [one.value for one in Reading(ANNOTATORS, files).labels] == ["1", None]
    assert [one.value for one in Reading(ANNOTATORS, files, minus_one="value").labels] == ["1", "-1"]


def test_uneven_lists_are_a_fault():
    files = sent(("a.jsonl", lines({"id": 1, "annotators": ["a"], "annotations": [1, 2]})))

    assert Reading(ANNOTATORS, files).faults.code == "uneven_lists"


def test_text_that_is_json_in_a_text_stays_as_it_is():
    record = {"annotators": ["a"], "annotations": [1], "text": '{"post": "x", "reply": "y"}'}

    found = Reading(ANNOTATORS, sent(("a.jsonl", lines({"id": 1, **record}))))

    assert found.items[0].content == {"text": '{"post": "x", "reply": "y"}'}
