"""Free-text answers out and in: to the byte where a format has a place for them, and listed where it has none."""

import csv
import io
import json

import pytest

from core.tables.sources import bytes_of
from projects.models import Item, Question
from raters.imports.actions import NamedSource, import_now
from raters.imports.label_options import LabelOptions
from raters.models import Label, Rater
from raters.writing.contents import contents_of
from raters.writing.downloading import pieces_of
from raters.writing.records import ExportKind
from raters.writing.scope import scope_of
from raters.writing.target import CannotWrite
from raters.writing.targets import BY_KEY, TARGETS
from tests import cast
from tests.labeling import add_labels, new_question

TEXTS = [
    "plain",
    "  edges \t",
    "=SUM(A1:A9)",
    "'quoted",
    "'=not a formula",
    "two\nlines\r\nand, \"more\"; 'of' them\n",
    "\n\nfirst",
    "NA",
    "99",
    "cannot tell",
    "😀" * 300,
    "x" * 10_000,
    "a|b|{}",
]
HOLDING = {"csv", "csv-wide", "xlsx", "jsonl"}


@pytest.fixture
def texts_project(committed_db):
    """Two raters, an item for each text; the second rater cannot tell of the first."""
    project = cast.new_project("Told", unique=True)
    tone = new_question(project, key="tone", position=0)
    add_labels(tone, [(f"item-{n:02}", rater, "yes") for n in range(len(TEXTS)) for rater in ("ann", "ben")])
    write_texts(project, text_question(project))
    return project


def text_question(project):
    return Question.objects.create(project=project, key="why", kind="text", position=1, max_length=10_000)


def write_texts(project, why):
    items = list(Item.objects.filter(project=project).order_by("key"))
    ann, ben = Rater.objects.filter(project=project).order_by("key")
    for item, text in zip(items, TEXTS, strict=True):
        Label.objects.create(item=item, question=why, rater=ann, text=text)
    Label.objects.create(item=items[0], question=why, rater=ben, is_abstention=True, reason="dark")


def texts_in(project):
    found = Label.objects.filter(question__project=project, question__key="why").order_by(
        "item__key", "rater__key"
    )
    return list(found.values_list("item__key", "rater__key", "text", "is_abstention", "reason"))


def file_in(project, format, what="labels", questions=None):
    return b"".join(pieces_of(scope_of(project, ExportKind(what), questions), BY_KEY[format]))


def loaded(content, name, *, is_declared=True, **options):
    """Into a project that has the questions, or into an empty one."""
    copy = cast.new_project("Copy", unique=True)
    if is_declared:
        new_question(copy, key="tone", position=0)
        text_question(copy)
    import_now(copy, NamedSource(name, bytes_of(content)), LabelOptions(**options), by=None)
    return copy


@pytest.mark.parametrize("format", ["csv", "jsonl"])
@pytest.mark.parametrize("is_declared", [True, False])
def test_texts_come_back_to_the_byte(texts_project, format, is_declared):
    sent = file_in(texts_project, format)

    copy = loaded(sent, f"labels.{format}", is_declared=is_declared)

    assert texts_in(copy) == texts_in(texts_project)
    assert file_in(copy, format) == sent
    why = copy.questions.get(key="why")
    assert (why.kind, why.max_length, why.categories.count()) == ("text", 10_000, 0)


def test_a_workbook_comes_back(texts_project):
    copy = loaded(file_in(texts_project, "xlsx"), "labels.xlsx")

    # A sheet has one kind of line break.
    assert [row[2] and row[2].replace("\r\n", "\n") for row in texts_in(copy)] == [
        row[2] and row[2].replace("\r\n", "\n") for row in texts_in(texts_project)
    ]


def test_a_wide_table_comes_back(texts_project):
    copy = loaded(file_in(texts_project, "csv-wide"), "labels.csv")

    assert [row for row in texts_in(copy) if not row[3]] == [
        row for row in texts_in(texts_project) if not row[3]
    ]


def test_rows_of_texts_count_in_no_statistic_and_run_no_formula(texts_project):
    rows = list(csv.DictReader(io.StringIO(file_in(texts_project, "csv").decode(), newline="")))
    lines = [json.loads(line) for line in file_in(texts_project, "jsonl").decode().splitlines()]

    written = [row for row in rows if row["question"] == "why"]
    assert {row["counts"] for row in written} == {"0"}
    assert {row["question_kind"] for row in written} == {"text"}
    assert {row["counts"] for row in rows if row["question"] == "tone"} == {"1"}
    assert [row["label"] for row in written][3:5] == ["'=SUM(A1:A9)", "''quoted"]
    assert [line["label"] for line in lines if line["question"] == "why"][3] == "=SUM(A1:A9)"


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.key)
def test_each_format_holds_texts_or_says_that_it_leaves_them_out(texts_project, target):
    contents = contents_of(scope_of(texts_project, ExportKind.LABELS))
    losses = {loss.what: loss.n for loss in target.losses(contents)}

    assert target.holds_texts == (target.key in HOLDING)
    assert losses.get("free-text answers") == (None if target.holds_texts else len(TEXTS))
    if ExportKind.LABELS in target.holds and not target.refusal(contents):
        content = file_in(texts_project, target.key)
        assert content
        if not target.holds_texts and target.key != "spss":
            assert b"SUM(A1" not in content


def test_a_format_without_texts_refuses_nothing_but_texts(texts_project):
    why = list(texts_project.questions.filter(key="why"))

    with pytest.raises(CannotWrite, match="free-text"):
        file_in(texts_project, "doccano", questions=why)
    assert BY_KEY["doccano"].refusal(contents_of(scope_of(texts_project, ExportKind.LABELS, why)))


def test_final_labels_are_not_about_texts(texts_project):
    rows = list(csv.DictReader(io.StringIO(file_in(texts_project, "csv", "final").decode(), newline="")))

    assert {row["question"] for row in rows} == {"tone"}
    assert len(rows) == len(TEXTS)


def test_a_file_imported_again_changes_nothing_and_another_text_replaces(texts_project):
    sent = file_in(texts_project, "jsonl").decode()
    copy = loaded(sent.encode(), "labels.jsonl")

    other = sent.replace('"plain"', '"plainer"')
    import_now(
        copy, NamedSource("labels.jsonl", bytes_of(other.encode())), LabelOptions(replace=True), by=None
    )

    assert texts_in(copy)[0][2] == "plainer"
    assert Label.objects.filter(question__project=copy, revision=2).count() == 1
