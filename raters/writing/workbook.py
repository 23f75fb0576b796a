"""Excel: a sheet with all rows, a wide sheet of labels, and the codebook, all without formulas."""

from collections.abc import Iterable, Iterator, Sequence

from core.tables.safe_cells import Cell
from core.tables.streamed_workbook import MAX_CELL, MAX_COLUMNS, MAX_ROWS, Sheet, workbook_of
from raters.writing.contents import ExportContents
from raters.writing.records import NUMBER_RULES, ExportKind, ExportQuestion, as_text
from raters.writing.source import LiveLabels
from raters.writing.tables import column_places, item_columns, rows_of, table_losses, wide_head, wide_rows
from raters.writing.target import Loss, Target

_CODEBOOK = (
    "question",
    "prompt",
    "kind",
    "level",
    "category",
    "name",
    "value",
    "missing",
    *NUMBER_RULES,
    "max_length",
)


def _workbook(live: LiveLabels) -> Iterator[bytes]:
    what = live.scope.what
    sheets = [Sheet("final labels" if what is ExportKind.FINAL else what.value, rows_of(live))]
    if what is ExportKind.LABELS and len(columns := live.columns()) < MAX_COLUMNS:
        rows = wide_rows(live.labels(), column_places(columns))
        sheets.append(Sheet("wide", _headed(wide_head(columns, live.n_questions), rows)))
    if what is not ExportKind.ITEMS:
        sheets.append(Sheet("codebook", _headed(_CODEBOOK, _codebook(live))))
    yield from workbook_of(sheets)


def _headed(head: Sequence[Cell], rows: Iterable[Sequence[Cell]]) -> Iterator[Iterable[Cell]]:
    yield head
    yield from rows


def _codebook(live: LiveLabels) -> Iterator[Sequence[Cell]]:
    for question in live.scope.questions:
        about = (question.key, question.prompt, question.kind, question.level)
        for key, title, value, is_missing in question.categories:
            yield *about, key, title, value, "yes" if is_missing else None
        if not question.categories:
            yield (
                *about,
                None,
                None,
                None,
                " ".join(map(as_text, question.missing_numbers)),
                *(_rules(question) or [None] * len(NUMBER_RULES)),
                question.max_length,
            )


def _rules(question: ExportQuestion) -> list[Cell]:
    return [
        "yes" if value is True else None if value is False or value == "" else value
        for value in question.number_rules
    ]


def _loses(contents: ExportContents) -> list[Loss]:
    losses = table_losses(contents)
    if contents.scope.what is ExportKind.ITEMS:
        cut = f"cut to {MAX_CELL:,} characters"
        losses.append(Loss(contents.counts["long_texts"], "long texts", cut))
    if len(contents.columns) >= MAX_COLUMNS:
        losses.append(Loss(1, "sheets with a column per rater", "left out, since there are too many columns"))
    return losses


def _refuses(contents: ExportContents) -> str:
    n_rows = contents.n
    if not contents.is_counted:
        # An item has at most one final label per question, and none without a label.
        n_rows = min(contents.counts["labels"], contents.counts["items"] * len(contents.questions))
    if n_rows >= MAX_ROWS:
        most = "" if contents.is_counted else "up to "
        return (
            f"A sheet of Excel has at most {MAX_ROWS:,} rows, and this would have {most}{n_rows + 1:,}. "
            "Select fewer rounds or questions, or another format."
        )
    if contents.scope.what is ExportKind.ITEMS and len(item_columns(contents.fields)) > MAX_COLUMNS:
        return f"A sheet of Excel has at most {MAX_COLUMNS:,} columns. Select another format."
    return ""


EXCEL = Target(
    "xlsx",
    "Excel",
    "A workbook with one row per label, final label, or item; for labels, also a wide sheet; and the codebook.",
    "xlsx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    tuple(ExportKind),
    _loses,
    _workbook,
    _refuses,
    hint="Contains no formulas. Text that could be read as a formula starts with an apostrophe.",
    holds_texts=True,
)
