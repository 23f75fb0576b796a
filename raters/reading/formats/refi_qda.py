"""REFI-QDA projects of NVivo, ATLAS.ti, MAXQDA, QualCoder, and others: one question per code of whole sources."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from core.tables.encoding import head
from core.tables.faults import Faults
from raters.reading.formats.fields import first_option
from raters.reading.formats.opening import (
    base_name,
    brought,
    faults_of,
    first_characters,
    read_text,
    xml_events,
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

APPLIED, NOT_APPLIED = "applied", "not applied"
_CATEGORIES = ((APPLIED, APPLIED), (NOT_APPLIED, NOT_APPLIED))
_SOURCES = {"TextSource", "PictureSource", "PDFSource", "AudioSource", "VideoSource"}
_UNSEEN = FormatChoice(
    "unseen",
    "Sources that a rater has not coded",
    (
        ("coded", "A rater has seen the sources that they coded anything in"),
        ("all", "Every rater has seen every source"),
        ("none", "Nothing is known: only codes that were applied"),
    ),
)
_NAMED = FormatChoice("item", "Item key", (("name", "Name of the source"), ("guid", "GUID of the source")))


@dataclass(slots=True)
class _Source:
    name: str
    guid: str
    path: str
    raters: set[str] = field(default_factory=set)
    # (code, rater) -> place and time.
    codes: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)


@dataclass(slots=True)
class _Project:
    users: dict[str, str] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    sources: dict[str, _Source] = field(default_factory=dict)
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    n_codings: int = 0


def recognizes(files: Files) -> bool:
    return any(_is_project(file) for file in brought(files))


def _is_project(file: InputFile) -> bool:
    """Return whether this is a project, by its content, since it may not be named project.qde."""
    start = first_characters(file, 4_000)
    return start.lstrip().startswith("<") and "urn:QDA-XML:project" in start


def choices(files: Files) -> Sequence[FormatChoice]:
    return (_UNSEEN, _NAMED)


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    options = choices(files)
    unseen = first_option(options, chosen, "unseen")
    by_guid = first_option(options, chosen, "item") == "guid"
    for file in brought(files):
        if _is_project(file):
            project = _project(file, left_out, faults_of(file, files, faults))
            yield from _records(project, files, unseen, by_guid=by_guid, faults=faults)


def _records(
    project: _Project, files: Files, unseen: str, *, by_guid: bool, faults: Faults
) -> Iterator[Record]:
    names = Counter(source.name for source in project.sources.values())
    keys = {
        guid: guid if by_guid or not source.name else _unique_name(source.name, guid, names)
        for guid, source in project.sources.items()
    }
    users = Counter(project.users.values())
    raters = {guid: _unique_name(name, guid, users) if name else guid for guid, name in project.users.items()}
    codes = {code: project.codes.get(code, code) for s in project.sources.values() for code, _ in s.codes}
    for name in codes.values():
        yield QuestionRecord(1, name, SINGLE, _CATEGORIES)
    everyone = {rater for source in project.sources.values() for rater in source.raters}
    for place, (guid, source) in enumerate(project.sources.items(), start=1):
        yield ItemRecord(
            place, keys[guid], _text(source, files, faults), attributes=project.attributes.get(guid, {})
        )
        who = everyone if unseen == "all" else source.raters
        for rater in sorted(who):
            for code, question in codes.items():
                if (applied := source.codes.get((code, rater))) is None and unseen == "none":
                    continue
                line, at = applied or (place, "")
                value = APPLIED if applied else NOT_APPLIED
                yield LabelRecord(line, keys[guid], raters.get(rater, rater), question, value, at=at)


def _unique_name(name: str, guid: str, names: Counter[str]) -> str:
    return name if names[name] == 1 else f"{name} {guid[:8]}"


def _text(source: _Source, files: Files, faults: Faults) -> dict[str, str]:
    """Return what raters saw, if it is a text in the sources folder."""
    name = source.path.removeprefix("internal://").rpartition("/")[2].lower()
    for file in files:
        if name and base_name(file).lower() == name and head(file.source):
            return {"text": read_text(file, faults_of(file, files, faults))}
    return {}


# Reading the XML


def _project(file: InputFile, left_out: LeftOut, faults: Faults) -> _Project:
    project = _Project()
    parents: list[Element] = []
    codes: list[str] = []
    for event, path, element in xml_events(file, faults, is_done=_is_done):
        name = path[-1]
        if event == "start":
            parents.append(element)
            if name == "Code":
                codes.append(element.get("name", ""))
                # Codes nest: the path is the key.
                project.codes[_guid(element)] = "/".join(codes)
            elif name in _SOURCES and "Sources" in path:
                found = element.get("plainTextPath", "")
                project.sources[_guid(element)] = _Source(element.get("name", ""), _guid(element), found)
            continue
        parents.pop()
        if name == "Code":
            codes.pop()
        elif name == "User":
            project.users[_guid(element)] = element.get("name", "")
        elif name == "Variable":
            project.variables[_guid(element)] = element.get("name", "")
        elif name == "Case":
            _add_case(project, element)
        elif name == "Coding":
            _add_coding(project, path, element, parents, faults)
        elif name.endswith("Selection"):
            # A selection without a code is a memo.
            left_out["selections" if _child(element, "Coding") is not None else "memos"] += 1
    return project


def _is_done(path: list[str]) -> bool:
    return path[-1] in _SOURCES | {"Case", "Code", "User", "Notes"} or path[-1].endswith("Selection")


def _guid(element: Element, name: str = "guid") -> str:
    return element.get(name, "").lower()


def _child(element: Element, name: str) -> Element | None:
    return next((child for child in element if child.tag.rpartition("}")[2] == name), None)


def _add_coding(
    project: _Project, path: list[str], coding: Element, parents: list[Element], faults: Faults
) -> None:
    """Add a code of a whole source. A code of a selection only shows that the rater has seen the source."""
    depth = next((at for at, name in enumerate(path) if name in _SOURCES), None)
    source = project.sources.get(_guid(parents[depth])) if depth is not None else None
    if source is None:
        return
    project.n_codings += 1
    rater = ""
    for element in (coding, parents[-1]):
        rater = rater or _guid(element, "creatingUser") or _guid(element, "modifyingUser")
    source.raters.add(rater)
    if path[-2] not in _SOURCES:
        return
    reference = _child(coding, "CodeRef")
    code = _guid(reference, "targetGUID") if reference is not None else ""
    if code not in project.codes:
        rule = f"coding {project.n_codings:,} refers to a code that is not in the codebook"
        faults.add(0, "CodeRef", code, "unknown_code", rule)
        return
    at = coding.get("creationDateTime", "")
    source.codes[code, rater] = (project.n_codings, at)


def _add_case(project: _Project, case: Element) -> None:
    """Add the variables of a case as attributes of its sources."""
    values: dict[str, str] = {}
    targets: list[str] = []
    for child in case:
        kind = child.tag.rpartition("}")[2]
        if kind == "SourceRef":
            targets.append(_guid(child, "targetGUID"))
        elif kind == "VariableValue":
            reference = _child(child, "VariableRef")
            name = project.variables.get(_guid(reference, "targetGUID")) if reference is not None else None
            value = next((other.text for other in child if other is not reference and other.text), None)
            if name and value:
                values[name] = value.strip()
    for target in targets:
        project.attributes.setdefault(target, {}).update(values)


REFI_QDA = Format("refi_qda", "REFI-QDA", recognizes, read, choices)
