"""What Prodigy's sets become."""

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
