"""INCEpTION: the units of one document in UIMA CAS JSON, XMI, or WebAnno TSV."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.shapes import Json
from core.tables.faults import Faults
from raters.reading.formats.answers import AnswerStatistics
from raters.reading.formats.fields import scalar_text
from raters.reading.formats.inception_answers import DocumentAnswer, DocumentAnswers
from raters.reading.formats.inception_projects import ExportedProject
from raters.reading.formats.json_records import read_json
from raters.reading.formats.opening import (
    parts_of,
    stem,
)
from raters.reading.records import (
    InputFile,
    ItemRecord,
    LeftOut,
)

_DOCUMENT_TYPE = "uima.cas.AnnotationBase"
_IGNORED = re.compile(
    r"uima\.|.*\.(Token|Sentence|DocumentMetaData|TagsetDescription|LayerDefinition|FeatureDefinition)$|"
    r".*\.CASMetadata$"
)
_NUMERIC = {"Byte", "Short", "Integer", "Long", "Float", "Double"}


def read_cas(
    file: InputFile, project: ExportedProject, found: DocumentAnswers, left_out: LeftOut, faults: Faults
) -> Iterator[ItemRecord]:
    yield from read_structures(read_json(file, faults), file, project, found, left_out, faults)


def read_structures(
    cas: Any,
    file: InputFile,
    project: ExportedProject,
    found: DocumentAnswers,
    left_out: LeftOut,
    faults: Faults,
) -> Iterator[ItemRecord]:
    """Read document-level answers. cas: the content of UIMA CAS JSON, from whatever source."""
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
        # Not opened: the annotations were there before.
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
        found.add(DocumentAnswer(1, document, user, question, chosen, state, comment))
    found.documents.append((1, document, user, state, comment))


def _structures(cas: Any, faults: Faults) -> dict[str, Json]:
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


def _title(structures: Mapping[str, Json]) -> str:
    for structure in structures.values():
        if (scalar_text(structure.get("%TYPE")) or "").endswith(".DocumentMetaData"):
            return (
                scalar_text(structure.get("documentTitle")) or scalar_text(structure.get("documentId")) or ""
            )
    return ""


def _is_of_document(kind: str, types: Mapping[str, Any]) -> bool:
    """Return whether the type descends from AnnotationBase. Cycles are handled."""
    passed: set[str] = set()
    while kind not in passed:
        if kind == _DOCUMENT_TYPE:
            return True
        passed.add(kind)
        declared = types.get(kind)
        kind = (scalar_text(declared.get("%SUPER_TYPE")) if isinstance(declared, dict) else None) or ""
    return False


def _gather(
    structure: Json,
    kind: str,
    types: Mapping[str, Any],
    structures: Mapping[str, Json],
    gathered: dict[str, list[str]],
    found: DocumentAnswers,
) -> None:
    """Collect the values of each feature of one unit."""
    declared = types.get(kind)
    features = declared if isinstance(declared, dict) else structure
    for name in features:
        if name.startswith(("%", "@", "^", "#")):
            continue
        feature = features[name] if features is declared else {}
        value_range = (scalar_text(feature.get("%RANGE")) if isinstance(feature, dict) else None) or ""
        chosen = gathered.setdefault(f"{kind}.{name}", [])
        seen = found.questions.setdefault(f"{kind}.{name}", AnswerStatistics(f"{kind}.{name}"))
        if value_range.endswith(("Array", "[]")):
            seen.is_set = True
        if value_range.rpartition(".")[2] in _NUMERIC:
            found.numbers.add(f"{kind}.{name}")
        chosen.extend(_values(structure, name, structures))


def _values(structure: Json, name: str, structures: Mapping[str, Json]) -> list[str]:
    """Return the value of a feature (also a number, #x), or the elements of the array it refers to."""
    written = structure.get(name, structure.get(f"#{name}"))
    if written is None and f"@{name}" in structure:
        referred = structures.get(scalar_text(structure[f"@{name}"]) or "", {})
        written = referred.get("%ELEMENTS")
    values = written if isinstance(written, list) else [written]
    return [text for value in values if (text := scalar_text(value))]


# WebAnno TSV has no document-level answers, so its units are only counted.

_ESCAPED = re.compile(r"\\.")
_NUMBERED = re.compile(r"\[(\d+)\]$")


def count_tsv(text: str, left_out: LeftOut) -> None:
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
