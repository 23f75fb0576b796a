"""What Argilla's records become."""

import json

import pytest

from core.tables.faults import FileRefused
from raters.reading.formats.answers import MAX_QUESTIONS
from raters.reading.formats.argilla import ARGILLA
from tests.raters.reading.samples import Reading, lines, sent

NESTED = {
    "id": "d1",
    "fields": {"text": "Good soup"},
    "metadata": {"site": "north"},
    "suggestions": {"tone": {"value": "pos", "score": 0.8, "agent": "clf-2"}},
    "responses": {"tone": [{"value": "pos", "user_id": "5f"}, {"value": "neg", "user_id": "9a"}]},
    "status": "pending",
}
FLAT = {
    "id": "d1",
    "status": "completed",
    "text": "Good soup",
    "tone.responses": ["pos", "neg"],
    "tone.responses.users": ["5f", "9a"],
    "tone.responses.status": ["submitted", "discarded"],
    "tone.suggestion": "pos",
    "tone.suggestion.agent": "clf-2",
}


def reading(record, **chosen):
    return Reading(ARGILLA, sent(("a.json", json.dumps([record]))), **chosen)


def test_records_become_labels_and_suggestions_a_models():
    found = reading(NESTED)

    assert found.values == [
        ("d1", "5f", "tone", "pos"),
        ("d1", "9a", "tone", "neg"),
        ("d1", "clf-2", "tone", "pos"),
    ]
    assert found.labels[2].rater_kind == "model"
    assert (found.items[0].content, found.items[0].attributes) == ({"text": "Good soup"}, {"site": "north"})


def test_responses_of_pending_records_are_drafts_if_a_person_says_so():
    found = reading(NESTED, status="completed")

    assert [one.state for one in found.labels] == ["draft", "draft", "submitted"]


def test_flat_lists_are_zipped_with_their_states():
    found = Reading(ARGILLA, sent(("a.jsonl", lines(FLAT))))

    assert [one.state for one in found.labels[:2]] == ["submitted", "skipped"]
    assert found.items[0].content == {"text": "Good soup"}


def test_uneven_lists_are_a_fault():
    assert reading({**FLAT, "tone.responses.users": ["5f"]}).faults.code == "uneven_lists"


def test_version_1_lists_objects_or_lists_of_a_struct():
    both = [
        {"user_id": "5f", "value": "pos", "status": "submitted"},
        {"user_id": "9a", "value": "x", "status": "draft"},
    ]
    record = {
        "text": "a",
        "tone": both,
        "tone-suggestion": "neg",
        "external_id": "e1",
        "metadata": '{"site": "n"}',
    }
    struct = {key: [one[key] for one in both] for key in both[0]}

    for found in (reading(record), reading({**record, "tone": struct})):
        assert [(one.rater, one.value, one.state) for one in found.labels if one.rater_kind == "human"] == [
            ("5f", "pos", "submitted"),
            ("9a", "x", "draft"),
        ]
        assert found.items[0].attributes == {"site": "n"}


def test_spans_and_rankings_are_left_out_and_lists_are_sets():
    values = {
        "a": [{"start": 0, "end": 9, "label": "F"}],
        "b": [{"value": "a", "rank": 1}],
        "c": ["x"],
        "d": 4,
    }
    responses = {name: [{"value": value, "user_id": "5f"}] for name, value in values.items()}

    found = reading({**NESTED, "responses": responses, "suggestions": {}})

    assert found.left_out == {"spans": 1, "rankings": 1}
    assert [one.value for one in found.labels] == [("x",), "4"]
    assert found.questions["d"].kind == ""


def test_user_ids_stay_as_they_are():
    response = {"tone": [{"value": "pos", "user_id": "5f3c2a10-0000-4000-8000-000000000001"}]}

    assert (
        reading({**NESTED, "responses": response}).labels[0].rater == "5f3c2a10-0000-4000-8000-000000000001"
    )


def test_questions_without_end_are_refused():
    responses = {f"q{n}": [{"value": "a", "user_id": "5f"}] for n in range(MAX_QUESTIONS + 1)}

    with pytest.raises(FileRefused, match="at most 500 questions"):
        reading({**NESTED, "responses": responses})
