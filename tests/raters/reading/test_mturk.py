"""Amazon Mechanical Turk: results of a batch."""

from raters.reading.formats.mturk import MTURK as FORMAT
from tests.raters.reading.made_files import MTURK, MTURK_HEADER
from tests.raters.reading.read import Read, files_of


def row(**changed: str) -> str:
    cells = {
        "hit": "H1",
        "worker": "W1",
        "status": "Approved",
        "tone": "pos",
        "at": "Mon Mar 02 02:00:31 PST 2026",
    }
    cells |= changed
    return (
        f'"{cells["hit"]}","3T","Tone","A9","{cells["worker"]}","{cells["status"]}","{cells["at"]}","","31","Soup",'
        f'"{cells["tone"]}","true","false",""\n'
    )


def with_json(*answers: str) -> str:
    header = '"HITId","AssignmentId","WorkerId","AssignmentStatus","SubmitTime","Input.text","Answer.taskAnswers"\n'
    rows = [
        f'"H{n}","A{n}","W1","Approved","Mon Mar 02 02:00:31 PST 2026","Soup","{text}"\n'
        for n, text in enumerate(answers)
    ]
    return header + "".join(rows).replace('"[', '"[')


def quoted(text: str) -> str:
    return text.replace('"', '""')


def test_a_classifier_s_label_is_read_with_worker_time_and_note():
    read = Read(FORMAT, files_of({"b.csv": MTURK}))

    assert read.values("tone") == {("3ABC", "W1"): "pos", ("3ABC", "W2"): "neg", ("3ABD", "001"): "pos"}
    label = read.labels[0]
    assert (label.at, label.seconds, label.note, label.source_id) == (
        "2026-03-02T02:00:31-08:00",
        "31",
        "ok",
        "A1",
    )


def test_boxes_of_one_column_each_are_one_question_of_several():
    read = Read(FORMAT, files_of({"b.csv": MTURK}))

    assert read.values("aspects") == {
        ("3ABC", "W1"): ("food", "room"),
        ("3ABC", "W2"): (),
        ("3ABD", "001"): ("food",),
    }


def test_radio_buttons_of_one_column_each_are_a_single_choice():
    read = Read(FORMAT, files_of({"b.csv": MTURK_HEADER + row()}))

    assert read.values("aspects") == {("H1", "W1"): "food"}


def test_rejected_work_is_a_record_that_is_rejected():
    read = Read(FORMAT, files_of({"b.csv": MTURK}))

    assert {label.rater: label.state for label in read.labels} == {
        "W1": "submitted",
        "W2": "rejected",
        "001": "submitted",
    }


def test_summer_time_is_known_by_its_name():
    read = Read(FORMAT, files_of({"b.csv": MTURK}))

    assert {label.at for label in read.labels if label.rater == "W2"} == {"2026-07-06T02:00:31-07:00"}


def test_the_item_may_be_a_column_of_the_input():
    files = files_of({"b.csv": MTURK})

    assert [value for value, _ in FORMAT.choices(files)[0].options] == ["HITId", "Input.text"]
    read = Read(FORMAT, files, item="Input.text")
    assert set(read.items) == {"Good soup"}
    assert read.items["Good soup"].content == {"text": "Good soup"}


def test_free_text_is_counted():
    read = Read(FORMAT, files_of({"b.csv": MTURK}))

    assert read.left_out == {"free-text answers": 1}
    assert "comment" not in read.questions


def test_old_forms_join_by_bars():
    read = Read(FORMAT, files_of({"b.csv": MTURK_HEADER + row(tone="pos|neg") + row(hit="H2")}))

    assert read.values("tone") == {("H1", "W1"): ("pos", "neg"), ("H2", "W1"): ("pos",)}


def test_one_worker_twice_on_an_item_is_two_records():
    read = Read(FORMAT, files_of({"b.csv": MTURK_HEADER + row() + row(tone="neg")}))

    assert [label.value for label in read.labels if label.question == "tone"] == ["pos", "neg"]


def test_answers_in_json_are_read_and_boxes_counted():
    answers = (
        '[{"tone":{"label":"pos"},"aspects":{"food":true,"room":true},"stars":4,"marks":{"boundingBoxes":[{},{}]}}]',
        '[{"tone":{"label":"neg"},"aspects":{"food":false,"room":true},"ner":{"entities":[{}]}}]',
    )

    read = Read(FORMAT, files_of({"b.csv": with_json(*map(quoted, answers))}))

    assert read.values("tone") == {("H0", "W1"): "pos", ("H1", "W1"): "neg"}
    assert read.values("aspects") == {("H0", "W1"): ("food", "room"), ("H1", "W1"): ("room",)}
    assert read.values("stars")["H0", "W1"] == "4"
    assert read.left_out == {"bounding boxes": 2, "spans": 1}


def test_an_unknown_status_and_a_bad_time_are_faults_with_their_line():
    read = Read(FORMAT, files_of({"b.csv": MTURK_HEADER + row(status="Lost") + row(at="yesterday")}))

    assert [(f.line, f.column, f.code) for f in read.faults.listed] == [
        (2, "AssignmentStatus", "bad_status"),
        (3, "SubmitTime", "bad_time"),
    ]
