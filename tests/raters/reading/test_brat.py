"""brat: attributes that hold for a whole document; all else is counted."""

from raters.reading.formats.brat import BRAT as FORMAT
from tests.raters.reading.made_files import BRAT, BRAT_ANNA
from tests.raters.reading.read import Read, files_of


def test_an_attribute_of_the_beginning_is_of_the_document():
    read = Read(FORMAT, files_of(BRAT))

    assert read.values("Tone") == {("d1", "anna"): "pos", ("d2", "anna"): None, ("d1", "ben"): "neg"}
    assert read.items["d1"].content == {"text": "Good soup, cold room"}


def test_an_attribute_without_values_is_yes_or_no_wherever_the_document_was_seen():
    read = Read(FORMAT, files_of(BRAT))

    assert read.values("Spam") == {("d1", "anna"): "yes", ("d2", "anna"): "no", ("d1", "ben"): "no"}


def test_a_document_without_ann_was_not_seen_and_an_empty_one_was():
    read = Read(FORMAT, files_of(BRAT))

    assert ("d2", "ben") not in read.values("Tone")
    assert ("d2", "anna") in read.values("Tone")


def test_a_note_on_the_attribute_comes_along():
    assert [label.note for label in Read(FORMAT, files_of(BRAT)).labels if label.note] == ["which soup?"]


def test_all_else_is_counted():
    assert Read(FORMAT, files_of(BRAT)).left_out == {
        "spans": 1,
        "attributes of spans": 1,
        "relations": 2,
        "events": 1,
        "normalizations": 1,
        "notes on spans": 1,
    }


def test_attributes_of_the_beginning_may_be_about_the_span():
    read = Read(FORMAT, files_of(BRAT), attributes="spans")

    assert read.labels == []
    assert read.left_out["spans"] == 3
    assert read.left_out["attributes of spans"] == 4


def test_an_attribute_found_elsewhere_too_is_of_spans():
    other = "T1\tPlace 3 9\tsoup\nA1\tTone T1 pos\n"

    read = Read(FORMAT, files_of({**BRAT, "ben/d3.ann": other}))

    assert read.values("Tone") == {}


def test_one_folder_around_all_is_no_rater():
    read = Read(FORMAT, files_of({f"corpus/{name}": text for name, text in BRAT.items()}))

    assert {label.rater for label in read.labels} == {"anna", "ben"}


def test_without_folders_nobody_is_named():
    read = Read(FORMAT, files_of({"d1.ann": BRAT_ANNA, "d1.txt": "Good soup"}))

    assert {label.rater for label in read.labels} == {""}


def test_what_a_mac_adds_to_an_archive_is_passed_over():
    read = Read(FORMAT, files_of({**BRAT, "__MACOSX/anna/._d1.ann": b"\x00\x05\x16\x07"}))

    assert {label.rater for label in read.labels} == {"anna", "ben"}


def test_a_bad_line_and_an_unknown_id_are_faults_with_their_place():
    files = files_of(
        {"anna/d1.ann": "T1\tTitle 0 4\tGood\nT2\tTitle zero\tx\nA1\tTone T9 pos\nwhat\n", "anna/d1.txt": "x"}
    )

    read = Read(FORMAT, files)

    assert [(fault.line, fault.code) for fault in read.faults.listed] == [
        (2, "bad_line"),
        (4, "bad_line"),
        (3, "unknown_id"),
    ]
    assert all(fault.rule.startswith("anna/d1.ann: ") for fault in read.faults.listed)


def test_offsets_count_characters_and_a_span_may_have_gaps():
    text = "😊 Good soup, cold room"
    ann = "T1\tTitle 0 1\t😊\nT2\tPlace 2 6;13 17\tGood cold\nA1\tTone T1 pos\n"

    read = Read(FORMAT, files_of({"anna/d1.ann": ann, "anna/d1.txt": text}))

    assert not read.faults
    assert read.values("Tone") == {("d1", "anna"): "pos"}
