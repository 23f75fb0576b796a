"""Qualtrics: a respondent is a rater, a question an item."""

import pytest

from core.tables.faults import FileRefused
from raters.reading.formats.qualtrics import QUALTRICS as FORMAT
from tests.raters.reading.made_files import QUALTRICS
from tests.raters.reading.read import Read, files_of


def submitted(read: Read, question: str) -> dict:
    labels = [label for label in read.labels if label.question == question and label.state == "submitted"]
    return {(label.item, label.rater): label.value for label in labels}


def test_columns_are_items_with_what_was_asked():
    read = Read(FORMAT, files_of({"s.csv": QUALTRICS}))

    assert submitted(read, "answer") == {("Q1", "R_1"): "1", ("Q1", "R_2"): "2"}
    assert read.items["Q1"].content == {"text": "Tone of:\nGood soup"}


def test_a_column_for_each_option_is_a_set():
    read = Read(FORMAT, files_of({"s.csv": QUALTRICS}))

    assert submitted(read, "answers")["Q2", "R_1"] == ("food",)
    assert submitted(read, "answers")["Q2", "R_2"] == ("food", "room")


def test_choices_in_one_column_are_split_at_commas():
    read = Read(FORMAT, files_of({"s.csv": QUALTRICS}))

    assert submitted(read, "answers")["Q4", "R_1"] == ("1", "3")
    assert submitted(read, "answers")["Q4", "R_2"] == ("1",)


def test_a_comma_in_a_text_of_choices_does_not_split():
    read = Read(FORMAT, files_of({"s.csv": QUALTRICS.replace('"1,3"', '"Yes, always"')}))

    assert submitted(read, "answer")["Q4", "R_1"] == "Yes, always"


def test_columns_of_a_matrix_are_items_of_their_own():
    matrix = QUALTRICS.replace("EN,1,1,,2,1", "EN,1,5,,2,1")

    read = Read(FORMAT, files_of({"s.csv": matrix}))

    assert submitted(read, "answer")["Q2_1", "R_1"] == "5"
    assert submitted(read, "answer")["Q2_2", "R_1"] is None


def test_of_loop_and_merge_the_loop_is_the_item():
    read = Read(FORMAT, files_of({"s.csv": QUALTRICS}))

    assert submitted(read, "Q3") == {
        ("1", "R_1"): "2",
        ("2", "R_1"): "1",
        ("1", "R_2"): "2",
        ("2", "R_2"): "2",
    }


def test_previews_and_unfinished_responses_are_no_labels():
    files = files_of({"s.csv": QUALTRICS})

    assert {label.rater: label.state for label in Read(FORMAT, files).labels} == {
        "R_1": "submitted",
        "R_2": "submitted",
        "R_3": "rejected",
        "R_4": "draft",
    }
    taken = Read(FORMAT, files, unfinished="submitted")
    assert {label.state for label in taken.labels if label.rater == "R_4"} == {"submitted"}


def test_the_rater_may_be_the_external_reference_unless_it_is_an_address():
    files = files_of({"s.csv": QUALTRICS})

    assert "rater" in [choice.key for choice in FORMAT.choices(files)]
    assert {label.rater for label in Read(FORMAT, files, rater="reference").labels} == {
        "anna",
        "ben",
        "R_3",
        "R_4",
    }
    addresses = files_of({"s.csv": QUALTRICS.replace("anna@x.org,anna", "anna@x.org,anna@x.org")})
    assert "rater" not in [choice.key for choice in FORMAT.choices(addresses)]


def test_free_text_is_counted():
    assert Read(FORMAT, files_of({"s.csv": QUALTRICS})).left_out == {"free-text answers": 1}


def test_old_exports_have_two_rows_of_header():
    old = (
        "ResponseID,Status,Finished,EndDate,Q1\nResponseID,Status,Finished,EndDate,Tone of: Good soup\n"
        "R_1,0,1,2026-03-02 09:10:01,1\n"
    )

    assert FORMAT.recognizes(files_of({"s.csv": old}))
    assert submitted(Read(FORMAT, files_of({"s.csv": old})), "answer") == {("Q1", "R_1"): "1"}


def test_an_unclosed_quote_is_refused_with_its_line():
    with pytest.raises(FileRefused, match=r"line 5.*missing closing quote"):
        Read(FORMAT, files_of({"s.csv": QUALTRICS.replace('"1,3"', '"1,3')}))
