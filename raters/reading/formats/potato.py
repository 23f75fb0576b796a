"""Potato: a folder with user_state.json per rater, or its export as CSV, TSV, or JSON Lines."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.shapes import Json
from core.tables.faults import Faults
from raters.reading.formats.answers import FREE_TEXT, AnswerStatistics
from raters.reading.formats.fields import from_epoch, is_false, is_true, n_times, scalar_text, seconds_of
from raters.reading.formats.json_records import json_head, json_of, objects, read_json
from raters.reading.formats.opening import (
    base_name,
    brought,
    faults_of,
    first_characters,
    first_line,
    header_of,
    open_sheet,
    parts_of,
    unless_refused,
)
from raters.reading.records import (
    MULTIPLE,
    SINGLE,
    Files,
    Format,
    FormatChoice,
    InputFile,
    LabelRecord,
    LeftOut,
    Record,
)

_LABELS, _SPANS, _BEHAVIOR = (
    "instance_id_to_label_to_value",
    "instance_id_to_span_to_value",
    "instance_id_to_behavioral_data",
)
_SCALE = re.compile(r"scale_(.+)", re.DOTALL)
_TEXT = ("free_response", "text_box", "textbox")
# The name used for menus, whose value is the option.
_MENU = "select-one"


@dataclass(slots=True)
class _Annotated:
    """One rater's annotation of one instance. answers: (name, value) by schema, in the file's order."""

    place: int
    rater: str
    item: str
    answers: dict[str, list[tuple[str, Any]]] = field(default_factory=dict)
    n_spans: int = 0
    n_links: int = 0
    seconds: str = ""
    # Time of the last value by (schema, name).
    changed: dict[tuple[str, str], float] = field(default_factory=dict)


def recognizes(files: Files) -> bool:
    return any(_opener(file) for file in brought(files))


def _opener(file: InputFile) -> Any:
    """Return the reader of the file, or None if it is not from Potato."""
    if base_name(file) == "user_state.json" or json_head(file, _LABELS):
        is_state = any(json_head(file, key) for key in (_LABELS, "instance_id_ordering", "user_id"))
        return _of_state if is_state else None
    start = first_line(first_characters(file)).lstrip()
    if start.startswith("{"):
        is_lines = all(f'"{key}"' in start for key in ("instance_id", "user_id", "labels"))
        return _of_lines if is_lines else None
    header = header_of(file)
    is_table = header[:2] == ["instance_id", "user_id"] and any("." in name for name in header[2:])
    return _of_table if is_table else None


@unless_refused
def choices(files: Files) -> Sequence[FormatChoice]:
    """Return a choice for each schema with several names checked: whether all of them count.

    Up to version 2.7.1, Potato kept every radio button that was ever clicked.
    """
    schemas = _schemas(files, Faults())
    options = ((MULTIPLE, "All that are checked"), (SINGLE, "The last one: it was a single choice"))
    return [
        FormatChoice(f"several.{name}", f"Several labels of “{name}” on an item", options)
        for name, seen in schemas.items()
        if seen.most > 1
    ]


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    schemas = _schemas(files, faults)
    for name, seen in schemas.items():
        if chosen.get(f"several.{name}") == SINGLE:
            seen.most = 1
        if seen.n and not seen.is_text:
            yield seen.question(1, name)
    # Faults have been reported in the first pass.
    for annotated in _all(files, Faults()):
        n_times(left_out, "spans", annotated.n_spans)
        n_times(left_out, "relations", annotated.n_links)
        for name, seen in schemas.items():
            answers = annotated.answers.get(name, [])
            picked, n_texts = _chosen(answers)
            n_times(left_out, FREE_TEXT, n_texts + (len(picked) if seen.is_text else 0))
            if seen.is_text or not seen.n:
                continue
            yield _label(annotated, name, seen, picked)


def _label(
    annotated: _Annotated, name: str, seen: AnswerStatistics, picked: list[tuple[str, str]]
) -> LabelRecord:
    times = {key: annotated.changed.get((name, key), 0.0) for key, _ in picked}
    if seen.kind != MULTIPLE and len(picked) > 1:
        # max returns the first of equals; without times, the last in the file is the latest.
        picked = [max(reversed(picked), key=lambda pair: times[pair[0]])]
    latest = max((at for (schema, _), at in annotated.changed.items() if schema == name), default=0.0)
    return LabelRecord(
        annotated.place,
        annotated.item,
        annotated.rater,
        name,
        seen.value([value for _, value in picked]),
        seconds=annotated.seconds,
        at=from_epoch(latest) if latest else "",
        column=name,
    )


def _schemas(files: Files, faults: Faults) -> dict[str, AnswerStatistics]:
    schemas: dict[str, AnswerStatistics] = {}
    for annotated in _all(files, faults):
        for name, answers in annotated.answers.items():
            picked, _ = _chosen(answers)
            seen = schemas.setdefault(name, AnswerStatistics(name))
            scales = sum(_SCALE.fullmatch(key) is not None for key, _ in picked)
            # A rating is a single choice, however many clicks are in the file.
            seen.add(*[value for _, value in picked][: 1 if scales and scales == len(picked) else None])
    return schemas


def _chosen(answers: list[tuple[str, Any]]) -> tuple[list[tuple[str, str]], int]:
    """Return the chosen names with their categories, and the number of texts."""
    picked: dict[str, str] = {}
    n_texts = 0
    for name, value in answers:
        text = scalar_text(value)
        if text is None or text == "" or (is_false(value) and name != text):
            continue
        if name in _TEXT:
            n_texts += 1
        elif scale := _SCALE.fullmatch(name):
            picked[name] = scale[1]
        elif is_true(value) or text == name:
            picked[name] = name
        else:
            # A menu, slider, or text: use the value.
            picked[name] = text
    return list(picked.items()), n_texts


def _all(files: Files, faults: Faults) -> Iterator[_Annotated]:
    for file in brought(files):
        if opener := _opener(file):
            yield from opener(file, faults_of(file, files, faults))


# The folder of a rater


def _of_state(file: InputFile, faults: Faults) -> Iterator[_Annotated]:
    state = read_json(file, faults)
    if not isinstance(state, dict):
        raise faults.refuse(1, "", "", "bad_json", "must be an object, as Potato writes user_state.json")
    folders = parts_of(file)[:-1]
    rater = scalar_text(state.get("user_id")) or (folders[-1] if folders else "")
    labels = _mapping(state, _LABELS, faults)
    spans = _mapping(state, _SPANS, faults)
    behavior = _mapping(state, _BEHAVIOR, faults)
    for place, item in enumerate(dict.fromkeys([*labels, *spans]), start=1):
        annotated = _Annotated(place, rater, item, n_spans=_size(spans.get(item)))
        _add_answers(annotated, labels.get(item), faults)
        _add_behavior(annotated, behavior.get(item))
        yield annotated


def _mapping(state: Json, key: str, faults: Faults) -> Json:
    found = state.get(key) or {}
    if isinstance(found, dict):
        return found
    faults.add(1, key, "", "bad_json", "must be an object with an entry for each instance")
    return {}


def _size(entries: Any) -> int:
    return len(entries) if isinstance(entries, list | dict) else 0


def _add_answers(annotated: _Annotated, entries: Any, faults: Faults) -> None:
    """Add pairs of ({schema, name}, value), as on disk, or an object of objects, as in exports."""
    if isinstance(entries, dict):
        for schema, names in entries.items():
            pairs = names.items() if isinstance(names, dict) else [(scalar_text(names) or "", names)]
            annotated.answers.setdefault(schema, []).extend(pairs)
        return
    for entry in entries if isinstance(entries, list) else []:
        key, value = entry if isinstance(entry, list) and len(entry) == 2 else (None, None)
        schema = scalar_text(key.get("schema")) if isinstance(key, dict) else None
        name = scalar_text(key.get("name")) if isinstance(key, dict) else None
        if schema is None or name is None:
            rule = f"a label of {annotated.item} must be a pair of {{schema, name}} and a value"
            faults.add(annotated.place, _LABELS, "", "bad_json", rule)
            continue
        annotated.answers.setdefault(schema, []).append((name, value))


def _add_behavior(annotated: _Annotated, behavior: Any) -> None:
    """Add the time spent on the instance and the times of changes, both of which may be missing."""
    if not isinstance(behavior, dict):
        return
    annotated.seconds = seconds_of(behavior.get("total_time_ms"), per_second=1_000)
    changes = behavior.get("annotation_changes")
    for change in changes if isinstance(changes, list) else []:
        if not isinstance(change, dict) or change.get("new_value") in (None, "", False):
            continue
        try:
            at = float(change["timestamp"])
        except (KeyError, TypeError, ValueError):
            continue
        key = (scalar_text(change.get("schema_name")) or "", scalar_text(change.get("label_name")) or "")
        annotated.changed[key] = max(at, annotated.changed.get(key, 0.0))


# The exports


def _of_lines(file: InputFile, faults: Faults) -> Iterator[_Annotated]:
    for line, record in objects(file, faults):
        item, rater = scalar_text(record.get("instance_id")), scalar_text(record.get("user_id"))
        if not item or not rater:
            faults.add(line, "instance_id", "", "missing_key", "needs instance_id and user_id")
            continue
        annotated = _Annotated(line, rater, item)
        annotated.n_spans, annotated.n_links = _nested(record.get("spans")), _nested(record.get("links"))
        _add_answers(annotated, record.get("labels"), faults)
        yield annotated


def _nested(entries: Any) -> int:
    """Return the number of entries, in one list or one list per schema."""
    values = entries.values() if isinstance(entries, dict) else entries if isinstance(entries, list) else ()
    return sum(len(value) if isinstance(value, list) else 1 for value in values)


def _of_table(file: InputFile, faults: Faults) -> Iterator[_Annotated]:
    sheet = open_sheet(file, faults)
    parts = {name: name.partition(".")[::2] for name in sheet.columns[2:] if "." in name}
    for line, cells in sheet.by_name():
        if not cells["instance_id"] or not cells["user_id"]:
            column = "user_id" if cells["instance_id"] else "instance_id"
            faults.add(line, column, "", "empty_cell", "can’t be empty")
            continue
        annotated = _Annotated(line, cells["user_id"], cells["instance_id"])
        for column, (schema, name) in parts.items():
            if name != "_spans":
                annotated.answers.setdefault(schema, []).append((name, cells[column]))
            elif cells[column]:
                annotated.n_spans += _size(json_of(cells[column], line, faults))
        yield annotated


POTATO = Format("potato", "Potato", recognizes, read, choices)
