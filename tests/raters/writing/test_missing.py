"""Labels that are treated as missing: written as missing, by each format in its way, and listed before the download."""

import csv
import io
import json
import zipfile

import openpyxl
import pyreadstat
import pytest

from core.tables.safe_cells import original_cell
from projects.models import Category, Item, Question
from raters.adjudication.special_raters import consensus_for
from raters.models import Label
from raters.writing.contents import contents_of
from raters.writing.records import ExportKind
from raters.writing.scope import scope_of
from raters.writing.target import ONE
from raters.writing.targets import BY_KEY, TARGETS
from tests.raters.writing.projects import (
    ANN,
    BAD,
    BEN,
    FOOD,
    GOLD,
    GOOD,
    MODEL,
    ODD,
    ROOM,
    copied,
    file_in,
    labels_in,
    losses_in,
)

TONE = ["tone, =1"]
# Of the question on tone 4 labels, of topics 3, and of scores 2.
N_MISSING = 9
TABLES = {"csv", "csv-wide", "xlsx", "jsonl", "sav"}


@pytest.fixture
def with_missing(rich):
    """“Odd”, every set with “room”, and the numbers 2 and -3 say nothing."""
    categories = Category.objects.filter(question__project=rich)
    categories.filter(key__in=[ODD, ROOM]).update(treated_as_missing=True)
    Question.objects.filter(project=rich, key="score").update(missing_values=[-3.0, 2.0])
    return rich


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def lines_of(content: bytes) -> list[dict]:
    return [json.loads(line) for line in content.decode().splitlines()]


def losses_of(project, format, what="labels", **scope):
    """Of each loss: how many of what, and what becomes of it."""
    chosen = [project.questions.get(key=key) for key in scope["questions"]] if "questions" in scope else None
    losses = BY_KEY[format].losses(contents_of(scope_of(project, ExportKind(what), chosen)))
    return [(loss.n, loss.words, loss.becomes) for loss in losses if "treated as missing" in loss.what]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.key)
def test_every_format_lists_them_before_the_download(with_missing, target):
    if ExportKind.LABELS in target.holds and target.key != "label-studio-config":
        [(n, words, _)] = losses_of(with_missing, target.key)
        assert (n, words) == (N_MISSING, "labels treated as missing")
    for what in target.holds:
        contents = contents_of(scope_of(with_missing, what))
        assert {loss.what for loss in target.loses(contents) if loss.n} <= ONE.keys()


def test_nothing_is_listed_where_nothing_is_declared(rich):
    assert [losses_of(rich, target.key, what) for target in TARGETS for what in target.holds if losses_of(
        rich, target.key, what
    )] == []  # fmt: skip


# Tables have a row or a column for them, and SPSS says which they are.
WITHOUT_A_PLACE = [target.key for target in TARGETS if target.key not in TABLES]


@pytest.mark.parametrize("format", WITHOUT_A_PLACE)
def test_a_format_writes_what_it_would_without_these_labels(with_missing, format):
    questions = TONE if format == "doccano" else None
    before = contents(file_in(with_missing, format, questions=questions))
    Label.objects.filter(question__project=with_missing, category__key=ODD).delete()
    room = Category.objects.get(question__project=with_missing, key=ROOM).pk
    Label.objects.filter(question__project=with_missing, category_set__contains=[room]).delete()
    Label.objects.filter(question__project=with_missing, number__in=[-3.0, 2.0]).delete()

    assert contents(file_in(with_missing, format, questions=questions)) == before


def contents(content: bytes):
    if not content.startswith(b"PK"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_row_of_long_csv_has_an_empty_label(with_missing):
    rows = rows_of(file_in(with_missing, "csv"))

    found = {(r["item"], r["question"].lstrip("'"), original_cell(r["rater"])): r for r in rows}
    assert len(rows) == Label.objects.filter(question__project=with_missing).count()
    odd = found["item/2", TONE[0], ANN]
    assert (odd["label"], odd["cannot_tell"], odd["counts"]) == ("", "0", "0")
    number = found["item/1", "score", ANN]
    assert (number["label"], number["counts"]) == ("", "0")
    # An empty cell is a set without categories, which is an answer.
    both = found["item/2", "topics", ANN], found["item/1", "topics", ANN]
    assert [(row["label"], row["counts"]) for row in both] == [("NA", "0"), ("", "1")]


@pytest.mark.parametrize(("format", "name"), [("csv", "l.csv"), ("jsonl", "l.jsonl"), ("xlsx", "l.xlsx")])
def test_they_do_not_come_back_as_labels(with_missing, format, name):
    copy = copied(with_missing, name, file_in(with_missing, format))

    expected = {
        row for row in labels_in(with_missing)
        if row[4] not in (ODD, 2.0, -3.0) and not (isinstance(row[4], frozenset) and ROOM in row[4])
    }  # fmt: skip
    assert labels_in(copy) == expected
    assert len(expected) == Label.objects.filter(question__project=with_missing).count() - N_MISSING


def test_the_text_of_a_missing_set_is_no_category(rich):
    topics = Question.objects.get(project=rich, key="topics")
    topics.categories.filter(key=ROOM).update(treated_as_missing=True)
    topics.categories.filter(key=FOOD).update(key="NA")

    rows = rows_of(file_in(rich, "csv", questions=["topics"]))

    assert [row["label"] for row in rows if row["counts"] == "0"] == ["n/a"] * 3


def test_json_lines_hold_null(with_missing):
    [row] = [
        row
        for row in lines_of(file_in(with_missing, "jsonl"))
        if (row["item"], row["question"], row["rater"]) == ("item/2", TONE[0], ANN)
    ]

    assert (row["label"], row["cannot_tell"], row["counts"]) == (None, False, False)


def test_a_workbook_says_in_its_codebook_what_is_missing(with_missing):
    book = openpyxl.load_workbook(io.BytesIO(file_in(with_missing, "xlsx")))

    head, *rows = book["codebook"].iter_rows(values_only=True)

    place = head.index("missing")
    missing = {row[4]: row[place] for row in rows}
    assert {key: missing[key] for key in (GOOD, ODD, FOOD, ROOM)} == {
        GOOD: None, ODD: "yes", FOOD: None, ROOM: "yes",
    }  # fmt: skip
    assert missing[None] == "'-3 2"


def test_spss_declares_them_as_user_missing(with_missing, tmp_path):
    path = tmp_path / "labels.sav"
    path.write_bytes(file_in(with_missing, "sav"))

    found, meta = pyreadstat.read_sav(path, user_missing=True)
    plain, _ = pyreadstat.read_sav(path)

    names = {label: name for name, label in meta.column_names_to_labels.items()}
    ann, score = names[f"tone, =1: {ANN}"], names[f"score: {ANN}"]
    assert meta.variable_value_labels[ann] == {1: GOOD, 2: BAD, 3: ODD, -9: "cannot tell"}
    assert meta.missing_ranges[ann] == [{"lo": -9, "hi": -9}, {"lo": 3, "hi": 3}]
    assert list(found[ann]) == [1, 2, 3, 1, 1, 2]
    assert plain[ann].isna().tolist() == [False, False, True, False, False, False]
    assert meta.missing_ranges[score] == [{"lo": each, "hi": each} for each in (-9, -3, 2)]
    assert list(found[score])[:3] == [1.5, -3, 1e-9]
    assert list(found[names[f"topics: {ANN}"]])[:3] == ["food", "", ""]
    [(_, _, becomes)] = losses_of(with_missing, "sav")
    assert becomes == "user-missing values; left empty of sets, and of questions with more than 2 of them"


def test_spss_leaves_more_than_it_can_declare_empty(rich, tmp_path):
    Question.objects.filter(project=rich, key="score").update(missing_values=[-3.0, 2.0, 1.5])
    path = tmp_path / "labels.sav"
    path.write_bytes(file_in(rich, "sav", questions=["score"]))

    found, meta = pyreadstat.read_sav(path, user_missing=True)

    [ann] = [name for name, label in meta.column_names_to_labels.items() if label == ANN]
    assert meta.missing_ranges[ann] == [{"lo": -9, "hi": -9}]
    assert found[ann].isna().tolist()[:3] == [True, True, False]


def test_soft_labels_are_of_the_other_categories(with_missing):
    rows = lines_of(file_in(with_missing, "argilla", questions=TONE))

    key = TONE[0]
    # Ann and the model said “odd” of the third item, Ben said “good”.
    assert rows[2][f"{key}.label_share"] == {GOOD: 1.0, BAD: 0.0}
    assert rows[2][f"{key}.responses.users"] == [BEN]
    assert {*rows[0][f"{key}.dawid_skene"]} == {GOOD, BAD}


def test_recal_closes_the_ranks(with_missing):
    with zipfile.ZipFile(io.BytesIO(file_in(with_missing, "recal", questions=TONE))) as archive:
        readme = archive.read("README.txt").decode()

    assert ODD not in readme
    assert GOLD not in readme


def test_the_next_pass_is_written_where_one_label_is(with_missing):
    """Ann's first label of the first item becomes “odd”; the second, “bad”, is then the one that counts."""
    odd = Category.objects.get(question__project=with_missing, key=ODD)
    Label.objects.filter(
        item__key="item/0", question=odd.question, rater__key=ANN, pass_number=1
    ).update(category=odd)  # fmt: skip

    [task, *_] = json.loads(file_in(with_missing, "label-studio", questions=TONE))

    [ann] = [each for each in task["annotations"] if each["completed_by"] == {"email": ANN}]
    assert [each["value"] for each in ann["result"]] == [{"choices": [BAD]}]
    assert "repeat labels (pass 2 and later)" not in losses_in(with_missing, "label-studio")
    rows = [row for row in rows_of(file_in(with_missing, "csv", questions=TONE)) if row["item"] == "item/0"]
    assert [(row["pass"], row["counts"]) for row in rows if row["rater"] == ANN] == [("1", "0"), ("2", "1")]


@pytest.mark.parametrize("format", ["csv", "jsonl", "xlsx", "sav", "label-studio", "prodigy", "argilla"])
def test_final_labels_say_what_did_not_vote_and_what_was_decided(with_missing, format):
    odd = Category.objects.get(question__project=with_missing, key=ODD)
    item = Item.objects.get(project=with_missing, key="item/4")
    consensus = consensus_for(with_missing)
    Label.objects.create(item=item, question=odd.question, rater=consensus, category=odd)

    losses = losses_of(with_missing, format, "final")

    assert losses[0] == (N_MISSING, "labels treated as missing", "not counted as votes")
    assert losses[1][:2] == (1, "decision treated as missing")


def test_a_final_label_is_never_one_that_is_missing(with_missing):
    odd = Category.objects.get(question__project=with_missing, key=ODD)
    item = Item.objects.get(project=with_missing, key="item/4")
    consensus = consensus_for(with_missing)
    Label.objects.create(item=item, question=odd.question, rater=consensus, category=odd)

    rows = {
        row["item"]: (original_cell(row["label"]), row["origin"])
        for row in rows_of(file_in(with_missing, "csv", "final", questions=TONE))
    }

    # Of the third item the reference, Ann and the model said “odd”; only Ben's label is left.
    assert rows["item/2"] == (GOOD, "one_rater")
    assert rows["item/4"] == ("", "adjudicated")
    task = json.loads(file_in(with_missing, "label-studio", "final", questions=TONE))[4]
    assert task["predictions"] == []
    assert MODEL not in {row["item"] for row in rows_of(file_in(with_missing, "csv", "final"))}


def test_tables_say_what_the_cell_holds(with_missing):
    [(_, _, of_all)] = losses_of(with_missing, "csv")
    [(n, _, of_tone)] = losses_of(with_missing, "csv", questions=TONE)

    assert of_all == "written as an empty label, or as NA where labels are sets of categories"
    assert (n, of_tone) == (4, "written as an empty label")
