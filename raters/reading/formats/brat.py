"""brat standoff: a folder of .ann and .txt files per rater; attributes that apply to a whole document.

brat has no document-level answers: by convention they are attributes of the title, or of a span added at the
beginning for this purpose. An attribute that occurs nowhere else is treated as one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.tables.encoding import AUTO, decoded, encoding_of, head
from core.tables.faults import Faults
from core.tables.lines import lf_lines
from raters.reading.formats.answers import AnswerStatistics
from raters.reading.formats.fields import first_option, n_times
from raters.reading.formats.opening import (
    brought,
    extension,
    faults_of,
    first_characters,
    first_line,
    parts_of,
    read_text,
    unless_refused,
)
from raters.reading.records import (
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

_LINE = re.compile(r"(T|A|M|R|E|N|#)\S*\t|\*\t")
_SPAN = re.compile(r"(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)")
_NAMES = {"R": "relations", "*": "relations", "E": "events", "N": "normalizations"}
_ON_SPANS = "attributes of spans"
YES, NO = "yes", "no"


@dataclass(slots=True)
class _Document:
    """One rater's annotations. spans: start offset by ID. attributes: (line, ID, name, ID of its target, value)."""

    rater: str
    item: str
    spans: dict[str, int] = field(default_factory=dict)
    attributes: list[tuple[int, str, str, str, str]] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)


def recognizes(files: Files) -> bool:
    """Return whether the .ann files have lines in brat's format or, if all are empty, each has a .txt file."""
    marked = [file for file in brought(files) if extension(file) == "ann"]
    starts = [(file, first_line(first_characters(file, 2_000))) for file in marked]
    if any(start for _, start in starts):
        return all(_LINE.match(start) for _, start in starts if start)
    names = {file.name for file in files}
    return bool(marked) and all(file.name[:-4] + ".txt" in names for file in marked)


@unless_refused
def choices(files: Files) -> Sequence[FormatChoice]:
    if not _of_documents(_documents(files, Faults())):
        return ()
    options = (("document", "Answers about the document"), ("spans", "Answers about the span, left out"))
    return [FormatChoice("attributes", "Attributes of the span at the beginning of a document", options)]


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    documents = list(_documents(files, faults))
    names = _of_documents(iter(documents))
    if first_option(choices(files), chosen, "attributes") == "spans":
        names = []
    yield from _texts(files, faults, {document.item for document in documents})
    questions = {name: AnswerStatistics(name) for name in names}
    # An attribute without values is a checkbox.
    checks = {
        name
        for name in names
        if not any(value for d in documents for _, _, n, _, value in d.attributes if n == name)
    }
    for document in documents:
        for name in names:
            questions[name].add(*_values(document, name))
    for name in names:
        is_check = name in checks
        record = questions[name].question(1)
        yield QuestionRecord(1, name, SINGLE, ((YES, YES), (NO, NO))) if is_check else record
    for document in documents:
        _count(document, names, left_out)
        for name in names:
            yield _label(document, name, questions[name], is_check=name in checks)


def _values(document: _Document, name: str) -> list[str]:
    return [value for _, _, other, _, value in document.attributes if other == name and value]


def _label(document: _Document, name: str, seen: AnswerStatistics, *, is_check: bool) -> LabelRecord:
    given = [attribute for attribute in document.attributes if attribute[2] == name]
    line = given[0][0] if given else 1
    notes = [document.notes.get(key, "") for _, own, _, of, _ in given for key in (own, of)]
    value = (YES if given else NO) if is_check else seen.value(_values(document, name))
    note = "\n".join(dict.fromkeys(note for note in notes if note))
    # Annotation IDs are only unique within a document.
    source_id = f"{document.item}/{given[0][1]}" if given else ""
    return LabelRecord(line, document.item, document.rater, name, value, note=note, source_id=source_id)


def _count(document: _Document, names: Sequence[str], left_out: LeftOut) -> None:
    carriers = {of for _, _, name, of, _ in document.attributes if name in names}
    n_times(left_out, "spans", len(document.spans.keys() - carriers))
    n_times(left_out, _ON_SPANS, sum(name not in names for _, _, name, _, _ in document.attributes))
    taken = carriers | {own for _, own, name, _, _ in document.attributes if name in names}
    n_times(left_out, "notes on spans", len(document.notes.keys() - taken))
    for what, n in document.others.items():
        n_times(left_out, what, n)


def _of_documents(documents: Iterator[_Document]) -> list[str]:
    """Return the attributes that only occur on spans at the very beginning."""
    at_beginning: dict[str, bool] = {}
    for document in documents:
        for _, _, name, of, _ in document.attributes:
            at_beginning[name] = at_beginning.get(name, True) and document.spans.get(of) == 0
    return [name for name, is_first in at_beginning.items() if is_first]


def _placed(files: Files) -> list[tuple[InputFile, str, str]]:
    """Return each .ann file with its rater and item. The first folder is the rater's, below any common folders."""
    found = [(file, parts_of(file)) for file in brought(files) if extension(file) == "ann"]
    while found and all(len(parts) > 2 for _, parts in found) and len({parts[0] for _, parts in found}) == 1:
        found = [(file, parts[1:]) for file, parts in found]
    return [
        (file, parts[0] if len(parts) > 1 else "", "/".join(parts[1:] or parts)[: -len(".ann")])
        for file, parts in found
    ]


def _texts(files: Files, faults: Faults, items: set[str]) -> Iterator[ItemRecord]:
    """Yield the text of each document once, even though every rater's folder has it."""
    by_name = {file.name: file for file in files}
    for file, _, item in _placed(files):
        text = by_name.get(file.name[: -len("ann")] + "txt")
        if item in items and text is not None and head(text.source):
            items.discard(item)
            yield ItemRecord(1, item, {"text": read_text(text, faults_of(text, files, faults))})


def _documents(files: Files, faults: Faults) -> Iterator[_Document]:
    for file, rater, item in _placed(files):
        document = _Document(rater, item)
        # An empty file means that the rater saw the document and marked nothing.
        if head(file.source):
            its_faults = faults_of(file, files, faults)
            blocks = decoded(file.source, encoding_of(file.source, AUTO, its_faults), its_faults)
            for line, text in enumerate(lf_lines(blocks, its_faults), start=1):
                if text.strip():
                    _read_line(document, line, text, its_faults)
            _check_targets(document, its_faults)
        yield document


def _read_line(document: _Document, line: int, text: str, faults: Faults) -> None:
    own, *cells = text.split("\t")
    if not _LINE.match(text) or not cells[0]:
        rule = "not a line of brat: an id such as T1, a tab, and what it stands for"
        faults.add(line, "", text, "bad_line", rule)
    elif own[0] == "T":
        if found := _SPAN.fullmatch(cells[0]):
            document.spans[own] = int(found[2].partition(" ")[0])
        else:
            faults.add(line, own, cells[0], "bad_line", "must be a type, and where the span begins and ends")
    elif own[0] in "AM":
        name, *rest = cells[0].split(" ", 2)
        if rest and rest[0]:
            document.attributes.append((line, own, name, rest[0], rest[1] if len(rest) > 1 else ""))
        else:
            faults.add(line, own, cells[0], "bad_line", "must be a name, and the id of what it is about")
    elif own[0] == "#":
        target = cells[0].split(" ")[-1]
        if len(cells) > 1 and cells[1]:
            document.notes[target] = cells[1]
    else:
        what = _NAMES[own[0]]
        document.others[what] = document.others.get(what, 0) + 1


def _check_targets(document: _Document, faults: Faults) -> None:
    for line, own, _, of, _ in document.attributes:
        if of[0] == "T" and of not in document.spans:
            faults.add(line, own, of, "unknown_id", "no span with this id in the file")


BRAT = Format("brat", "brat", recognizes, read, choices)
