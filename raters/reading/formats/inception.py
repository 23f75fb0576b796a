"""INCEpTION and WebAnno: the agreement page's tables, and projects with UIMA CAS JSON; answers about documents."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.tables.faults import Faults
from core.tables.sources import bytes_of
from raters.reading.formats.answers import FREE_TEXT, Seen
from raters.reading.formats.fields import first_option, n_times, scalar_text
from raters.reading.formats.json_records import elements, json_head, whole_json
from raters.reading.formats.opening import (
    base_name,
    beginning,
    brought,
    extension,
    faults_of,
    first_bytes,
    header_of,
    open_sheet,
    parts_of,
    stem,
    unless_refused,
    whole_text,
)
from raters.reading.records import (
    DRAFT,
    NUMBER,
    REFERENCE,
    SKIPPED,
    SUBMITTED,
    Choice,
    Files,
    Format,
    InputFile,
    ItemRecord,
    LabelRecord,
    LeftOut,
    QuestionRecord,
    Record,
)

_DIAGNOSIS = ["Type", "Collection", "Document", "Layer", "Feature", "Position", "Flags"]
_SPAN_COLUMNS = ["doc", "user", "begin", "end", "text", "label"]
_DOCUMENT_COLUMNS = ["doc", "user", "label"]
_CURATOR, _ORIGINAL = "CURATION_USER", "INITIAL_CAS"
_NO_UNIT, _NO_VALUE = "<no annotation>", "<no label>"
_TSV = "#FORMAT=WebAnno TSV 3"
_STATES = {"FINISHED": SUBMITTED, "INPROGRESS": DRAFT, "NEW": DRAFT, "IGNORE": SKIPPED}
# A document in an archive of its own beside its type system; members, and bytes of all of them.
_MAX_MEMBERS, _MAX_UNPACKED = 50, 64 * 1024 * 1024


def recognizes(files: Files) -> bool:
    return any(_is_ours(file) for file in brought(files))


def _is_ours(file: InputFile) -> bool:
    return (
        _is_diagnosis(file)
        or _is_annotations(file)
        or _is_annotations_json(file)
        or _is_project(file)
        or json_head(file, "%FEATURE_STRUCTURES")
        or json_head(file, "%TYPES")
        or beginning(file, 40).startswith(_TSV)
    )


def _is_diagnosis(file: InputFile) -> bool:
    return header_of(file)[:7] == _DIAGNOSIS


def _is_annotations(file: InputFile) -> bool:
    header = header_of(file)
    return header == _DOCUMENT_COLUMNS or header in (_SPAN_COLUMNS, _SPAN_COLUMNS[:-1])


def _is_annotations_json(file: InputFile) -> bool:
    start = beginning(file).lstrip()
    first = start[: start.find("}") + 1]
    return (
        start.startswith("[")
        and re.match(r'\[\s*\{\s*"doc"\s*:', start) is not None
        and '"user"' in first
        and ('"label"' in first or '"begin"' in first)
    )


def _is_project(file: InputFile) -> bool:
    is_named = base_name(file).startswith("exportedproject") and extension(file) == "json"
    return is_named and any(
        json_head(file, key) for key in ("source_documents", "annotation_documents", "layers")
    )


@dataclass(slots=True)
class _Answer:
    """chosen: the values of a unit or of several, or None where there is no unit."""

    line: int
    item: str
    rater: str
    question: str
    chosen: list[str] | None
    state: str = SUBMITTED
    note: str = ""
    column: str = ""


@dataclass(slots=True)
class _Answers:
    """All answers about documents, and what each question was answered with; texts of documents are not kept."""

    questions: dict[str, Seen] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)
    answers: list[_Answer] = field(default_factory=list)
    # Of documents that were finished without a unit of some layer: (line, document, rater, state, note).
    documents: list[tuple[int, str, str, str, str]] = field(default_factory=list)

    def add(self, answer: _Answer) -> None:
        self.questions.setdefault(answer.question, Seen(answer.question)).add(*(answer.chosen or ()))
        self.answers.append(answer)

    def records(self, left_out: LeftOut) -> Iterator[Record]:
        for name in [name for name, seen in self.questions.items() if seen.is_text]:
            left_out[FREE_TEXT] += self.questions.pop(name).n
        for name, seen in self.questions.items():
            is_number = name in self.numbers and seen.most <= 1 and not seen.is_set
            yield QuestionRecord(1, name, NUMBER) if is_number else seen.question(1)
        said = set()
        for answer in self.answers:
            if answer.question not in self.questions:
                continue
            said.add((answer.item, answer.rater, answer.question))
            seen = self.questions[answer.question]
            value = None if answer.chosen is None else seen.value(answer.chosen)
            yield self._label(answer, value)
        for line, item, rater, state, note in self.documents:
            for name, seen in self.questions.items():
                if (item, rater, name) not in said:
                    yield self._label(_Answer(line, item, rater, name, [], state, note), seen.value([]))

    def _label(self, answer: _Answer, value: Any) -> LabelRecord:
        return LabelRecord(
            answer.line,
            answer.item,
            answer.rater,
            answer.question,
            value,
            rater_kind=REFERENCE if answer.rater == _CURATOR else "",
            note=answer.note,
            state=answer.state,
            column=answer.column,
        )


@unless_refused
def choices(files: Files) -> Sequence[Choice]:
    documents = _documents(files, Faults())
    if not any(state == "INPROGRESS" for state, _ in documents.values()):
        return ()
    options = (("finished", "Finished documents only"), ("all", "Also those in progress"))
    return [Choice("states", "Labels", options)]


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    found = _Answers()
    documents = _documents(files, faults)
    takes_drafts = first_option(choices(files), chosen, "states") == "all"
    project = _Project(documents, any(_is_project(file) for file in files), takes_drafts)
    given: set[str] = set()
    for file in brought(files):
        its_faults = faults_of(file, files, faults)
        if _is_diagnosis(file):
            _read_diagnosis(file, found, left_out, its_faults)
        elif _is_annotations(file) or _is_annotations_json(file):
            _read_annotations(file, found, left_out, its_faults)
        elif not _is_project(file):
            for item in _read_document(file, project, found, left_out, its_faults):
                if item.item not in given:
                    given.add(item.item)
                    yield item
    yield from found.records(left_out)


# The tables of the agreement page


def _read_diagnosis(file: InputFile, found: _Answers, left_out: LeftOut, faults: Faults) -> None:
    sheet = open_sheet(file, faults)
    raters = [name for name in sheet.columns[len(_DIAGNOSIS) :] if name and name != _ORIGINAL]
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
            # Who has not opened a document has no unit in it: that is no answer, not an empty one.
            chosen = None if cells[rater] in ("", _NO_UNIT) else _stacked(cells[rater])
            found.add(_Answer(line, cells["Document"], rater, question, chosen, column=rater))


def _stacked(cell: str) -> list[str]:
    return [part for part in cell.split(", ") if part and part != _NO_VALUE]


def _read_annotations(file: InputFile, found: _Answers, left_out: LeftOut, faults: Faults) -> None:
    """A row for each unit: those of one user in one document are chosen together."""
    together: dict[tuple[str, str], _Answer] = {}
    for line, row in _rows_of_annotations(file, faults):
        if "begin" in row:
            left_out["spans"] += 1
            continue
        item, rater, label = (scalar_text(row.get(name)) or "" for name in _DOCUMENT_COLUMNS)
        if not item or not rater:
            faults.add(line, "user" if item else "doc", "", "empty_cell", "can’t be empty")
            continue
        if rater == _ORIGINAL:
            continue
        answer = together.setdefault((item, rater), _Answer(line, item, rater, "label", [], column="label"))
        if label and label not in (_NO_VALUE, _NO_UNIT) and answer.chosen is not None:
            answer.chosen.append(label)
    for answer in together.values():
        found.add(answer)


def _rows_of_annotations(file: InputFile, faults: Faults) -> Iterator[tuple[int, dict[str, Any]]]:
    if _is_annotations(file):
        yield from open_sheet(file, faults).by_name()
        return
    for place, (_, row) in enumerate(elements(file, faults), start=1):
        if isinstance(row, dict):
            yield place, row
        else:
            faults.add(place, "", str(row), "bad_json", "must be an object with doc, user, and label")


# Projects


@dataclass(frozen=True, slots=True)
class _Project:
    """documents: (document, user) -> state and comment. is_whole: the project says who has done what."""

    documents: Mapping[tuple[str, str], tuple[str, str]]
    is_whole: bool
    takes_drafts: bool

    def state(self, document: str, user: str) -> str:
        if not self.is_whole or user == _CURATOR:
            return SUBMITTED
        state = _STATES.get(self.documents.get((document, user), ("", ""))[0], DRAFT)
        return SUBMITTED if state == DRAFT and self.takes_drafts else state


def _documents(files: Files, faults: Faults) -> dict[tuple[str, str], tuple[str, str]]:
    documents: dict[tuple[str, str], tuple[str, str]] = {}
    for file in brought(files):
        if not _is_project(file):
            continue
        its_faults = faults_of(file, files, faults)
        project = whole_json(file, its_faults)
        listed = project.get("annotation_documents") if isinstance(project, dict) else None
        for place, entry in enumerate(listed if isinstance(listed, list) else [], start=1):
            name = scalar_text(entry.get("name")) if isinstance(entry, dict) else None
            user = scalar_text(entry.get("user")) if isinstance(entry, dict) else None
            if not name or not user:
                rule = f"entry {place:,} of annotation_documents has no name or user"
                its_faults.add(0, "annotation_documents", "", "bad_json", rule)
                continue
            state, comment = (
                scalar_text(entry.get("state")) or "",
                scalar_text(entry.get("annotatorComment")) or "",
            )
            documents[name, user] = (state, comment)
    return documents


def _read_document(
    file: InputFile, project: _Project, found: _Answers, left_out: LeftOut, faults: Faults
) -> Iterator[ItemRecord]:
    """One document as one user left it: annotation/<document>/<user>.<extension>."""
    parts = parts_of(file)
    if project.is_whole and not {"annotation", "curation"} & set(parts[:-2]):
        # Sources, logs, and the binary copy of the same annotations.
        return
    if stem(file) == _ORIGINAL:
        return
    if beginning(file, 40).startswith(_TSV):
        _count_tsv(whole_text(file, faults), left_out)
    elif first_bytes(file.source, 4) == b"PK\x03\x04":
        yield from _read_packed(file, project, found, left_out, faults)
    elif json_head(file, "%FEATURE_STRUCTURES") or json_head(file, "%TYPES"):
        yield from _read_cas(file, project, found, left_out, faults)
    elif extension(file) in ("xmi", "xml"):
        left_out["documents in XMI"] += 1
    elif project.is_whole:
        left_out["documents in other formats"] += 1


def _read_packed(
    file: InputFile, project: _Project, found: _Answers, left_out: LeftOut, faults: Faults
) -> Iterator[ItemRecord]:
    """A document that comes zipped with its type system."""
    packed = b""
    for block in file.source():
        packed += block
        if len(packed) > _MAX_UNPACKED:
            raise faults.refuse(0, "", "", "archive", f"must have at most {_MAX_UNPACKED:,} bytes")
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            members = archive.infolist()
            n_bytes = sum(member.file_size for member in members)
            if len(members) > _MAX_MEMBERS or n_bytes > _MAX_UNPACKED:
                rule = (
                    f"the archive in it can have {_MAX_MEMBERS} members and {_MAX_UNPACKED:,} bytes at most"
                )
                raise faults.refuse(0, "", "", "archive", rule)
            for member in members:
                kind = member.filename.rpartition(".")[2].lower()
                if kind == "xmi":
                    left_out["documents in XMI"] += 1
                elif kind in ("json", "tsv"):
                    name = f"{file.name.rpartition('.')[0]}.{kind}"
                    opened = InputFile(name, bytes_of(archive.read(member)))
                    yield from _read_document(opened, project, found, left_out, faults)
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise faults.refuse(0, "", "", "archive", f"the archive can’t be opened: {error}") from None
    except zlib.error:
        raise faults.refuse(0, "", "", "archive", "the archive is damaged; export it again") from None


# UIMA CAS JSON

_DOCUMENT_TYPE = "uima.cas.AnnotationBase"
_IGNORED = re.compile(
    r"uima\.|.*\.(Token|Sentence|DocumentMetaData|TagsetDescription|LayerDefinition|FeatureDefinition)$|"
    r".*\.CASMetadata$"
)
_NUMERIC = {"Byte", "Short", "Integer", "Long", "Float", "Double"}


def _read_cas(
    file: InputFile, project: _Project, found: _Answers, left_out: LeftOut, faults: Faults
) -> Iterator[ItemRecord]:
    cas = whole_json(file, faults)
    structures = _structures(cas, faults)
    parts = parts_of(file)
    user = stem(file)
    document = parts[-2] if len(parts) > 1 else _title(structures) or user
    state = project.state(document, user)
    comment = project.documents.get((document, user), ("", ""))[1]
    for structure in structures.values():
        if structure.get("%TYPE") == "uima.cas.Sofa" and isinstance(structure.get("sofaString"), str):
            yield ItemRecord(1, document, {"text": structure["sofaString"]})
            break
    if project.documents.get((document, user), ("", ""))[0] == "NEW":
        # Not opened: what is in the file was there before.
        return
    types = cas.get("%TYPES")
    types = types if isinstance(types, dict) else {}
    gathered: dict[str, list[str]] = {}
    for structure in structures.values():
        kind = scalar_text(structure.get("%TYPE")) or ""
        if not kind or _IGNORED.match(kind):
            continue
        if any(name in structure for name in ("@Governor", "@Dependent")):
            left_out["relations"] += 1
        elif any(name in structure for name in ("begin", "end", "^begin", "^end")):
            left_out["spans"] += 1
        elif _is_of_document(kind, types):
            _gather(structure, kind, types, structures, gathered, found)
    for question, chosen in gathered.items():
        found.add(_Answer(1, document, user, question, chosen, state, comment))
    found.documents.append((1, document, user, state, comment))


def _structures(cas: Any, faults: Faults) -> dict[str, dict[str, Any]]:
    listed = cas.get("%FEATURE_STRUCTURES", []) if isinstance(cas, dict) else None
    if isinstance(listed, dict):
        listed = [
            {"%ID": key, **entry} if isinstance(entry, dict) else entry for key, entry in listed.items()
        ]
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise faults.refuse(
            1, "%FEATURE_STRUCTURES", "", "bad_json", "must be an array of objects, or an object of objects"
        )
    return {scalar_text(entry.get("%ID")) or f"at {at}": entry for at, entry in enumerate(listed)}


def _title(structures: Mapping[str, dict[str, Any]]) -> str:
    for structure in structures.values():
        if (scalar_text(structure.get("%TYPE")) or "").endswith(".DocumentMetaData"):
            return (
                scalar_text(structure.get("documentTitle")) or scalar_text(structure.get("documentId")) or ""
            )
    return ""


def _is_of_document(kind: str, types: Mapping[str, Any]) -> bool:
    """Whether the type descends from AnnotationBase; a circle of types ends."""
    passed: set[str] = set()
    while kind not in passed:
        if kind == _DOCUMENT_TYPE:
            return True
        passed.add(kind)
        declared = types.get(kind)
        kind = (scalar_text(declared.get("%SUPER_TYPE")) if isinstance(declared, dict) else None) or ""
    return False


def _gather(
    structure: dict[str, Any],
    kind: str,
    types: Mapping[str, Any],
    structures: Mapping[str, dict[str, Any]],
    gathered: dict[str, list[str]],
    found: _Answers,
) -> None:
    """The values of each feature of one unit."""
    declared = types.get(kind)
    features = declared if isinstance(declared, dict) else structure
    for name in features:
        if name.startswith(("%", "@", "^", "#")):
            continue
        feature = features[name] if features is declared else {}
        value_range = (scalar_text(feature.get("%RANGE")) if isinstance(feature, dict) else None) or ""
        chosen = gathered.setdefault(f"{kind}.{name}", [])
        seen = found.questions.setdefault(f"{kind}.{name}", Seen(f"{kind}.{name}"))
        if value_range.endswith(("Array", "[]")):
            seen.is_set = True
        if value_range.rpartition(".")[2] in _NUMERIC:
            found.numbers.add(f"{kind}.{name}")
        chosen.extend(_values(structure, name, structures))


def _values(structure: dict[str, Any], name: str, structures: Mapping[str, dict[str, Any]]) -> list[str]:
    """A value written at its feature (also as a number, #x), or the elements of the array it refers to."""
    written = structure.get(name, structure.get(f"#{name}"))
    if written is None and f"@{name}" in structure:
        referred = structures.get(scalar_text(structure[f"@{name}"]) or "", {})
        written = referred.get("%ELEMENTS")
    values = written if isinstance(written, list) else [written]
    return [text for value in values if (text := scalar_text(value))]


# WebAnno TSV: it has no answers about documents, so its units are counted.

_ESCAPED = re.compile(r"\\.")
_NUMBERED = re.compile(r"\[(\d+)\]$")


def _count_tsv(text: str, left_out: LeftOut) -> None:
    layers: list[tuple[str, int, int]] = []
    column, numbered = 3, set()
    for line in text.split("\n"):
        if found := re.match(r"#T_(SP|CH|RL)=([^\r]*)", line):
            width = max(found[2].count("|"), 1)
            layers.append(("relations" if found[1] == "RL" else "spans", column, width))
            column += width
            continue
        cells = line.split("\t")
        if not re.match(r"\d+-\d+", cells[0]):
            continue
        for what, at, _ in layers:
            cell = _ESCAPED.sub("x", cells[at]) if at < len(cells) else "_"
            for unit in cell.split("|") if cell.strip() not in ("", "_") else ():
                number = _NUMBERED.search(unit)
                if number is None or what == "relations":
                    left_out[what] += 1
                elif (at, number[1]) not in numbered:
                    numbered.add((at, number[1]))
                    left_out[what] += 1


INCEPTION = Format("inception", "INCEpTION", recognizes, read, choices)
