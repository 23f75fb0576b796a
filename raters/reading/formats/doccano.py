"""doccano: a file per rater, as JSON Lines, CSV, or fastText."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from core.shapes import Json
from core.tables.encoding import AUTO, decoded, encoding_of
from core.tables.faults import Faults
from core.tables.lines import lf_lines
from core.tables.table import open_table
from raters.reading.formats.answers import KeyedLabel, is_free_text, resolved_records
from raters.reading.formats.fields import flat, item_choice, item_of, list_in
from raters.reading.formats.json_records import first_objects, first_text, objects, text_of
from raters.reading.formats.opening import faults_of, stem
from raters.reading.records import (
    HUMAN,
    REFERENCE,
    Files,
    Format,
    FormatChoice,
    InputFile,
    ItemRecord,
    LabelRecord,
    LeftOut,
    Record,
)

_OWN = frozenset(
    {"id", "text", "filename", "label", "cats", "entities", "relations", "bbox", "Comments", "comments"}
)
_PLACED = {
    "entities": "spans",
    "relations": "relations",
    "bbox": "bounding boxes",
    "segmentation": "polygons",
}
_FASTTEXT = "__label__"
_MERGED = "all"
_MAX_ROWS = 10_000_000


def recognizes(files: Files) -> bool:
    return any(_is_export(file) for file in files)


def choices(files: Files) -> list[FormatChoice]:
    records = [record for file in files for record in first_objects(file)]
    fields = [key for record in records for key in record if key in ("text", "filename") or key not in _OWN]
    default = ("id", "doccano’s id, or the line of a fastText file")
    asked = [
        item_choice(default, fields or ["text"]),
        FormatChoice(
            "unlabeled",
            "Examples without a label",
            [("missing", "Not labeled yet"), ("empty", "Labeled, with no category")],
        ),
    ]
    if any(stem(file) == _MERGED for file in files):
        options = [(REFERENCE, "The reference"), (HUMAN, "One rater, named “all”")]
        asked.append(FormatChoice("merged", "Labels in the file “all” (annotators merged)", options))
    return asked


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    def answers(left_out: LeftOut, faults: Faults) -> Iterator[KeyedLabel | ItemRecord]:
        for file in files:
            if not _is_export(file):
                left_out["files of another form"] += 1
                continue
            kind = chosen.get("merged", REFERENCE) if stem(file) == _MERGED else HUMAN
            # Interrater percent-encodes characters not allowed in file names; doccano's own names have none.
            label = LabelRecord(0, "", unquote(stem(file)), "label", None, rater_kind=kind)
            for line, record in _records(file, files, faults):
                yield from _example(line, record, label, chosen, left_out, faults)

    yield from resolved_records(answers, left_out, faults)


def _is_export(file: InputFile) -> bool:
    text = first_text(file).lstrip()
    if text.startswith(_FASTTEXT):
        return True
    if text[:1] not in ("{", "["):
        header = text.partition("\n")[0].strip().replace('"', "").split(",")
        return {"id", "label", "Comments"} <= set(header)
    record = next(iter(first_objects(file)), {})
    if "_input_hash" in record or not ("text" in record or "filename" in record):
        return False
    lists = {key for key, value in record.items() if isinstance(value, (list, dict))}
    is_known = bool(lists) and lists <= _OWN and "id" in record
    return is_known and bool({"label", "entities", "bbox", "cats"} & lists)


def _records(file: InputFile, files: Files, faults: Faults) -> Iterator[tuple[int, Json]]:
    start = first_text(file).lstrip()
    if start.startswith(_FASTTEXT):
        texts = decoded(file.source, encoding_of(file.source, AUTO, faults), faults)
        for line, text in enumerate(lf_lines(texts, faults), start=1):
            words = text.split(" ")
            n_labels = next((n for n, word in enumerate(words) if not word.startswith(_FASTTEXT)), len(words))
            labels = [word.removeprefix(_FASTTEXT) for word in words[:n_labels]]
            yield line, {"id": str(line), "text": " ".join(words[n_labels:]), "label": labels}
    elif start[:1] in ("{", "["):
        yield from objects(file, faults_of(file, files, faults))
    else:
        table = open_table(file.source, faults, max_rows=_MAX_ROWS)
        for line, cells in table.rows:
            record: Json = {name: cell or None for name, cell in zip(table.columns, cells, strict=True)}
            record["label"] = (record.get("label") or "").split("#") if record.get("label") else []
            yield line, record


def _example(
    line: int, record: Json, label: LabelRecord, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults
) -> Iterator[KeyedLabel | ItemRecord]:
    item = item_of(chosen.get("item", "id"), record.get("id"), record, line, faults)
    if not item:
        return
    content = {key: text_of(record[key]) for key in ("text", "filename") if record.get(key) is not None}
    yield ItemRecord(line, item, content, flat({key: record[key] for key in record if key not in _OWN}))
    for key, name in _PLACED.items():
        if isinstance(record.get(key), list):
            left_out[name] += len(record[key])
    found = [*list_in(record, "label", line, faults), *list_in(record, "cats", line, faults)]
    left_out["spans"] += sum(isinstance(part, list) for part in found)
    left_out["bounding boxes"] += sum(isinstance(part, dict) for part in found)
    keys = [text_of(part) for part in found if not isinstance(part, (list, dict))]
    if is_free_text(keys):
        left_out["free-text answers"] += len(keys)
        return
    if (found and not keys) or not ("label" in record or "cats" in record):
        return
    label = label._replace(line=line, item=item, note=_note(record.get("Comments", record.get("comments"))))
    is_answer = bool(keys) or chosen.get("unlabeled") == "empty"
    yield KeyedLabel(label, keys if is_answer else None)


def _note(comments: Any) -> str:
    parts = comments if isinstance(comments, list) else [comments]
    texts = [text_of(part.get("comment") if isinstance(part, dict) else part) for part in parts]
    return "\n".join(text for text in texts if text)


DOCCANO = Format("doccano", "doccano", recognizes, read, choices)
