"""Each format as its own readers see it, and what it says of what it leaves out."""

import csv
import io
import json
import zipfile
from xml.etree import ElementTree

import openpyxl
import pandas
import pyreadstat
import pytest

from core.tables.safe_cells import original_cell
from raters.models import Label
from raters.writing.contents import contents_of
from raters.writing.records import ExportKind
from raters.writing.scope import scope_of
from raters.writing.target import ONE, CannotWrite
from raters.writing.targets import BY_KEY, TARGETS
from raters.writing.workbook import MAX_ROWS
from tests.raters.writing.projects import (
    ANN,
    BAD,
    BEN,
    GOLD,
    GOOD,
    MODEL,
    ODD,
    TEXTS,
    file_in,
    losses_in,
)

TONE = ["tone, =1"]


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def lines_of(content: bytes) -> list[dict]:
    return [json.loads(line) for line in content.decode().splitlines()]


def members_of(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.key)
def test_every_format_is_written_of_whatever_it_holds(rich, target):
    for what in target.holds:
        questions = TONE if target.key == "doccano" else None

        assert len(file_in(rich, target.key, what, questions=questions)) > 100


def test_wide_csv_has_a_column_for_each_rater_and_pass(rich):
    [first, *_] = rows = rows_of(file_in(rich, "csv-wide", questions=TONE))

    assert len(rows) == 6
    assert list(first) == ["item", ANN, BEN, MODEL, GOLD, f"{ANN} (pass 2)"]
    assert [original_cell(first[key]) for key in (ANN, f"{ANN} (pass 2)")] == [GOOD, BAD]
    losses = losses_in(rich, "csv-wide")
    assert (losses["notes"], losses["labeling times"], losses["“cannot tell” labels"]) == (2, 12, 1)


def test_a_workbook_has_texts_and_numbers_and_no_formula(rich):
    book = openpyxl.load_workbook(io.BytesIO(file_in(rich, "xlsx")))

    assert book.sheetnames == ["labels", "wide", "codebook"]
    assert {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row} <= {"s", "n"}
    found = pandas.read_excel(io.BytesIO(file_in(rich, "xlsx")), sheet_name="labels", engine="openpyxl")
    assert len(found) == Label.objects.filter(question__project=rich).count()
    assert 1e-9 in set(found["label"])


def test_a_workbook_beyond_the_rows_of_a_sheet_is_refused(rich, monkeypatch):
    monkeypatch.setattr("raters.writing.workbook.MAX_ROWS", 10)

    with pytest.raises(CannotWrite, match="at most 10 rows, and this would have 36"):
        file_in(rich, "xlsx")
    assert MAX_ROWS == 1_048_576


def test_final_labels_that_were_not_counted_have_a_row_per_item_and_question_at_most(rich, monkeypatch):
    """35 labels, six items: six final labels of one question."""
    monkeypatch.setattr("raters.writing.contents.MOST_DECIDED", 1)
    monkeypatch.setattr("raters.writing.workbook.MAX_ROWS", 7)

    assert file_in(rich, "xlsx", "final", questions=TONE)
    with pytest.raises(CannotWrite, match="would have up to 19"):
        file_in(rich, "xlsx", "final")


def test_spss_has_value_labels_and_cannot_tell_as_missing(rich, tmp_path):
    path = tmp_path / "labels.sav"
    path.write_bytes(file_in(rich, "sav"))

    found, meta = pyreadstat.read_sav(path, user_missing=True)

    names = {label: name for name, label in meta.column_names_to_labels.items()}
    ann = names[f"tone, =1: {ANN}"]
    assert meta.variable_value_labels[ann] == {1: GOOD, 2: BAD, 3: ODD, -9: "cannot tell"}
    assert list(found[ann]) == [1, 2, 3, 1, 1, 2]
    assert meta.variable_measure[ann] == "nominal"
    score = names[f"score: {ANN}"]
    assert meta.missing_ranges[score] == [{"lo": -9, "hi": -9}]
    assert list(found[score])[:4] == [1.5, -3, 1e-9, -9]
    assert meta.variable_measure[score] == "scale"
    assert list(found["item"]) == [f"item/{n}" for n in range(6)]
    assert list(found[names[f"topics: {BEN}"]])[:2] == ["food|naïve κ/room", "naïve κ/room"]


def test_spss_of_final_labels_has_a_variable_for_each_question(rich, tmp_path):
    path = tmp_path / "labels.sav"
    path.write_bytes(file_in(rich, "sav", "final"))

    found, meta = pyreadstat.read_sav(path, apply_value_formats=True)

    assert meta.column_names == ["item", "tone_1", "topics", "score"]
    assert list(found["tone_1"].astype(str))[:4] == [GOOD, BAD, ODD, GOOD]


def test_label_studio_says_who_labeled_and_what_is_true(rich):
    [first, *_] = tasks = json.loads(file_in(rich, "label-studio"))

    assert len(tasks) == 6
    assert first["data"] == {"item": "item/0", "text": TEXTS[0], "site": "north, 0"}
    by = {one["completed_by"]["email"]: one for one in first["annotations"]}
    assert {rater: one["ground_truth"] for rater, one in by.items()} == {ANN: False, BEN: False, GOLD: True}
    assert [one["model_version"] for one in first["predictions"]] == [MODEL]
    assert by[BEN]["lead_time"] == 0.5
    assert [result["value"] for result in by[ANN]["result"]] == [
        {"choices": [GOOD]},
        {"choices": ["food"]},
        {"number": 1.5},
    ]


def test_label_studio_gets_final_labels_as_predictions_and_items_as_tasks(rich):
    finals = json.loads(file_in(rich, "label-studio", "final"))
    items = json.loads(file_in(rich, "label-studio", "items"))

    assert {task["predictions"][0]["model_version"] for task in finals} == {"final labels"}
    assert [set(task) for task in items] == [{"data"}] * 6


def test_the_configuration_has_a_control_for_each_result(rich):
    tasks = json.loads(file_in(rich, "label-studio"))
    view = ElementTree.fromstring(file_in(rich, "label-studio-config"))

    controls = {each.get("name"): each for each in view if each.get("toName")}
    results = [
        result
        for task in tasks
        for one in task["annotations"] + task["predictions"]
        for result in one["result"]
    ]
    assert {result["from_name"] for result in results} <= set(controls)
    assert {result["to_name"] for result in results} == {view[0].get("name")}
    assert [choice.get("value") for choice in controls["tone, =1"]] == [GOOD, BAD, ODD]


def test_doccano_has_a_file_for_each_rater_and_takes_one_question(rich):
    members = members_of(file_in(rich, "doccano", questions=TONE))

    names = ["ann@example.org.jsonl", "ben%2Fb%2C jr..jsonl", "clf-2.jsonl", "expert.jsonl"]
    assert sorted(members) == names
    noted = lines_of(members["ann@example.org.jsonl"])[1]
    assert noted["label"] == [BAD]
    assert noted["Comments"] == ["see, “1”\n=2"]
    with pytest.raises(CannotWrite, match="Select one question"):
        file_in(rich, "doccano")


def test_prodigy_names_the_data_set_and_the_annotator(rich):
    tasks = lines_of(file_in(rich, "prodigy", questions=TONE))

    assert {task["_annotator_id"] for task in tasks} == {
        f"{rich.slug}-{key}" for key in (ANN, BEN, MODEL, GOLD)
    }
    assert tasks[0]["options"] == [{"id": key, "text": key} for key in (GOOD, BAD, ODD)]
    assert {task["answer"] for task in tasks} == {"accept"}


def test_argilla_has_responses_and_soft_labels(rich):
    records = lines_of(file_in(rich, "argilla"))

    second = records[4]
    assert second["tone, =1.responses.users"] == [ANN, BEN]
    assert second["tone, =1.suggestion.agent"] == MODEL
    assert second["tone, =1.label_share"] == pytest.approx({GOOD: 1 / 3, BAD: 2 / 3, ODD: 0})
    for record in records:
        assert sum(record["tone, =1.label_share"].values()) == pytest.approx(1)
        assert sum(record["tone, =1.dawid_skene"].values()) == pytest.approx(1)
    assert records[0]["topics.label_share"] == {"food": 1, "naïve κ/room": 0.5}
    assert all(set(record) == set(records[0]) for record in records)


def test_soft_labels_are_those_of_a_report(rich):
    """The posterior is that of the kernel whose figures a report shows, from people and models."""
    import numpy as np

    from reports.agreement.consensus.dawid_skene import dawid_skene_of_labels
    from reports.agreement.consensus.item_labels import ItemLabels

    labels = Label.objects.filter(question__project=rich, question__key=TONE[0], pass_number=1)
    rows = labels.exclude(rater__kind="reference").values_list("item__key", "rater__key", "category__key")
    items, raters = ([*dict.fromkeys(column)] for column in list(zip(*rows, strict=True))[:2])
    codes = np.array([(items.index(i), raters.index(r), [GOOD, BAD, ODD].index(c)) for i, r, c in rows])
    sample = ItemLabels(codes[:, 0], codes[:, 1], codes[:, 2], len(items), len(raters), 3)
    found = dawid_skene_of_labels(sample).posterior

    for record in lines_of(file_in(rich, "argilla")):
        estimated = dict(zip([GOOD, BAD, ODD], found[items.index(record["id"])], strict=True))
        assert record["tone, =1.dawid_skene"] == pytest.approx(estimated, abs=1e-9)


def test_recal_has_whole_numbers_of_complete_items(rich):
    members = members_of(file_in(rich, "recal"))

    assert members["01_tone_1.csv"].decode().split() == ["1,1,1", "2,2,1", "3,1,3", "1,1,1", "1,2,2", "2,3,2"]
    assert members["02_score.csv"].decode().split()[:2] == ["1.5,2", "-3,-3.25"]
    assert "topics" in members["README.txt"].decode()


def test_rounds_and_questions_are_chosen(rich):
    rows = rows_of(file_in(rich, "csv", questions=TONE, rounds=["round 2"]))

    assert {(row["question"], row["round"]) for row in rows} == {(TONE[0], "round 2")}
    assert {row["item"] for row in rows} == {"item/0", "item/3", "item/4", "item/5"}
    # In this round it is the first.
    assert [row["counts"] for row in rows if row["pass"] == "2"] == ["1"]
    assert [row["item"] for row in rows_of(file_in(rich, "csv", "items", rounds=["round 1"]))] == [
        "item/0", "item/1", "item/2",
    ]  # fmt: skip


def test_items_are_whole(rich):
    rows = rows_of(file_in(rich, "csv", "items"))

    assert list(rows[0]) == ["item", "text", "site", "withdrawn"]
    assert [original_cell(row["text"]) for row in rows] == TEXTS


def test_an_empty_project_is_written(rich):
    Label.objects.filter(question__project=rich).delete()

    for target in TARGETS:
        for what in target.holds:
            file_in(rich, target.key, what, questions=TONE)
            assert all(not loss.n for loss in target.losses(contents_of(scope_of(rich, ExportKind(what)))))


def test_no_format_leaves_out_a_note_in_silence(rich):
    for target in TARGETS:
        losses = losses_in(rich, target.key) if ExportKind.LABELS in target.holds else {"notes": 0}
        holds_all = not losses or target.key in {"label-studio", "label-studio-config", "doccano"}
        assert holds_all or "notes" in losses, target.key
    assert BY_KEY["csv"].losses(contents_of(scope_of(rich, ExportKind.LABELS))) == []


def test_every_loss_has_its_singular(rich):
    for target in TARGETS:
        for what in target.holds:
            contents = contents_of(scope_of(rich, ExportKind(what)))
            assert {loss.what for loss in target.loses(contents) if loss.n} <= ONE.keys()
