"""How sure somebody was of a label, out of a file and into one."""

import json

import pytest

from core.tables.faults import FileRefused
from core.tables.sources import bytes_of
from raters.imports.actions import NamedSource, import_now
from raters.imports.label_options import LabelOptions
from raters.imports.undoing import undo_import
from raters.models import Label, LabelImport
from raters.reading.columns import Column, guessed
from raters.reading.table_sample import TableSample
from tests import cast
from tests.files import checked, load
from tests.raters.writing.projects import copied, file_in, losses_in

HEAD = b"item,rater,label,confidence\n"


def confidences() -> dict[str, float | None]:
    return dict(Label.objects.values_list("item__key", "confidence"))


def test_a_column_of_probabilities_is_read(project):
    load(project, HEAD + b"a,ann,yes,0.9\nb,ann,no,1\nc,ann,yes,\n")

    assert confidences() == {"a": 0.9, "b": 1.0, "c": None}


def test_a_column_of_percentages_is_read(project):
    load(project, HEAD + b"a,ann,yes,90\nb,ann,no,100%\nc,ann,yes,1\n")

    assert confidences() == {"a": 0.9, "b": 1.0, "c": 0.01}


@pytest.mark.parametrize("cells", [("0.9", "NA", "0.5"), ("90", "n/a", "50")])
def test_a_word_for_a_missing_value_is_no_confidence(project, cells):
    load(
        project,
        HEAD + "".join(f"{item},ann,yes,{cell}\n" for item, cell in zip("abc", cells, strict=True)).encode(),
    )

    assert confidences() == {"a": 0.9, "b": None, "c": 0.5}


def test_a_bad_percentage_is_reported_as_it_is_in_the_file(project):
    file = checked(project, b"item,rater,label,certainty\na,ann,yes,90\nb,ann,no,high\nc,ann,no,80\n")

    [fault] = file.faults.listed
    assert (fault.line, fault.column, fault.value) == (3, "certainty", "high")


def test_a_column_of_words_is_no_confidence(project):
    load(project, HEAD + b"a,ann,yes,high\nb,ann,no,low\n")

    assert confidences() == {"a": None, "b": None}


@pytest.mark.parametrize(
    ("cells", "role"),
    [
        (["0.2", "1"], "confidence"),
        (["0,2", "1"], "confidence"),
        (["20", "1"], "confidence_percent"),
        (["20%", "1%"], "confidence_percent"),
        (["0.9", "0.8", "1.7", "none"], "confidence"),
        (["1.7", "abc"], "confidence"),
        # Either 0.5 or 50 percent: the others are reported.
        (["90", "0.5", "85", "?"], "confidence"),
        (["0.8", "80%", "0.5", "1"], "confidence"),
        (["80", "90%", "75"], "confidence_percent"),
        (["1", "3", "5", "4"], "ignore"),
        (["7", "200"], "confidence_percent"),
        (["sure", "unsure", "0.5"], "ignore"),
    ],
)
def test_what_a_column_holds_is_told_by_its_cells(cells, role):
    rows = [[f"i{n}", "ann", "yes", cell] for n, cell in enumerate(cells)]
    sample = TableSample.of(["item", "rater", "label", "confidence"], rows)

    _, columns = guessed(sample, {})

    assert columns["confidence"] == Column(role)


def test_a_cell_that_is_no_probability_is_refused_with_its_line(project):
    with pytest.raises(FileRefused) as refused:
        load(project, HEAD + b"a,ann,yes,0.9\nb,ann,no,1.9\n", columns={"confidence": Column("confidence")})

    [fault] = refused.value.faults.listed
    assert (fault.line, fault.column, fault.value, fault.code) == (3, "confidence", "1.9", "bad_number")


def test_another_confidence_is_a_conflict_and_none_is_not(project):
    load(project, HEAD + b"a,ann,yes,0.9\n")

    assert load(project, b"item,rater,label\na,ann,yes\n").n_unchanged == 1
    with pytest.raises(FileRefused) as refused:
        load(project, HEAD + b"a,ann,yes,0.5\n")
    assert [fault.code for fault in refused.value.faults.listed] == ["conflicts_with_label"]
    assert load(project, HEAD + b"a,ann,yes,0.5\n", replace=True).n_changed == 1
    assert confidences() == {"a": 0.5}


def test_undoing_an_import_brings_it_back(project, lead):
    load(project, HEAD + b"a,ann,yes,0.9\n", by=lead)
    second = load(project, HEAD + b"a,ann,yes,0.5\n", by=lead, replace=True)
    undo_import(LabelImport.objects.get(pk=second.pk), by=lead)

    assert confidences() == {"a": 0.9}


@pytest.mark.parametrize(("key", "written"), [("csv", "labels.csv"), ("jsonl", "labels.jsonl")])
def test_an_export_is_read_again(committed_db, key, written):
    project = cast.new_project("Sure", unique=True)
    load(project, HEAD + b"a,ann,yes,0.9\nb,ann,no,\n")

    copy = copied(project, written, file_in(project, key))

    found = Label.objects.filter(item__project=copy).values_list("item__key", "confidence")
    assert dict(found) == {"a": 0.9, "b": None}
    assert "confidences" not in losses_in(project, key)


@pytest.mark.parametrize("key", ["csv-wide", "sav", "doccano"])
def test_a_format_that_has_no_room_for_it_says_so(committed_db, key):
    project = cast.new_project("Sure", unique=True)
    load(project, HEAD + b"a,ann,yes,0.9\nb,ann,no,\n")

    assert losses_in(project, key)["confidences"] == 1


def test_the_score_of_a_prediction_goes_to_label_studio_and_back(committed_db):
    project = cast.new_project("Sure", unique=True)
    load(
        project,
        b"item,rater,rater_kind,label,confidence\na,clf,model,yes,0.9\nb,clf,model,no,\na,ann,human,yes,0.5\n",
    )

    content = file_in(project, "label-studio")
    copy = copied(project, "tasks.json", content)

    tasks = json.loads(content)
    assert [task["predictions"][0].get("score") for task in tasks] == [0.9, None]
    found = Label.objects.filter(item__project=copy).values_list("item__key", "rater__key", "confidence")
    assert sorted(found) == [("a", "ann", None), ("a", "clf", 0.9), ("b", "clf", None)]
    assert losses_in(project, "label-studio")["confidences"] == 2


@pytest.mark.parametrize("score", [-2.5, 1.5, True, "high", None])
def test_a_score_that_is_no_probability_is_no_confidence(project, score):
    task = {
        "id": 1,
        "data": {"text": "x"},
        "predictions": [
            {
                "model_version": "clf",
                "score": score,
                "result": [
                    {
                        "from_name": "tone",
                        "to_name": "text",
                        "type": "choices",
                        "value": {"choices": ["good"]},
                    }
                ],
            }
        ],
    }

    import_now(
        project, NamedSource("tasks.json", bytes_of(json.dumps([task]).encode())), LabelOptions(), by=None
    )

    assert list(Label.objects.values_list("confidence", flat=True)) == [None]
