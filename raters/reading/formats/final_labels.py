"""Final labels exported by Interrater, read as labels of one reference."""

from collections.abc import Iterator, Mapping

from core.shapes import Json
from core.tables.faults import Faults
from core.tables.safe_cells import original_cell
from raters.reading.formats.fields import list_in, n_times
from raters.reading.formats.json_records import first_objects, objects, text_of
from raters.reading.formats.opening import brought, faults_of, header_of, open_sheet
from raters.reading.records import (
    MULTIPLE,
    REFERENCE,
    Files,
    Format,
    InputFile,
    ItemRecord,
    LabelRecord,
    LeftOut,
    QuestionRecord,
    Record,
    Value,
)

# The first columns of `raters.adjudication.exporting`; FURTHER and fields of items follow.
COLUMNS = [
    *("item", "question", "label", "origin", "n_raters", "n_cannot_tell", "share_agree", "reason", "note"),
    *("for_guidelines", "decided_by", "decided_at"),
]
# Soft label, rule, and certainty: absent in files of earlier versions, and not read.
FURTHER = ("shares", "rule", "certainty")
RATER = "final labels"
_ADJUDICATED = "adjudicated"
# An empty set in tables.
_NO_CATEGORY = "{}"


def recognizes(files: Files) -> bool:
    return all(_is_table(file) or _is_json(file) for file in brought(files)) and bool(brought(files))


def _is_table(file: InputFile) -> bool:
    return header_of(file)[: len(COLUMNS)] == COLUMNS


def _is_json(file: InputFile) -> bool:
    found = first_objects(file)
    return bool(found) and list(found[0])[: len(COLUMNS)] == COLUMNS


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    yield from _sets(files)
    described: set[str] = set()
    for file in brought(files):
        records = _json_of(file, files, faults) if _is_json(file) else _table_of(file, files, faults)
        for line, cells, value in records:
            content = {
                name: text for name, text in cells.items() if name not in {*COLUMNS, *FURTHER} and text
            }
            if content and cells["item"] not in described:
                described.add(cells["item"])
                yield ItemRecord(line, cells["item"], content)
            if value is None and cells["origin"] != _ADJUDICATED:
                n_times(left_out, "items without a final label", 1)
                continue
            yield LabelRecord(
                line,
                cells["item"],
                RATER,
                cells["question"],
                value,
                REFERENCE,
                # Without a label, the decision is "cannot tell".
                cannot_tell=value is None,
                reason=cells["reason"],
                note=cells["note"],
                at=cells["decided_at"],
                column="label",
            )


def _sets(files: Files) -> Iterator[QuestionRecord]:
    """Yield the multiple-choice questions, as far as a JSON file shows them."""
    found: dict[str, int] = {}
    for file in brought(files):
        for line, record in enumerate(first_objects(file), start=1):
            if isinstance(record.get("label"), list):
                found.setdefault(text_of(record.get("question")), line)
    for question, line in found.items():
        yield QuestionRecord(line, question, MULTIPLE)


def _table_of(file: InputFile, files: Files, faults: Faults) -> Iterator[tuple[int, dict[str, str], Value]]:
    own = faults_of(file, files, faults)
    sheet = open_sheet(file, own)
    if missing := [name for name in COLUMNS if name not in sheet.columns]:
        raise own.refuse(1, missing[0], "", "missing_column", "final labels have this column")
    for line, row in sheet.by_name():
        cells = {name: original_cell(cell) for name, cell in row.items()}
        label = cells["label"]
        yield line, cells, () if label == _NO_CATEGORY else label or None


def _json_of(file: InputFile, files: Files, faults: Faults) -> Iterator[tuple[int, dict[str, str], Value]]:
    own = faults_of(file, files, faults)
    for line, record in objects(file, own):
        if missing := [name for name in COLUMNS if name not in record]:
            own.add(
                line, missing[0], "", "missing_field", "must be given, as in every record of final labels"
            )
            continue
        cells = {name: text_of(value) if value is not None else "" for name, value in record.items()}
        yield line, cells, _value(record, line, own)


def _value(record: Json, line: int, faults: Faults) -> Value:
    label = record["label"]
    if isinstance(label, list):
        return tuple(text_of(part) for part in list_in(record, "label", line, faults))
    return None if label is None else text_of(label)


FINAL_LABELS = Format("final-labels", "final labels of Interrater", recognizes, read)
