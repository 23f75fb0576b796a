"""Rayyan: the articles of a review, and the log of each reviewer's decisions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.tables.faults import Faults
from raters.reading.formats.fields import first_option, iso_time, n_times
from raters.reading.formats.opening import brought, faults_of, first_records, header_of, open_sheet
from raters.reading.records import (
    MULTIPLE,
    SINGLE,
    Files,
    Format,
    FormatChoice,
    InputFile,
    ItemRecord,
    LabelRecord,
    LeftOut,
    QuestionRecord,
    Record,
)

INCLUDED, REASONS, LABELS = "included", "exclusion reasons", "labels"
INCLUDE, MAYBE, EXCLUDE = "include", "maybe", "exclude"
_DECISIONS = {"1": INCLUDE, "0": MAYBE, "-1": EXCLUDE}
_WRITTEN = {"included": INCLUDE, "maybe": MAYBE, "excluded": EXCLUDE}
_REASON = "__EXR__"
_LOG = ["article_id", "user_id", "user_email", "key", "value", "created_at"]
_NOTES = "RAYYAN-INCLUSION"


@dataclass(slots=True)
class _ArticleDecisions:
    """One reviewer's current decisions on one article: the last event of each key counts."""

    line: int
    # key -> (time, value)
    events: dict[str, tuple[str, str]] = field(default_factory=dict)

    def chosen(self, *, reasons: bool) -> list[str]:
        return sorted(
            key.removeprefix(_REASON)
            for key, (_, value) in self.events.items()
            if key != INCLUDED and value == "1" and key.startswith(_REASON) == reasons
        )

    @property
    def decision(self) -> str:
        return _DECISIONS.get(self.events.get(INCLUDED, ("", ""))[1], "")


def recognizes(files: Files) -> bool:
    return any(_is_log(file) or _has_notes(file) for file in brought(files))


def _is_log(file: InputFile) -> bool:
    return set(_LOG) <= set(header_of(file))


def _is_articles(file: InputFile) -> bool:
    return {"key", "title"} <= set(header_of(file))


def _has_notes(file: InputFile) -> bool:
    """Return whether this is a file of articles with decisions in the notes column, used without the log."""
    if not _is_articles(file) or "notes" not in header_of(file):
        return False
    header, *rows = first_records(file, 200)
    at = header.index("notes")
    return any(_NOTES in cells[at] for cells in rows if len(cells) > at)


def choices(files: Files) -> Sequence[FormatChoice]:
    if not any(_is_log(file) for file in brought(files)):
        return ()
    return [FormatChoice("rater", "Rater", (("user_email", "Email address"), ("user_id", "User ID")))]


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    who = first_option(choices(files), chosen, "rater", "user_email")
    has_log = any(_is_log(file) for file in brought(files))
    decided = _log(files, who, left_out, faults)
    noted = [] if has_log else list(_noted(files, left_out, faults))
    yield QuestionRecord(1, INCLUDED, SINGLE, [(name, name) for name in (INCLUDE, MAYBE, EXCLUDE)])
    has_reasons = any(d.chosen(reasons=True) for d in decided.values())
    has_labels = any(d.chosen(reasons=False) for d in decided.values())
    if has_reasons:
        yield QuestionRecord(1, REASONS, MULTIPLE)
    if has_labels:
        yield QuestionRecord(1, LABELS, MULTIPLE)
    yield from _items(files, left_out if has_log else LeftOut(), faults)
    yield from noted
    for (item, rater), own in decided.items():
        at = own.events.get(INCLUDED, ("", ""))[0]
        if own.decision:
            yield LabelRecord(own.line, item, rater, INCLUDED, own.decision, at=at, column=INCLUDED)
        reasons = own.chosen(reasons=True)
        # A reason is only asked for exclusions.
        if has_reasons and (reasons or own.decision == EXCLUDE):
            yield LabelRecord(own.line, item, rater, REASONS, tuple(reasons), at=at, column=REASONS)
        if has_labels:
            value = tuple(own.chosen(reasons=False))
            yield LabelRecord(own.line, item, rater, LABELS, value, at=at, column=LABELS)


def _log(
    files: Files, who: str, left_out: LeftOut, faults: Faults
) -> dict[tuple[str, str], _ArticleDecisions]:
    decided: dict[tuple[str, str], _ArticleDecisions] = {}
    for file in brought(files):
        if not _is_log(file):
            continue
        its_faults = faults_of(file, files, faults)
        for line, cells in open_sheet(file, its_faults).by_name():
            rater = cells[who] or cells["user_id"]
            if not cells["article_id"] or not rater:
                column = who if cells["article_id"] else "article_id"
                its_faults.add(line, column, "", "empty_cell", "can’t be empty")
                continue
            at = iso_time(cells["created_at"], line, "created_at", its_faults)
            own = decided.setdefault((cells["article_id"], rater), _ArticleDecisions(line))
            _add_event(own, line, cells["key"], cells["value"], at, left_out, its_faults)
    return decided


def _add_event(
    own: _ArticleDecisions, line: int, key: str, value: str, at: str, left_out: LeftOut, faults: Faults
) -> None:
    if key == "deleted":
        # Deletes the named entry or, without a name, all earlier ones.
        for name in [value] if value in own.events else list(own.events):
            if own.events[name][0] <= at:
                del own.events[name]
        return
    if key == INCLUDED and value not in (*_DECISIONS, "", "deleted"):
        rule = "must be 1 (include), 0 (maybe), or -1 (exclude)"
        faults.add(line, "value", value, "bad_value", rule)
        return
    if key != INCLUDED and value not in ("1", "0", "-1", "", "deleted"):
        left_out["other entries"] += 1
        return
    # The last event wins; at the same time, the later line.
    if key and at >= own.events.get(key, ("", ""))[0]:
        own.line = max(own.line, line) if key == INCLUDED else own.line
        own.events[key] = (at, value)


def _items(files: Files, left_out: LeftOut, faults: Faults) -> Iterator[ItemRecord]:
    for file in brought(files):
        if not _is_articles(file):
            continue
        its_faults = faults_of(file, files, faults)
        for line, cells in open_sheet(file, its_faults).by_name():
            if not cells["key"]:
                its_faults.add(line, "key", "", "empty_cell", "can’t be empty")
                continue
            # Notes have names but the log has addresses, so their authors are unknown.
            n_times(left_out, "notes", len(_reviewer_entries(cells.get("notes", ""), "USER-NOTES")))
            content = {name: cells[name] for name in ("title", "abstract") if cells.get(name)}
            yield ItemRecord(line, cells["key"], content)


# The column of notes: RAYYAN-INCLUSION: {"Anna"=>"Included"} | RAYYAN-LABELS: a,b | USER-NOTES: {"Ben"=>["…"]}

_QUOTED = r'"((?:[^"\\]|\\.)*+)"'
_PAIR = re.compile(rf"{_QUOTED}\s*=>\s*(\[[^\]]*\]|{_QUOTED})")


def _noted(files: Files, left_out: LeftOut, faults: Faults) -> Iterator[LabelRecord]:
    for file in brought(files):
        if not _is_articles(file):
            continue
        its_faults = faults_of(file, files, faults)
        # Faults of rows are reported when they are read as items.
        for line, cells in open_sheet(file, Faults()).by_name():
            notes = cells.get("notes", "")
            comments = _reviewer_entries(notes, "USER-NOTES")
            for part, what in (("LABELS", LABELS), ("EXCLUSION-REASONS", REASONS)):
                n_times(left_out, f"{what} without a reviewer", f"RAYYAN-{part}:" in notes)
            for rater, decision in _reviewer_entries(notes, _NOTES).items() if cells["key"] else ():
                if (value := _WRITTEN.get(decision.lower())) is None:
                    rule = "must be Included, Excluded, or Maybe"
                    its_faults.add(line, "notes", decision, "bad_value", rule)
                    continue
                note = comments.get(rater, "")
                yield LabelRecord(line, cells["key"], rater, INCLUDED, value, note=note, column="notes")


def _reviewer_entries(notes: str, part: str) -> dict[str, str]:
    """Return each reviewer's entry in one part of the notes, which may follow the article's own notes."""
    begin = notes.find(f"{part}: {{")
    if begin < 0:
        return {}
    found: dict[str, str] = {}
    place = begin + len(part) + 3
    while pair := _PAIR.match(notes, place):
        texts = re.findall(_QUOTED, pair[2])
        found[_plain(pair[1])] = "\n".join(_plain(text) for text in texts)
        place = pair.end()
        if not (comma := re.compile(r"\s*,\s*").match(notes, place)):
            break
        place = comma.end()
    return found


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


RAYYAN = Format("rayyan", "Rayyan", recognizes, read, choices)
