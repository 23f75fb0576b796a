"""What Label Studio's exports become."""

import json

import pytest

from core.tables.faults import FileRefused
from raters.reading.formats.label_studio import ACCEPTED, LABEL_STUDIO
from raters.reading.formats.label_studio_rows import LABEL_STUDIO_ROWS
from tests.raters.reading import samples
from tests.raters.reading.samples import Reading, annotation, result, sent, task


def reading(*tasks, **chosen) -> Reading:
    return Reading(LABEL_STUDIO, sent(("export.json", json.dumps(tasks))), **chosen)


def test_json_becomes_items_questions_and_labels():
    found = Reading(LABEL_STUDIO, sent(("export.json", samples.LABEL_STUDIO)))

    assert found.questions.keys() == {"tone", "stars"}
    assert (found.questions["tone"].kind, found.questions["stars"].kind) == ("single", "")
    assert found.items[0].content == {"text": "Good soup, cold room", "site": "north"}
    assert found.items[0].attributes == {"ward": "3"}
    assert found.values == [
        ("101", "anna@x.org", "tone", "pos"),
        ("101", "anna@x.org", "stars", "4"),
        ("101", "4", "tone", None),
        ("101", "4", "stars", None),
        ("101", "clf-2", "tone", "neg"),
    ]
    assert [one.state for one in found.labels] == ["submitted"] * 2 + ["skipped"] * 2 + ["submitted"]
    assert (found.labels[0].seconds, found.labels[0].at) == ("10.744", "2026-03-02T10:12:00.2Z")
    assert found.labels[-1].rater_kind == "model"
    assert found.left_out == {"spans": 1}


def test_no_choice_is_an_empty_set_only_where_several_can_be_chosen():
    both = annotation(
        3, result("tone", "choices", choices=["a", "b"]), result("mood", "choices", choices=["x"])
    )

    found = reading(task(both, annotation(4)))

    assert found.values[2:] == [("101", "4", "tone", ()), ("101", "4", "mood", None)]


def test_taxonomy_is_a_set_of_paths():
    found = reading(task(annotation(3, result("topic", "taxonomy", taxonomy=[["A"], ["A", "B"]]))))

    assert found.labels[0].value == ("A", "A/B")


def test_pairwise_is_left_or_right():
    found = reading(task(annotation(3, result("better", "pairwise", selected="left"))))

    assert found.labels[0].value == "left"


def test_ground_truth_is_a_reference_and_the_persons_own_label_if_chosen():
    truth = task(annotation(3, result("tone", "choices", choices=["a"]), ground_truth=True))

    assert [one.rater_kind for one in reading(truth).labels] == ["reference"]
    assert [one.rater_kind for one in reading(truth, ground_truth="both").labels] == ["reference", "human"]


def test_answers_about_a_region_are_not_the_items():
    span = {**result("ner", "labels", start=0, end=4, labels=["A"]), "id": "s1"}
    about = {**result("tone", "choices", choices=["a"], start=0, end=4), "id": "s1"}

    found = reading(task(annotation(3, span, about)))

    assert not found.labels
    assert found.left_out == {"spans": 1, "answers about a region": 1}


def test_an_accepted_prediction_is_counted():
    found = reading(task(annotation(3, result("tone", "choices", choices=["a"]), parent_prediction=9)))

    assert found.left_out == {ACCEPTED: 1}


def test_text_is_the_note_of_the_only_question():
    why = result("why", "textarea", text=["warm", "salty"])
    tone, mood = (result(name, "choices", choices=["a"]) for name in ("tone", "mood"))

    assert reading(task(annotation(3, tone, why))).labels[0].note == "warm\nsalty"
    assert reading(task(annotation(3, tone, mood, why))).left_out == {"free-text answers": 1}


def test_one_person_twice_on_one_task_is_two_records():
    one = annotation(3, result("tone", "choices", choices=["a"]))

    assert len(reading(task(one, one)).labels) == 2


def test_the_item_is_known_by_a_field_of_data_if_chosen():
    one = annotation(3, result("tone", "choices", choices=["a"]))

    assert reading(task(one), item="data.site").labels[0].item == "north"


def test_very_old_files_have_completions():
    old = {
        "id": 1,
        "data": {"text": "a"},
        "completions": [{"completed_by": 3, "skipped": True, "result": []}],
    }
    new = task(annotation(3, result("tone", "choices", choices=["a"])))

    assert reading(new, old).labels[-1].state == "skipped"


@pytest.mark.parametrize("text", [samples.LABEL_STUDIO[:-40], samples.LABEL_STUDIO + "]", '[{"a":' * 100_000])
def test_a_broken_file_is_refused_with_its_place(text):
    with pytest.raises(FileRefused):
        Reading(LABEL_STUDIO, sent(("export.json", text)))


def test_long_numbers_are_texts():
    found = reading({**task(annotation(3, result("tone", "choices", choices=["a"]))), "id": 1})
    text = json.dumps([task(annotation(3, result("tone", "choices", choices=["a"])))]).replace(
        "101", "9" * 5000
    )

    assert found.labels[0].item == "1"
    assert Reading(LABEL_STUDIO, sent(("a.json", text))).labels[0].item == "9" * 5000


def test_json_min_tells_answers_from_fields_by_their_order():
    found = Reading(LABEL_STUDIO_ROWS, sent(("min.json", samples.LABEL_STUDIO_MIN)))

    assert found.values == [("101", "3", "tone", "pos"), ("101", "3", "stars", "4")]
    assert found.items[0].content == {"text": "Good soup", "site": "north"}


def test_json_min_writes_several_choices_as_an_object():
    text = samples.LABEL_STUDIO_MIN.replace('"pos"', '[{"choices": ["a", "b"]}]')

    assert Reading(LABEL_STUDIO_ROWS, sent(("min.json", text))).labels[0].value == ("a", "b")


def test_rows_without_an_annotation_are_items():
    text = samples.LABEL_STUDIO_MIN.replace("501", "null")

    found = Reading(LABEL_STUDIO_ROWS, sent(("min.json", text)))

    assert (len(found.items), found.labels) == (1, [])


def test_csv_tells_answers_by_what_differs_on_a_task():
    found = Reading(LABEL_STUDIO_ROWS, sent(("export.csv", samples.LABEL_STUDIO_CSV)))

    assert [one.value for one in found.labels] == ["4", "pos", "2", "neg"]
    assert found.items[0].content == {"text": "Good soup"}


def test_a_column_is_what_a_person_says_it_is():
    files = sent(("export.csv", samples.LABEL_STUDIO_CSV))

    assert "column.tone" in {choice.key for choice in LABEL_STUDIO_ROWS.choices(files)}
    assert Reading(LABEL_STUDIO_ROWS, files, column__tone="attribute").items[0].attributes == {"tone": "pos"}
