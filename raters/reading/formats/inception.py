"""INCEpTION and WebAnno: document-level answers in tables of the agreement page and in projects."""

import re
from collections.abc import Iterator, Mapping, Sequence

from core.shapes import Json
from core.tables.faults import Faults
from raters.reading.formats.fields import first_option, n_times, scalar_text
from raters.reading.formats.inception_answers import ORIGINAL, DocumentAnswer, DocumentAnswers
from raters.reading.formats.inception_documents import TSV_MARK, read_document
from raters.reading.formats.inception_projects import ExportedProject, documents_in, is_project
from raters.reading.formats.inception_xmi import is_xmi, types_in
from raters.reading.formats.json_records import elements, json_head
from raters.reading.formats.opening import (
    brought,
    faults_of,
    first_characters,
    header_of,
    open_sheet,
    unless_refused,
)
from raters.reading.records import (
    Files,
    Format,
    FormatChoice,
    InputFile,
    LeftOut,
    Record,
)

_DIAGNOSIS = ["Type", "Collection", "Document", "Layer", "Feature", "Position", "Flags"]
_SPAN_COLUMNS = ["doc", "user", "begin", "end", "text", "label"]
_DOCUMENT_COLUMNS = ["doc", "user", "label"]
_NO_UNIT, _NO_VALUE = "<no annotation>", "<no label>"


def recognizes(files: Files) -> bool:
    return any(_is_ours(file) for file in brought(files))


def _is_ours(file: InputFile) -> bool:
    return (
        _is_diagnosis(file)
        or _is_annotations(file)
        or _is_annotations_json(file)
        or is_project(file)
        or json_head(file, "%FEATURE_STRUCTURES")
        or json_head(file, "%TYPES")
        or is_xmi(file)
        or first_characters(file, 40).startswith(TSV_MARK)
    )


def _is_diagnosis(file: InputFile) -> bool:
    return header_of(file)[:7] == _DIAGNOSIS


def _is_annotations(file: InputFile) -> bool:
    header = header_of(file)
    return header == _DOCUMENT_COLUMNS or header in (_SPAN_COLUMNS, _SPAN_COLUMNS[:-1])


def _is_annotations_json(file: InputFile) -> bool:
    start = first_characters(file).lstrip()
    first = start[: start.find("}") + 1]
    return (
        start.startswith("[")
        and re.match(r'\[\s*\{\s*"doc"\s*:', start) is not None
        and '"user"' in first
        and ('"label"' in first or '"begin"' in first)
    )


@unless_refused
def choices(files: Files) -> Sequence[FormatChoice]:
    documents = documents_in(files, Faults())
    if not any(state == "INPROGRESS" for state, _ in documents.values()):
        return ()
    options = (("finished", "Finished documents only"), ("all", "Also those in progress"))
    return [FormatChoice("states", "Labels", options)]


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    found = DocumentAnswers()
    documents = documents_in(files, faults)
    takes_drafts = first_option(choices(files), chosen, "states") == "all"
    project = ExportedProject(documents, any(is_project(file) for file in files), takes_drafts)
    types = types_in(brought(files), faults)
    given: set[str] = set()
    for file in brought(files):
        its_faults = faults_of(file, files, faults)
        if _is_diagnosis(file):
            _read_diagnosis(file, found, left_out, its_faults)
        elif _is_annotations(file) or _is_annotations_json(file):
            _read_annotations(file, found, left_out, its_faults)
        elif not is_project(file):
            for item in read_document(file, project, found, left_out, its_faults, types):
                if item.item not in given:
                    given.add(item.item)
                    yield item
    yield from found.records(left_out)


# The tables of the agreement page


def _read_diagnosis(file: InputFile, found: DocumentAnswers, left_out: LeftOut, faults: Faults) -> None:
    sheet = open_sheet(file, faults)
    raters = [name for name in sheet.columns[len(_DIAGNOSIS) :] if name and name != ORIGINAL]
    for line, cells in sheet.by_name():
        if cells["Type"] != "DocumentPosition":
            marked = sum(cells[rater] not in ("", _NO_UNIT) for rater in raters)
            n_times(left_out, "relations" if cells["Type"].startswith("Relation") else "spans", marked)
            continue
        if not cells["Document"]:
            faults.add(line, "Document", "", "empty_cell", "can’t be empty")
            continue
        question = ".".join(part for part in (cells["Layer"], cells["Feature"]) if part)
        for rater in raters:
            # No unit means that the user has not opened the document, so there is no answer rather than an empty one.
            chosen = None if cells[rater] in ("", _NO_UNIT) else _stacked(cells[rater])
            found.add(DocumentAnswer(line, cells["Document"], rater, question, chosen, column=rater))


def _stacked(cell: str) -> list[str]:
    return [part for part in cell.split(", ") if part and part != _NO_VALUE]


def _read_annotations(file: InputFile, found: DocumentAnswers, left_out: LeftOut, faults: Faults) -> None:
    """Read one row per unit; the units of one user in one document form one answer."""
    together: dict[tuple[str, str], DocumentAnswer] = {}
    for line, row in _rows_of_annotations(file, faults):
        if "begin" in row:
            left_out["spans"] += 1
            continue
        item, rater, label = (scalar_text(row.get(name)) or "" for name in _DOCUMENT_COLUMNS)
        if not item or not rater:
            faults.add(line, "user" if item else "doc", "", "empty_cell", "can’t be empty")
            continue
        if rater == ORIGINAL:
            continue
        answer = together.setdefault(
            (item, rater), DocumentAnswer(line, item, rater, "label", [], column="label")
        )
        if label and label not in (_NO_VALUE, _NO_UNIT) and answer.chosen is not None:
            answer.chosen.append(label)
    for answer in together.values():
        found.add(answer)


def _rows_of_annotations(file: InputFile, faults: Faults) -> Iterator[tuple[int, Json]]:
    if _is_annotations(file):
        yield from open_sheet(file, faults).by_name()
        return
    for place, (_, row) in enumerate(elements(file, faults), start=1):
        if isinstance(row, dict):
            yield place, row
        else:
            faults.add(place, "", str(row), "bad_json", "must be an object with doc, user, and label")


INCEPTION = Format("inception", "INCEpTION", recognizes, read, choices)
