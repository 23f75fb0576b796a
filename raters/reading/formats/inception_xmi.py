"""INCEpTION: convert XMI documents and their type systems to the structures of UIMA CAS JSON."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element

from core.shapes import Json
from core.tables.encoding import Source
from core.tables.faults import Faults
from raters.reading.formats.opening import first_characters, xml_events
from raters.reading.records import InputFile

# CAS JSON by type name.
Types = dict[str, Json]

_XMI = "http://www.omg.org/XMI"
_TYPE_SYSTEM = "uima.apache.org/resourceSpecifier"
_ID, _SOFA = f"{{{_XMI}}}id", "sofa"
# XML 1.1 only differs in characters that no document has; the parser only supports 1.0.
_VERSION = re.compile(rb"""^((?:\xef\xbb\xbf)?<\?xml\s+version=["'])1\.1""")
_ARRAY = ("Array", "List", "[]")
_STRING_ARRAY = "uima.cas.StringArray"
_RELATED = {"Governor", "Dependent"}
MAX_STRUCTURES = 2_000_000


def is_xmi(file: InputFile) -> bool:
    return _XMI in _start(file) and re.search(r"<\w+:XMI[\s>]", _start(file)) is not None


def is_type_system(file: InputFile) -> bool:
    return _TYPE_SYSTEM in _start(file) and "typeSystemDescription" in _start(file)


def _start(file: InputFile) -> str:
    """Return the beginning of an XML file; "" for other files, since archives may contain plain documents."""
    start = first_characters(file, 16_000)
    return start if start.lstrip("\ufeff \t\r\n").startswith("<") else ""


def types_in(files: Sequence[InputFile], faults: Faults) -> Types:
    """Return the types declared by the type systems among these files."""
    found: Types = {}
    for file in files:
        if is_type_system(file):
            found.update(_types(file, faults))
    return found


def _types(file: InputFile, faults: Faults) -> Iterator[tuple[str, Json]]:
    for event, path, element in xml_events(_readable(file), faults, is_done=_is_type):
        if event == "end" and _is_type(path):
            name = _text(element, "name")
            declared: Json = {"%NAME": name, "%SUPER_TYPE": _text(element, "supertypeName")}
            for feature in element.iter():
                if _local(feature) == "featureDescription":
                    declared[_text(feature, "name")] = {"%RANGE": _text(feature, "rangeTypeName")}
            if name:
                yield name, declared


def _is_type(path: Sequence[str]) -> bool:
    return path[-1] == "typeDescription"


def _text(element: Element, name: str) -> str:
    child = next((each for each in element if _local(each) == name), None)
    return (child.text or "").strip() if child is not None else ""


def _local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def xmi_as_cas(file: InputFile, types: Types, faults: Faults) -> Json:
    """Return %TYPES and %FEATURE_STRUCTURES for `inception_cas.read_structures`.

    Structures with a sofa but no declared type are treated as annotations, which distinguishes document-level answers
    from other structures if there is no type system.
    """
    structures: list[Json] = []
    known = dict(types)
    for event, path, element in xml_events(_readable(file), faults, is_done=_is_structure):
        if event != "end" or not _is_structure(path):
            continue
        if len(structures) == MAX_STRUCTURES:
            rule = f"a document can have at most {MAX_STRUCTURES:,} annotations"
            raise faults.refuse(0, "", "", "too_long", rule)
        kind = _type_name(str(element.tag))
        if kind not in known and _SOFA in element.attrib:
            known[kind] = {"%NAME": kind, "%SUPER_TYPE": "uima.cas.AnnotationBase"}
        structures.append(_structure(element, kind, known))
    if not structures:
        raise faults.refuse(1, "", "", "bad_xml", "there is no UIMA document in this XMI; export it again")
    arrays = {each["%ID"] for each in structures if each["%TYPE"] == _STRING_ARRAY}
    for each in structures:
        _refer(each, known.get(each["%TYPE"], {}), arrays)
    # Types without declared features get the features that occur.
    declared = {
        name: each if len(each) > 2 else _as_written(each, structures) for name, each in known.items()
    }
    return {"%TYPES": declared, "%FEATURE_STRUCTURES": structures}


def _is_structure(path: Sequence[str]) -> bool:
    return len(path) == 2 and path[0] == "XMI"


def _type_name(tag: str) -> str:
    """Convert the namespace http:///webanno/custom.ecore and the name Doc to webanno.custom.Doc."""
    namespace, _, name = tag.removeprefix("{").rpartition("}")
    package = namespace.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
    return f"{package}.{name}" if package and package != "uima.noNamespace" else name


def _structure(element: Element, kind: str, types: Mapping[str, Any]) -> Json:
    found: Json = {"%ID": element.get(_ID, ""), "%TYPE": kind}
    for name, value in element.attrib.items():
        if name in (_ID, _SOFA) or name.startswith("{"):
            continue
        if name in _RELATED:
            found[f"@{name}"] = value
        elif _range(types, kind, name).endswith(_ARRAY) and name != "elements":
            # Arrays of numbers, and references to arrays, are one attribute separated by spaces.
            found[name] = value.split()
        else:
            found[name] = value
    for child in element:
        # Each text of an array is an element.
        found.setdefault(_local(child), [])
        if isinstance(found[_local(child)], list):
            found[_local(child)].append(child.text or "")
    if kind == _STRING_ARRAY:
        found["%ELEMENTS"] = found.pop("elements", [])
    return found


def _refer(structure: Json, declared: Mapping[str, Any], arrays: set[str]) -> None:
    """Convert features that hold the ID of a separate array of texts to references."""
    for name in [name for name in structure if not name.startswith(("%", "@"))]:
        value = structure[name]
        one = value[0] if isinstance(value, list) and len(value) == 1 else value
        feature = declared.get(name)
        is_text = isinstance(feature, dict) and feature.get("%RANGE") == "uima.cas.String"
        if isinstance(one, str) and one in arrays and not is_text:
            del structure[name]
            structure[f"@{name}"] = one


def _range(types: Mapping[str, Any], kind: str, name: str) -> str:
    """Return the range of a feature declared by a type or its ancestors; "" if unknown."""
    passed: set[str] = set()
    while kind in types and kind not in passed:
        passed.add(kind)
        feature = types[kind].get(name)
        if isinstance(feature, dict):
            return str(feature.get("%RANGE", ""))
        kind = types[kind].get("%SUPER_TYPE", "")
    return ""


def _as_written(declared: Json, structures: Sequence[Json]) -> Json:
    written = declared.copy()
    for each in structures:
        if each["%TYPE"] == declared["%NAME"]:
            for name, value in each.items():
                if name.startswith("%") or name in ("begin", "end"):
                    continue
                is_array = isinstance(value, list) or name.startswith("@")
                feature = {"%RANGE": _STRING_ARRAY if is_array else "uima.cas.String"}
                written.setdefault(name.removeprefix("@"), feature)
    return written


def _readable(file: InputFile) -> InputFile:
    return replace(file, source=_as_xml_1_0(file.source))


def _as_xml_1_0(source: Source) -> Source:
    def blocks() -> Iterator[bytes]:
        found = source()
        yield _VERSION.sub(rb"\g<1>1.0", next(found, b""))
        yield from found

    return blocks
