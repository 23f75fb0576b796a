"""Label Studio: the labeling configuration, if its XML is supplied with an export."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from core.tables.faults import Faults
from raters.reading.formats.opening import faults_of, first_bytes, first_characters, xml_events
from raters.reading.records import MULTIPLE, SINGLE, Files, InputFile

_CONTROLS = {
    "Choices": "choices",
    "Taxonomy": "taxonomy",
    "Rating": "rating",
    "Number": "number",
    "Pairwise": "pairwise",
}
MAX_CONFIG = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Control:
    """A question in the configuration. kind: "" if not declared. categories: (key, title), in order."""

    type: str
    kind: str = ""
    categories: Sequence[tuple[str, str]] = ()


def is_config(file: InputFile) -> bool:
    """Return whether the file is an XML document with a View, the root of every configuration."""
    start = first_characters(file).lstrip()
    return start.startswith("<") and "<View" in start


def exports(files: Files) -> list[InputFile]:
    """Return the files other than configurations."""
    return [file for file in files if not is_config(file)]


def controls_in(files: Files, faults: Faults) -> dict[str, Control]:
    """Return item-level questions by name; empty without a configuration."""
    found: dict[str, Control] = {}
    for file in files:
        if not is_config(file):
            continue
        its_faults = faults_of(file, files, faults)
        if len(first_bytes(file.source, MAX_CONFIG + 1)) > MAX_CONFIG:
            rule = f"a labeling configuration can have at most {MAX_CONFIG:,} bytes"
            raise its_faults.refuse(0, "", "", "too_long", rule)
        for event, path, element in xml_events(file, its_faults, is_done=lambda _: False):
            name = element.get("name", "")
            if event == "end" and path[-1] in _CONTROLS and name and element.get("perRegion") != "true":
                found[name] = _control(path[-1], element)
    return found


def _control(tag: str, element: Element) -> Control:
    if tag == "Choices":
        several = element.get("choice") == "multiple"
        keys = [(_written(choice), choice.get("value", "")) for choice in element.iter("Choice")]
        return Control("choices", MULTIPLE if several else SINGLE, _unique_keys(keys))
    if tag == "Taxonomy":
        return Control("taxonomy", MULTIPLE, _unique_keys(_paths(element, "")))
    if tag == "Pairwise":
        return Control("pairwise", SINGLE, (("left", "left"), ("right", "right")))
    return Control(_CONTROLS[tag])


def _written(choice: Element) -> str:
    """Return the exported value of a choice: its alias, if it has one."""
    return choice.get("alias", "") or choice.get("value", "")


def _paths(parent: Element, before: str) -> list[tuple[str, str]]:
    found = []
    for choice in parent.findall("Choice"):
        key = before + _written(choice)
        found += [(key, key), *_paths(choice, f"{key}/")]
    return found


def _unique_keys(keys: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    by_key: Mapping[str, str] = {key: title for key, title in keys if key}
    return tuple(by_key.items())
