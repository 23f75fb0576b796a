"""ODK Central and KoboToolbox: a row per submission, one question of which identifies the item."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.tables.faults import Faults
from raters.reading.formats.answers import FREE_TEXT, AnswerStatistics
from raters.reading.formats.fields import first_option, iso_time, n_times
from raters.reading.formats.opening import brought, faults_of, header_of, open_sheet, unless_refused
from raters.reading.records import (
    REJECTED,
    SUBMITTED,
    Files,
    Format,
    FormatChoice,
    InputFile,
    LabelRecord,
    LeftOut,
    Record,
)

# Columns added by server and phone. Locations and device IDs are never read.
_ADDED = {
    "submissiondate", "meta-instanceid", "meta-instancename", "instanceid", "instancename", "key", "submitterid",
    "submittername", "attachmentspresent", "attachmentsexpected", "status", "reviewstate", "deviceid", "edits",
    "formversion", "parent_key", "start", "end", "today", "username", "phonenumber", "simserial", "subscriberid",
    "audit", "email", "formhub/uuid", "meta/instanceid", "meta/instancename", "meta/rootuuid", "rootuuid",
}  # fmt: skip
_PLACE = re.compile(r"(?i)(.*?)[-_.](latitude|longitude|altitude|accuracy|precision)")
_POINT = re.compile(r"-?\d{1,3}\.\d+ -?\d{1,3}\.\d+( -?[\d.]+){0,2}")
_XML_NAMES = re.compile(r"[a-z0-9_.-]+")
_ITEM = re.compile(r"(?i)(item|unit|case|doc|document|subject|image|record)(_?(id|key|no|number|name))?|id")
_RATER = re.compile(
    r"(?i)(rater|coder|annotator|enumerator|interviewer|observer|reviewer|judge)(_?(id|name|code))?"
)
_REJECTED = {"rejected", "validation_status_not_approved", "not approved"}
_FEW = 30


@dataclass(slots=True)
class _Form:
    """The columns of the submissions. splits: columns that repeat one option of a question."""

    fields: list[str] = field(default_factory=list)
    splits: dict[str, str] = field(default_factory=dict)
    seen: dict[str, AnswerStatistics] = field(default_factory=dict)
    server: str = ""
    has_server: bool = False


def recognizes(files: Files) -> bool:
    return any(_is_ours(file) for file in brought(files))


def _is_ours(file: InputFile) -> bool:
    return _server(header_of(file)) != ""


def _server(header: Sequence[str]) -> str:
    """Return the column with the submitter, or "" for files of other programs."""
    names = set(header)
    if {"KEY", "SubmitterID", "SubmissionDate"} <= names:
        return "SubmitterID"
    return "_submitted_by" if {"_id", "_uuid", "_submission_time"} <= names else ""


@unless_refused
def choices(files: Files) -> Sequence[FormatChoice]:
    form = _form(files, Faults())
    if not form.fields:
        return ()
    items = sorted(form.fields, key=lambda name: _ITEM.fullmatch(_leaf(name)) is None)
    named = [name for name in form.fields if _RATER.fullmatch(_leaf(name))]
    own = [form.server] if form.has_server else []
    raters = [*own, *named, *[name for name in form.fields if name not in named and name != items[0]]]
    # People may share a phone, or use several: a question may identify the rater.
    found = [FormatChoice("item", "Item key", [(name, name) for name in items])]
    if raters:
        found.append(FormatChoice("rater", "Rater", [(name, name) for name in raters]))
    for name, seen in form.seen.items():
        if (
            any(" " in value for value in seen.values)
            and name not in form.splits.values()
            and not seen.is_text
        ):
            options = [("separate", "Separate categories"), ("part", "Part of the category")]
            if not _are_names(seen):
                options.reverse()
            found.append(FormatChoice(f"spaces.{name}", f"Spaces in “{name}”", options))
    return found


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    form = _form(files, faults)
    asked = choices(files)
    item = first_option(asked, chosen, "item")
    rater = first_option(asked, chosen, "rater")
    if not item:
        raise faults.refuse(1, "", "", "no_questions", "the file has no questions, and so no labels")
    questions: dict[str, AnswerStatistics] = {}
    for name in form.fields:
        if name in (item, rater):
            continue
        is_set = name in form.splits.values() or first_option(asked, chosen, f"spaces.{name}") == "separate"
        questions[name] = AnswerStatistics(_leaf(name))
        questions[name].is_set = is_set
    for _, cells in _rows(files, Faults()):
        for name, seen in questions.items():
            seen.add(*_picked(cells.get(name, ""), seen))
    for name, seen in questions.items():
        if seen.n and not seen.is_text:
            yield seen.question(1, name)
    for line, cells in _rows(files, Faults()):
        if not cells.get(item):
            faults.add(
                line, item, "", "empty_cell", "can’t be empty: it says which item the answers are about"
            )
            continue
        at = iso_time(cells.get("SubmissionDate") or cells.get("_submission_time") or "", line, "", faults)
        review = (cells.get("ReviewState") or cells.get("_validation_status") or "").lower()
        for name, seen in questions.items():
            picked = _picked(cells.get(name, ""), seen)
            if seen.is_text:
                n_times(left_out, FREE_TEXT, len(picked))
            elif seen.n:
                yield LabelRecord(
                    line,
                    cells[item],
                    cells.get(rater, ""),
                    name,
                    # An empty cell may be a question that was not asked.
                    seen.value(picked) if picked else None,
                    at=at,
                    source_id=cells.get("KEY") or cells.get("_uuid") or "",
                    state=REJECTED if review in _REJECTED else SUBMITTED,
                    column=name,
                )
    _count_repeats(files, left_out)


def _picked(cell: str, seen: AnswerStatistics) -> list[str]:
    return cell.split() if seen.is_set else [cell] if cell else []


def _leaf(name: str) -> str:
    """Return the question's own name, without its groups: group-field, or group/field."""
    return re.split(r"[-/]", name)[-1]


def _are_names(seen: AnswerStatistics) -> bool:
    """Return whether the parts look like XML names, which are separated by spaces in multiple choices."""
    parts = [value.split(" ") for value in seen.values]
    names = {part for own in parts for part in own}
    return (
        len(names) <= _FEW
        and all(map(_XML_NAMES.fullmatch, names))
        and all(len(set(p)) == len(p) for p in parts)
    )


def _form(files: Files, faults: Faults) -> _Form:
    form = _Form()
    is_flag: dict[str, bool] = {}
    for line_and_cells in _rows(files, faults):
        cells = line_and_cells[1]
        if not form.server:
            form.server = _server(list(cells))
        form.has_server = form.has_server or bool(cells.get(form.server))
        for name, cell in cells.items():
            if _is_added(name):
                continue
            seen = form.seen.setdefault(name, AnswerStatistics(_leaf(name)))
            if cell:
                seen.add(cell)
            is_flag[name] = is_flag.get(name, True) and cell.lower() in ("0", "1", "", "true", "false")
    places = {found[1].lstrip("_").casefold() for name in is_flag if (found := _PLACE.fullmatch(name))}
    for name, holds in is_flag.items():
        base = name.rpartition("/")[0]
        if holds and base in is_flag:
            form.splits[name] = base
        elif not (
            _PLACE.fullmatch(name)
            or _leaf(name).casefold() in places
            or any(_POINT.fullmatch(value) for value in form.seen[name].values)
        ):
            form.fields.append(name)
    form.seen = {name: form.seen[name] for name in form.fields}
    return form


def _is_added(name: str) -> bool:
    is_kobo = name.startswith("_") and not _PLACE.fullmatch(name)
    return name == "" or name.casefold() in _ADDED or is_kobo


def _rows(files: Files, faults: Faults) -> Iterator[tuple[int, dict[str, str]]]:
    for file in brought(files):
        if _is_ours(file):
            yield from open_sheet(file, faults_of(file, files, faults)).by_name()


def _count_repeats(files: Files, left_out: LeftOut) -> None:
    """Count rows of repeated groups, which have separate files that refer to the submissions."""
    for file in brought(files):
        if "PARENT_KEY" in header_of(file) and not _is_ours(file):
            n_times(left_out, "rows of repeated groups", sum(1 for _ in open_sheet(file, Faults()).rows))


ODK = Format("odk", "ODK or KoboToolbox", recognizes, read, choices)
