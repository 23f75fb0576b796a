"""Amazon Mechanical Turk: the results of a batch as CSV."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.tables.faults import Faults
from raters.reading.formats.answers import FREE_TEXT, AnswerStatistics
from raters.reading.formats.fields import first_option, is_false, is_true, n_times, scalar_text, seconds_of
from raters.reading.formats.json_records import json_of
from raters.reading.formats.opening import brought, faults_of, header_of, open_sheet
from raters.reading.records import (
    REJECTED,
    SUBMITTED,
    Files,
    Format,
    FormatChoice,
    InputFile,
    ItemRecord,
    LabelRecord,
    LeftOut,
    Record,
)

_INPUT, _ANSWER, _JSON = "Input.", "Answer.", "Answer.taskAnswers"
_STATES = {"Approved": SUBMITTED, "Submitted": SUBMITTED, "Rejected": REJECTED}
# Drawn or marked answers, by key.
_MARKED = {
    "boundingBoxes": "bounding boxes",
    "polygons": "polygons",
    "polylines": "polylines",
    "keypoints": "points",
    "entities": "spans",
}
_MONTHS = {
    name: at
    for at, name in enumerate(
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"], start=1
    )
}
_ZONES = {"PST": "-08:00", "PDT": "-07:00", "UTC": "Z", "GMT": "Z"}
_TIME = re.compile(r"\w{3} (\w{3}) (\d\d?) (\d\d:\d\d:\d\d) (\w{3}) (\d{4})")


@dataclass(slots=True)
class _Row:
    """answers: question -> the chosen values."""

    line: int
    cells: dict[str, str]
    answers: dict[str, list[str]] = field(default_factory=dict)
    marked: dict[str, int] = field(default_factory=dict)


def recognizes(files: Files) -> bool:
    return any(_is_ours(file) for file in brought(files))


def _is_ours(file: InputFile) -> bool:
    header = header_of(file)
    return {"HITId", "WorkerId", "AssignmentId"} <= set(header) and any(
        name.startswith((_ANSWER, _INPUT)) for name in header
    )


def choices(files: Files) -> Sequence[FormatChoice]:
    """The same text may be in several HITs, so an input column may be the better key."""
    inputs = dict.fromkeys(
        name
        for file in brought(files)
        if _is_ours(file)
        for name in header_of(file)
        if name.startswith(_INPUT)
    )
    return (
        [FormatChoice("item", "Item key", [("HITId", "HIT ID"), *((name, name) for name in inputs)])]
        if inputs
        else []
    )


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    key = first_option(choices(files), chosen, "item", "HITId")
    seen: dict[str, AnswerStatistics] = {}
    boxes = _boxes(files, faults)
    for row in _rows(files, boxes, faults):
        for name, picked in row.answers.items():
            seen.setdefault(name, AnswerStatistics(name)).add(*picked)
    for name in boxes.values():
        seen.setdefault(name, AnswerStatistics(name))
    _mark_sets(files, seen)
    for question in seen.values():
        if not question.is_text:
            yield question.question(1)
    given: set[str] = set()
    for row in _rows(files, boxes, Faults()):
        item = row.cells.get(key, "")
        if not item:
            faults.add(row.line, key, "", "empty_cell", "can’t be empty")
            continue
        for what, n in row.marked.items():
            n_times(left_out, what, n)
        if item not in given:
            given.add(item)
            yield ItemRecord(row.line, item, _content(row.cells))
        yield from _labels(row, item, seen, left_out, faults)


def _content(cells: Mapping[str, str]) -> dict[str, str]:
    return {
        name.removeprefix(_INPUT): text for name, text in cells.items() if name.startswith(_INPUT) and text
    }


def _labels(
    row: _Row, item: str, seen: Mapping[str, AnswerStatistics], left_out: LeftOut, faults: Faults
) -> Iterator[LabelRecord]:
    cells = row.cells
    status = cells.get("AssignmentStatus", "")
    state = _STATES.get(status) if status else SUBMITTED
    if state is None:
        faults.add(row.line, "AssignmentStatus", status, "bad_status", f"must be one of {', '.join(_STATES)}")
        return
    at = _time(cells.get("SubmitTime", ""), row.line, faults)
    for name, question in seen.items():
        if question.is_text:
            n_times(left_out, FREE_TEXT, len(row.answers.get(name, ())))
            continue
        yield LabelRecord(
            row.line,
            item,
            cells["WorkerId"],
            name,
            question.value(row.answers.get(name, [])),
            note=cells.get("RequesterFeedback", ""),
            # From accepting to submitting, including idle time.
            seconds=seconds_of(cells.get("WorkTimeInSeconds", "")),
            at=at,
            source_id=cells["AssignmentId"],
            state=state,
            column=f"{_ANSWER}{name}",
        )


def _time(text: str, line: int, faults: Faults) -> str:
    """Convert "Mon Mar 02 02:00:31 PST 2026" to ISO 8601; "" for unknown time zones."""
    if not text:
        return ""
    found = _TIME.fullmatch(text.strip())
    if found is None or found[1] not in _MONTHS:
        rule = "must be a time such as Mon Mar 02 02:00:31 PST 2026"
        faults.add(line, "SubmitTime", text, "bad_time", rule)
        return ""
    if found[4] not in _ZONES:
        return ""
    return f"{found[5]}-{_MONTHS[found[1]]:02}-{int(found[2]):02}T{found[3]}{_ZONES[found[4]]}"


# The columns of answers


def _boxes(files: Files, faults: Faults) -> dict[str, str]:
    """Return checkbox columns such as Answer.tone.yes, which hold only true and false, with their questions."""
    is_box: dict[str, bool] = {}
    for file in brought(files):
        if not _is_ours(file):
            continue
        for _, cells in open_sheet(file, faults_of(file, files, faults)).by_name():
            for name, cell in cells.items():
                if name.startswith(_ANSWER) and "." in name.removeprefix(_ANSWER):
                    is_logical = cell.lower() in ("true", "false", "")
                    is_box[name] = is_box.get(name, True) and is_logical
    return {
        name: name.removeprefix(_ANSWER).rpartition(".")[0]
        for name, holds in is_box.items()
        if holds and not name.endswith((".label", ".labels"))
    }


def _rows(files: Files, boxes: Mapping[str, str], faults: Faults) -> Iterator[_Row]:
    for file in brought(files):
        if not _is_ours(file):
            continue
        its_faults = faults_of(file, files, faults)
        for line, cells in open_sheet(file, its_faults).by_name():
            # A HIT that nobody has accepted has a row without a worker.
            if not cells["WorkerId"]:
                continue
            row = _Row(line, cells)
            _add_answers(row, boxes, its_faults)
            yield row


def _add_answers(row: _Row, boxes: Mapping[str, str], faults: Faults) -> None:
    for name, cell in row.cells.items():
        if not name.startswith(_ANSWER):
            continue
        question = name.removeprefix(_ANSWER)
        if name in boxes:
            if is_true(cell):
                row.answers.setdefault(boxes[name], []).append(question.rpartition(".")[2])
        elif name == _JSON:
            _add_json(row, cell, faults)
        elif cell.startswith("[") and question.endswith(".labels"):
            _add_value(row, question, json_of(cell, row.line, faults))
        elif cell:
            picked = [part for part in cell.split("|") if part]
            row.answers.setdefault(question.removesuffix(".label"), []).extend(picked)


def _add_json(row: _Row, cell: str, faults: Faults) -> None:
    """Add answers of newer forms: [{"tone": {"label": "pos"}, "aspects": {"food": true, "room": false}}]."""
    tasks = json_of(cell, row.line, faults) if cell else []
    for task in tasks if isinstance(tasks, list) else [tasks]:
        if not isinstance(task, dict):
            faults.add(row.line, _JSON, cell, "bad_json", "must be a list of objects")
            continue
        for question, value in task.items():
            _add_value(row, question, value)


def _add_value(row: _Row, question: str, value: Any) -> None:
    if isinstance(value, dict):
        for key, what in _MARKED.items():
            if isinstance(value.get(key), list):
                row.marked[what] = row.marked.get(what, 0) + len(value[key])
                return
        if "label" in value or "labels" in value:
            value = value.get("label", value.get("labels"))
        elif all(is_true(part) or is_false(part) for part in value.values()):
            value = [name for name, part in value.items() if is_true(part)]
        else:
            row.marked["other answers"] = row.marked.get("other answers", 0) + 1
            return
    parts = value if isinstance(value, list) else [value]
    texts = [text for part in parts if (text := scalar_text(part))]
    row.answers.setdefault(question.removesuffix(".labels"), []).extend(texts)


def _mark_sets(files: Files, seen: Mapping[str, AnswerStatistics]) -> None:
    """Mark list columns as sets, even if nobody chose more than one category."""
    for file in brought(files):
        for name in header_of(file) if _is_ours(file) else ():
            question = name.removeprefix(_ANSWER).removesuffix(".labels")
            if name.startswith(_ANSWER) and name.endswith(".labels") and question in seen:
                seen[question].is_set = True


MTURK = Format("mturk", "Amazon Mechanical Turk", recognizes, read, choices)
