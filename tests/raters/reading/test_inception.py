"""INCEpTION: the tables of its agreement page, and projects."""

import io
import json
import zipfile

import pytest

from core.tables.faults import Faults, FileRefused
from core.tables.sources import bytes_of
from raters.imports.file_opening import opened_files
from raters.reading.formats import inception_documents
from raters.reading.formats.inception import INCEPTION
from tests.raters.reading.made_inception import (
    ANNOTATIONS,
    ANNOTATIONS_JSON,
    ANNOTATIONS_SPANS,
    DIAGNOSIS,
    TSV3,
    cas_json,
    inception_project,
)
from tests.raters.reading.read import Read, files_of, zipped

DOC = "webanno.custom.Doc.value"
TOPICS = "webanno.custom.Doc.topics"


def test_a_diagnosis_has_a_column_for_each_rater():
    read = Read(INCEPTION, files_of({"diagnosis.csv": DIAGNOSIS}))

    assert read.values(DOC) == {
        ("d2.txt", "anna"): "pos",
        ("d2.txt", "ben"): None,
        ("d2.txt", "CURATION_USER"): "neg",
        ("d3.txt", "anna"): "neg",
        ("d3.txt", "ben"): None,
        ("d3.txt", "CURATION_USER"): "neg",
    }
    assert {label.rater: label.rater_kind for label in read.labels} == {
        "anna": "",
        "ben": "",
        "CURATION_USER": "reference",
    }


def test_units_of_spans_are_counted_and_missing_ones_are_not():
    assert Read(INCEPTION, files_of({"diagnosis.csv": DIAGNOSIS})).left_out == {"spans": 5}


def test_stacked_labels_are_a_set_and_a_unit_without_value_is_an_empty_one():
    rows = 'DocumentPosition,demo,d4.txt,webanno.custom.Doc,value,Document,USED,"LOC, PER",<no label>,,\n'

    read = Read(INCEPTION, files_of({"diagnosis.csv": DIAGNOSIS + rows}))

    assert read.values(DOC)["d4.txt", "anna"] == ("LOC", "PER")
    assert read.values(DOC)["d4.txt", "ben"] == ()
    assert read.values(DOC)["d4.txt", "CURATION_USER"] is None


def test_annotations_of_documents_are_read_and_of_spans_counted():
    read = Read(INCEPTION, files_of({"a.csv": ANNOTATIONS}))

    assert read.values("label") == {
        ("d1.txt", "anna"): "pos",
        ("d1.txt", "ben"): "neg",
        ("d2.txt", "anna"): "pos",
    }
    assert Read(INCEPTION, files_of({"a.csv": ANNOTATIONS_SPANS})).left_out == {"spans": 2}
    assert Read(INCEPTION, files_of({"a.json": ANNOTATIONS_JSON})).values("label") == {
        ("d1.txt", "anna"): "pos",
        ("d1.txt", "ben"): "neg",
    }


def test_several_units_of_one_user_in_a_document_are_one_set():
    read = Read(INCEPTION, files_of({"a.csv": ANNOTATIONS + "d1.txt,anna,neg\n"}))

    assert read.values("label")["d1.txt", "anna"] == ("pos", "neg")
    assert read.values("label")["d1.txt", "ben"] == ("neg",)


def test_only_finished_documents_are_submitted():
    read = Read(INCEPTION, inception_project())

    states = {(label.item, label.rater): label.state for label in read.labels if label.question == DOC}
    assert states == {
        ("d1.txt", "anna"): "submitted",
        ("d1.txt", "ben"): "draft",
        ("d1.txt", "eve"): "skipped",
        ("d1.txt", "CURATION_USER"): "submitted",
        ("d2.txt", "anna"): "submitted",
        ("d2.txt", "kim"): "submitted",
    }


def test_documents_in_progress_can_be_taken():
    files = inception_project()

    assert [choice.key for choice in INCEPTION.choices(files)] == ["states"]
    read = Read(INCEPTION, files, states="all")
    assert {label.state for label in read.labels if label.rater == "ben"} == {"submitted"}


def test_a_project_has_values_sets_notes_texts_and_curation():
    read = Read(INCEPTION, inception_project())

    assert read.values(DOC)["d1.txt", "anna"] == "pos"
    assert read.values(TOPICS)["d1.txt", "anna"] == ("a", "b")
    assert {label.note for label in read.labels if (label.item, label.rater) == ("d1.txt", "anna")} == {
        "hard one"
    }
    assert read.items["d1.txt"].content == {"text": "Good soup"}
    assert {label.rater_kind for label in read.labels if label.rater == "CURATION_USER"} == {"reference"}


def test_a_finished_document_without_a_unit_is_no_answer_or_an_empty_set():
    read = Read(INCEPTION, inception_project())

    assert read.values(DOC)["d2.txt", "anna"] is None
    assert read.values(TOPICS)["d2.txt", "anna"] == ()


def test_what_a_project_holds_besides_is_counted():
    left_out = Read(INCEPTION, inception_project()).left_out

    # One in the TSV, and one in the XMI.
    assert left_out["relations"] == 2
    # One in each of the six documents read, and three in the TSV.
    assert left_out["spans"] == 6 + 3


def test_units_of_tsv_are_counted_once_over_several_tokens():
    read = Read(INCEPTION, files_of({"d1.tsv": TSV3}))

    assert read.records == []
    assert read.left_out == {"spans": 3, "relations": 1}


def test_structures_may_be_an_object_and_offsets_anchored():
    cas = json.loads(cas_json("pos"))
    cas["%FEATURE_STRUCTURES"] = {
        str(entry.pop("%ID")): {
            {"begin": "^begin", "end": "^end"}.get(key, key): v for key, v in entry.items()
        }
        for entry in cas["%FEATURE_STRUCTURES"]
    }

    read = Read(INCEPTION, files_of({"d1.txt/anna.json": json.dumps(cas)}))

    assert read.values(DOC) == {("d1.txt", "anna"): "pos"}
    assert read.left_out == {"spans": 1}


def test_types_that_descend_in_a_circle_end():
    cas = json.loads(cas_json("pos"))
    cas["%TYPES"]["webanno.custom.Doc"]["%SUPER_TYPE"] = "webanno.custom.Doc"

    assert Read(INCEPTION, files_of({"d1.txt/anna.json": json.dumps(cas)})).labels == []


def test_numbers_are_a_question_of_numbers():
    cas = json.loads(cas_json("pos"))
    cas["%TYPES"]["webanno.custom.Doc"]["value"]["%RANGE"] = "uima.cas.Double"
    cas["%FEATURE_STRUCTURES"][3]["value"] = 1.50

    read = Read(INCEPTION, files_of({"d1.txt/anna.json": json.dumps(cas).replace("1.5,", "1.50,")}))

    assert read.questions[DOC].kind == "number"
    assert read.values(DOC) == {("d1.txt", "anna"): "1.50"}


def test_a_packed_document_that_is_damaged_or_too_large_is_refused():
    huge = io.BytesIO()
    with zipfile.ZipFile(huge, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("anna.json", b" " * (65 * 1024 * 1024))
    good = zipped({"anna.json": cas_json("pos")})
    project = inception_project()[:1]

    nested = zipped({"anna.zip": "PK"})
    many = zipped({f"{n}.json": "{}" for n in range(51)})
    refused = (
        (huge.getvalue(), "65.0 MB|bytes at most|too much"),
        (good[:200], "damaged"),
        (good[:60] + b"\0" * 40 + good[100:], "damaged"),
        (nested, "an archive in the packed document"),
        (many, "50 files"),
    )
    for packed, said in refused:
        with pytest.raises(FileRefused, match=said):
            Read(INCEPTION, [*project, *files_of({"annotation/d1.txt/anna.zip": packed})])


def test_all_packed_documents_together_have_a_limit(monkeypatch):
    monkeypatch.setattr(inception_documents, "MAX_UNPACKED", 2_000)
    packed = {f"annotation/d{n}.txt/anna.zip": zipped({"anna.json": cas_json("pos")}) for n in range(1, 4)}

    with pytest.raises(FileRefused, match="unpack to more than"):
        Read(INCEPTION, files_of(packed))


def test_a_project_with_packed_documents_is_read_from_its_archive():
    contents = {file.name: b"".join(file.source()) for file in inception_project()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)

    with opened_files("project.zip", bytes_of(packed.getvalue()), Faults()) as files:
        assert INCEPTION.recognizes(files)
        values = Read(INCEPTION, files).values(DOC)
        assert (values["d1.txt", "anna"], values["d2.txt", "kim"]) == ("pos", "neg")


def test_an_archive_elsewhere_in_a_project_is_refused():
    packed = zipped({"exportedproject1.json": "{}", "source/d1.zip": "x"})

    with (
        pytest.raises(FileRefused, match="archive inside the archive"),
        opened_files("project.zip", bytes_of(packed), Faults()),
    ):
        pass
