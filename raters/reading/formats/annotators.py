"""Datasets with the annotators of each item: parallel lists, Le-Wi-Di, and a column per annotator."""

import re
from collections.abc import Iterator, Mapping

from core.shapes import Json
from core.tables.faults import Faults
from raters.reading.formats.answers import KeyedLabel, resolved_records
from raters.reading.formats.fields import flat, item_choice, item_of, object_in, parted
from raters.reading.formats.json_records import (
    entries,
    first_entries,
    first_objects,
    first_text,
    objects,
    text_of,
)
from raters.reading.formats.opening import faults_of
from raters.reading.records import (
    HUMAN,
    Files,
    Format,
    FormatChoice,
    InputFile,
    ItemRecord,
    LabelRecord,
    LeftOut,
    Record,
)

_RATERS = ("annotators", "annotator_ids", "annotator_id", "annotator", "raters", "rater_ids", "rater_id",
           "workers", "worker_ids", "worker_id")  # fmt: skip
_LABELS = ("annotations", "labels", "label", "annotator_labels", "annotation", "ratings", "rating", "answers")
_COLUMN = re.compile(r"(?:annotator|rater|coder|worker)[ _-]?\d+")
_TOTALS = ("hard_label", "soft_label")
_ABOUT = frozenset({"number of annotations", "annotation task", "other_info", "id", "item_id", *_TOTALS})
_UNLABELED = "-1"


def recognizes(files: Files) -> bool:
    return any(_is_item(record) for file in files for _, record in _first(file)[:1])


def choices(files: Files) -> list[FormatChoice]:
    records = [(key, record) for file in files for key, record in _first(file)]
    fields = [name for _, record in records for name in record if name not in {*_ABOUT, *_own(record)}]
    asked = [item_choice(("id", "The record’s id, or its line"), fields)]
    values = {value for _, one in records for _, found in _pairs(one, 0, Faults()) for value in found}
    if _UNLABELED in values:
        options = [("missing", "No label"), ("value", "A value")]
        asked.append(
            FormatChoice("minus_one", "The value -1 means", options if "-2" not in values else options[::-1])
        )
    return asked


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    minus_one = next((one.options[0][0] for one in choices(files) if one.key == "minus_one"), "value")
    is_missing = chosen.get("minus_one", minus_one) == "missing"

    def answers(left_out: LeftOut, faults: Faults) -> Iterator[KeyedLabel | ItemRecord]:
        for file in files:
            for line, key, record in _records(file, faults_of(file, files, faults)):
                item = item_of(chosen.get("item", "id"), key, record, line, faults)
                if not item:
                    continue
                content, attributes = parted(record, {*_ABOUT, *_own(record)})
                others = object_in(record, "other_info", line, Faults())
                yield ItemRecord(line, item, content, attributes | flat(others))
                left_out["totals of several raters (hard and soft labels)"] += sum(
                    name in record for name in _TOTALS
                )
                question = text_of(record.get("annotation task")) or "label"
                for rater, keys in _pairs(record, line, faults):
                    label = LabelRecord(line, item, rater, question, None, rater_kind=HUMAN)
                    is_none = not keys or (is_missing and keys == [_UNLABELED])
                    yield KeyedLabel(label, None if is_none else keys)

    yield from resolved_records(answers, left_out, faults)


def _is_item(record: Json) -> bool:
    if "_input_hash" in record or "annotation_id" in record or isinstance(record.get("data"), dict):
        return False
    return _form(record) is not None


def _form(record: Json) -> tuple[str, str] | None:
    """Return the keys of raters and labels: two lists, an object of lists, a list of objects, or columns ("")."""
    raters = next((name for name in _RATERS if isinstance(record.get(name), (list, str))), "")
    labels = next((name for name in _LABELS if isinstance(record.get(name), (list, str, dict))), "")
    are_many = isinstance(record.get(raters), list) or (
        isinstance(record.get(labels), (str, dict)) and raters == "annotators" and labels == "annotations"
    )
    if (
        raters
        and labels
        and are_many
        and isinstance(record[labels], list) >= isinstance(record[raters], list)
    ):
        return raters, labels
    if raters and labels == "annotations" and isinstance(record[labels], dict):
        return raters, labels
    for name in _LABELS:
        inside = record.get(name)
        first = inside[0] if isinstance(inside, list) and inside else inside
        if isinstance(first, dict) and _inner(first) is not None:
            return name, name
    if sum(bool(_COLUMN.fullmatch(name)) for name in record) > 1:
        return "", ""
    return None


def _inner(record: Json) -> tuple[str, str] | None:
    raters = next((name for name in _RATERS if name in record), "")
    labels = next((name for name in _LABELS if name in record), "")
    return (raters, labels) if raters and labels else None


def _own(record: Json) -> set[str]:
    """Return the keys that hold raters and labels."""
    return {*(_form(record) or ()), *(name for name in record if _COLUMN.fullmatch(name))}


def _pairs(record: Json, line: int, faults: Faults) -> list[tuple[str, list[str]]]:
    """Return each rater with the chosen categories."""
    form = _form(record)
    if form is None:
        faults.add(line, "annotators", "", "no_raters", "the record has no annotators with their labels")
        return []
    if form == ("", ""):
        return [(name, _keys(value)) for name, value in record.items() if _COLUMN.fullmatch(name)]
    raters, labels = (record[name] for name in form)
    if form[0] == form[1]:
        if isinstance(labels, list):
            found = []
            for one in labels:
                names = _inner(one) if isinstance(one, dict) else None
                if names is None:
                    faults.add(
                        line, form[1], text_of(one), "wrong_type", "must name an annotator and a label"
                    )
                else:
                    found.append((text_of(one[names[0]]), _keys(one[names[1]])))
            return found
        names = _inner(labels) or ("", "")
        raters, labels = labels[names[0]], labels[names[1]]
    if isinstance(labels, dict):
        # An annotator with two labels is listed twice among the annotators but once here.
        return [
            (rater, [part for key in _keys(value) for part in key.split(",")])
            for rater, value in labels.items()
        ]
    raters, labels = _parts(raters), _parts(labels)
    if len(raters) != len(labels):
        rule = f"{len(raters):,} annotators and {len(labels):,} labels; there must be as many of each"
        faults.add(line, form[1], "", "uneven_lists", rule)
        return []
    return [(text_of(rater), _keys(label)) for rater, label in zip(raters, labels, strict=True)]


def _parts(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    return [part.strip() for part in text_of(value).split(",")]


def _keys(value: object) -> list[str]:
    parts = value if isinstance(value, list) else [value]
    return [text for part in parts if (text := text_of(part))]


def _is_large_object(file: InputFile) -> bool:
    if first_text(file).lstrip()[:1] != "{":
        return False
    if any(_form(record) is not None for record in first_objects(file)[:1]):
        # A single line whose annotations are an object.
        return False
    found = first_entries(file)
    return bool(found) and _form(found[0][1]) is not None


def _first(file: InputFile) -> list[tuple[str, Json]]:
    if _is_large_object(file):
        return first_entries(file)
    return [("", record) for record in first_objects(file)]


def _records(file: InputFile, faults: Faults) -> Iterator[tuple[int, str, Json]]:
    if _is_large_object(file):
        yield from entries(file, faults)
        return
    for n, (line, record) in enumerate(objects(file, faults), start=1):
        yield line, text_of(record.get("id") or record.get("item_id")) or str(n), record


ANNOTATORS = Format(
    "annotators", "Data set with annotators (Hugging Face, Le-Wi-Di)", recognizes, read, choices
)
