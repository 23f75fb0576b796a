"""Tables: CSV with one row per label or per item, and JSON lines."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from core.tables.safe_cells import Cell, csv_lines
from core.tables.zipped import in_blocks
from raters.adjudication.exporting import COLUMNS as FINAL_COLUMNS
from raters.reading.values import NO_CATEGORY
from raters.writing.contents import ExportContents
from raters.writing.records import ExportKind, ItemRow, LabelRow, as_integer_if_whole, free_name
from raters.writing.source import LiveLabels
from raters.writing.target import Loss, Target, lost, media_loss, missing_losses

CSV, JSON_LINES = "text/csv; charset=utf-8", "application/x-ndjson"
LONG = (
    "item", "question", "rater", "rater_kind", "round", "pass", "label", "cannot_tell", "counts", "reason", "note",
    "guidelines_version", "seconds", "labeled_at",
)  # fmt: skip
# Used if any label has a confidence; other files keep their original columns.
STATED = (*LONG, "confidence")
# Only in label exports: reports cover only compared questions, and their files keep their original columns.
WITH_KIND = (*LONG, "question_kind")
WITHDRAWN = "withdrawn"
SUGGESTED = "from_suggestion"
Places = Mapping[tuple[str, str, int], int]


def long_row(label: LabelRow) -> tuple[Cell, ...]:
    return (
        label.item, label.question, label.rater, label.kind, label.round, label.pass_number, label.label,
        int(label.is_abstention), int(label.counts), label.reason, label.note, label.guidelines_version,
        label.seconds, label.labeled_at.isoformat(),
    )  # fmt: skip


def stated_row(label: LabelRow) -> tuple[Cell, ...]:
    return *long_row(label), label.confidence


def column_name(column: tuple[str, str, int], n_questions: int) -> str:
    question, rater, pass_number = column
    name = rater if n_questions == 1 else f"{question}: {rater}"
    return name if pass_number == 1 else f"{name} (pass {pass_number})"


def wide_rows(
    labels: Iterable[LabelRow], places: Places, *, empty_set: str = NO_CATEGORY
) -> Iterator[list[Cell]]:
    """Yield a row for each item. empty_set: the cell of an empty set, since an empty cell is no label."""
    for _, of_item in groupby(labels, key=lambda label: label.item_id):
        row: list[Cell] = [None] * (len(places) + 1)
        for label in of_item:
            row[0] = label.item
            cell = empty_set if label.value == () else label.label
            row[places[label.question, label.rater, label.pass_number]] = cell
        yield row


def wide_head(columns: Iterable[tuple[str, str, int]], n_questions: int) -> list[Cell]:
    return ["item", *(column_name(column, n_questions) for column in columns)]


def column_places(columns: Iterable[tuple[str, str, int]]) -> Places:
    return {column: place for place, column in enumerate(columns, start=1)}


def item_columns(fields: Iterable[str]) -> list[str]:
    """Return the columns: the key, the fields, and whether withdrawn; conflicting field names get an underscore."""
    own = frozenset({"item", WITHDRAWN})
    return ["item", *(free_name(name, own) for name in fields), WITHDRAWN]


def item_row(item: ItemRow, columns: Iterable[str]) -> list[Cell]:
    found: dict[str, Cell] = {**item.texts(frozenset({"item", WITHDRAWN}))}
    found |= {"item": item.key, WITHDRAWN: int(item.is_withdrawn)}
    return [found.get(name) for name in columns]


def rows_of(live: LiveLabels) -> Iterator[Iterable[Cell]]:
    """Yield the header and rows of the table with one row per label, final label, or item."""
    match live.scope.what:
        case ExportKind.LABELS:
            more = _rare_columns(live)
            yield *WITH_KIND, *more
            for label in live.labels():
                yield *long_row(label), label.question_kind, *(each(label) for each in more.values())
        case ExportKind.FINAL:
            yield FINAL_COLUMNS
            yield from (list(final.cells.values()) for final in live.finals())
        case ExportKind.ITEMS:
            columns = item_columns(live.field_names())
            yield columns
            yield from (item_row(item, columns) for item in live.items())


def _rare_columns(live: LiveLabels) -> Mapping[str, Callable[[LabelRow], Cell]]:
    """Return the columns that are only in files with a label that needs them."""
    found: dict[str, Callable[[LabelRow], Cell]] = {}
    if live.has_confidences:
        found["confidence"] = lambda label: label.confidence
    if live.has_suggestions:
        found[SUGGESTED] = lambda label: int(label.from_suggestion)
    return found


def _csv(live: LiveLabels) -> Iterator[bytes]:
    return in_blocks(csv_lines(list(row) for row in rows_of(live)))


def _wide(live: LiveLabels) -> Iterator[bytes]:
    def lines() -> Iterator[str]:
        columns = live.columns()
        yield from csv_lines([wide_head(columns, live.n_questions)])
        yield from csv_lines(wide_rows(live.labels(), column_places(columns)))

    return in_blocks(lines())


def _json_lines(live: LiveLabels) -> Iterator[bytes]:
    return in_blocks(json.dumps(record, ensure_ascii=False) + "\n" for record in _records(live))


Json = str | int | float | bool | None


def _records(live: LiveLabels) -> Iterator[Mapping[str, object]]:
    match live.scope.what:
        case ExportKind.LABELS:
            more = _rare_columns(live)
            for label in live.labels():
                rare = {name: each(label) for name, each in more.items()}
                # JSON has a type of its own for yes and no.
                yield _label_record(label) | {
                    name: bool(rare[name]) if name == SUGGESTED else rare[name] for name in rare
                }
        case ExportKind.FINAL:
            for final in live.final_labels():
                yield final.as_json()
        case ExportKind.ITEMS:
            columns = item_columns(live.field_names())
            for item in live.items():
                yield _item_record(item, columns)


def _label_record(label: LabelRow) -> dict[str, Json]:
    record: dict[str, Json] = dict(zip(LONG, long_row(label), strict=True))
    record["question_kind"] = label.question_kind
    if isinstance(label.value, float):
        record["label"] = as_integer_if_whole(label.value)
    record["cannot_tell"], record["counts"] = label.is_abstention, label.counts
    return record


def _item_record(item: ItemRow, columns: Iterable[str]) -> dict[str, Json]:
    record: dict[str, Json] = dict(zip(columns, item_row(item, columns), strict=True))
    record[WITHDRAWN] = item.is_withdrawn
    return record


def table_losses(contents: ExportContents) -> list[Loss]:
    """Return the losses of a table that has a column for everything."""
    if contents.scope.what is ExportKind.ITEMS:
        return [media_loss(contents)]
    is_final = contents.scope.what is ExportKind.FINAL
    return missing_losses(contents, "written without a label" if is_final else _missing_cell(contents))


def _missing_cell(contents: ExportContents) -> str:
    """Return the text for the list of losses. For sets, an empty cell would be the empty set."""
    has_sets = any(question.is_multiple for question in contents.questions)
    return "written as an empty label" + (
        ", or as NA where labels are sets of categories" if has_sets else ""
    )


CSV_TABLE = Target(
    "csv",
    "CSV",
    "One row per label, final label, or item, with everything known about it. Interrater can import it again.",
    "csv",
    CSV,
    tuple(ExportKind),
    table_losses,
    _csv,
    hint="Text that a spreadsheet could read as a formula starts with an apostrophe.",
    holds_texts=True,
)
WIDE_TABLE = Target(
    "csv-wide",
    "CSV, wide",
    "One row per item and one column per rater, as most statistics software expects.",
    "csv",
    CSV,
    (ExportKind.LABELS,),
    # An empty cell means no label, whatever the reason.
    lambda contents: [
        loss
        for loss in lost(contents, held=("repeats",), missing=_missing_cell(contents))
        if loss.what != media_loss(contents).what
    ],
    _wide,
    name="{slug}-{what}-wide",
    hint="Text that a spreadsheet could read as a formula starts with an apostrophe.",
    holds_texts=True,
)
LINES = Target(
    "jsonl",
    "JSON Lines",
    "For programs: one JSON object per label, final label, or item, with everything known about it.",
    "jsonl",
    JSON_LINES,
    tuple(ExportKind),
    table_losses,
    _json_lines,
    hint="Labels that are sets of categories are text with | between the keys, as in CSV.",
    holds_texts=True,
)
