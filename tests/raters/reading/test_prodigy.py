"""What Prodigy's sets become."""

import pytest

from raters.reading.formats.prodigy import PRODIGY
from tests.raters.reading.samples import Reading, lines, sent

OPTIONS = [{"id": "pos", "text": "Positive"}, {"id": "neg", "text": "Negative"}]


def choice(rater="tone-anna", **more):
    return {
        "text": "Good soup",
        "meta": {"site": "north"},
        "options": OPTIONS,
        "_input_hash": -18866,
        "_task_hash": -195,
        "_view_id": "choice",
        "config": {"choice_style": "single"},
        "accept": ["pos"],
        "answer": "accept",
        "_timestamp": 1772445060,
        "_annotator_id": rater,
        **more,
    }


def reading(*records, name="tone.jsonl", **chosen):
    return Reading(PRODIGY, sent((name, lines(*records))), **chosen)


def test_a_choice_becomes_a_label():
    found = reading(choice())

    assert found.values == [("-18866", "anna", "choice", "pos")]
    assert found.questions["choice"].categories == (("pos", "Positive"), ("neg", "Negative"))
    assert found.labels[0].at == "2026-03-02T09:51:00Z"
    assert (found.items[0].content, found.items[0].attributes) == ({"text": "Good soup"}, {"site": "north"})


def test_an_empty_choice_is_a_set_or_no_answer():
    assert reading(choice(accept=[])).labels[0].value is None
    assert reading(choice(accept=[], config={"choice_style": "multiple"})).labels[0].value == ()


def test_ignored_is_skipped_and_rejected_is_no_label():
    found = reading(choice(answer="ignore"), choice(answer="reject"))

    assert [one.state for one in found.labels] == ["skipped", "rejected"]


def test_binary_answers_are_yes_and_no_to_their_label():
    binary = {
        "text": "a",
        "label": "POS",
        "_input_hash": 1,
        "_view_id": "classification",
        "_session_id": "tone-ben",
    }

    found = reading({**binary, "answer": "accept"}, {**binary, "answer": "reject"})

    assert [(one.question, one.value, one.rater) for one in found.labels] == [
        ("POS", "yes", "ben"),
        ("POS", "no", "ben"),
    ]


def test_spans_are_left_out():
    spans = [{"start": 0, "end": 9, "label": "FOOD"}]

    found = reading({"text": "a", "spans": spans, "_input_hash": 1, "_task_hash": 5, "answer": "accept"})

    assert (found.labels, found.left_out) == ([], {"spans": 1})


def test_names_keep_what_is_not_the_name_of_the_set():
    records = [choice("a-b-anna"), choice("a-b-ben")]

    assert [one.rater for one in reading(*records).labels] == ["a-b-anna", "a-b-ben"]
    assert [one.rater for one in reading(*records, prefix="a-b-").labels] == ["anna", "ben"]
    assert PRODIGY.choices(sent(("x.jsonl", lines(*records))))[1].options[1][0] == "a-b-"


def test_a_moment_is_no_person():
    found = reading(choice("tone-2026-03-02_10-11-05"), choice(None))

    assert {one.rater for one in found.labels} == {"unnamed session"}


def test_a_review_is_a_reference():
    assert reading(choice(versions=[], sessions=[])).labels[0].rater_kind == "reference"


def test_a_stale_option_is_a_category_and_an_unknown_answer_a_fault():
    found = reading(choice(accept=["old"]), choice(answer="maybe"))

    assert ("old", "old") in found.questions["choice"].categories
    assert found.faults.listed[0].line == 2


@pytest.mark.parametrize("n", [30, 3_000_000])
def test_an_embedded_picture_is_counted_and_is_no_content(n):
    picture = "data:image/png;base64," + "A" * n
    record = choice(image=picture)
    del record["text"]
    files = sent(("tone.jsonl", lines(record)))

    assert PRODIGY.recognizes(files)
    assert [value for value, _ in PRODIGY.choices(files)[0].options] == ["hash", "data.site"]
    found = Reading(PRODIGY, files)

    assert found.left_out == {"embedded images and sounds": 1}
    assert "AAAA" not in repr((found.items, found.labels))


def test_a_picture_by_its_address_is_content():
    assert reading(choice(image="https://x.org/a.png")).items[0].content["image"] == "https://x.org/a.png"


def test_old_sets_without_time_or_annotator_are_read():
    record = choice(None, _session_id="tone-anna")
    del record["_timestamp"]

    label = reading(record).labels[0]

    assert (label.rater, label.at) == ("anna", "")


def test_an_annotator_who_began_again_has_two_records():
    assert len(reading(choice(), choice(_timestamp=1772445061)).labels) == 2


def test_shuffled_options_are_the_same_categories():
    found = reading(choice(), choice(_input_hash=2, options=OPTIONS[::-1]))

    assert found.questions["choice"].categories == (("pos", "Positive"), ("neg", "Negative"))


def test_pictures_with_boxes_are_counted_as_boxes():
    record = {
        "image": "a.png",
        "spans": [{"points": [[0, 0]], "label": "CAT"}],
        "_input_hash": 1,
        "answer": "accept",
    }

    assert reading(record).left_out == {"bounding boxes": 1}
