"""Raters' attributes from a table with the column `rater` and one column per attribute."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from django.db import transaction

from core.keys import MAX_KEY
from core.shapes import Json
from core.tables.encoding import Source
from core.tables.faults import Faults, FileRefused
from core.tables.table import Table, open_any
from projects.attributes import MAX_ATTRIBUTES, check_attributes, in_words
from projects.models import Project
from raters.linking.actions import describe, raters_of
from raters.models import Rater

RATER = "rater"
# The prefix that item files use for attributes.
PREFIX = "attribute:"
MAX_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class AttributeChange:
    rater: str
    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class AttributesPreview:
    """raters: each with its new attributes. text: the table as read, as CSV."""

    raters: list[tuple[Rater, Json]]
    text: str

    @property
    def changes(self) -> list[AttributeChange]:
        return [
            AttributeChange(rater.key, name, _words(rater.attributes, name), in_words(value))
            for rater, attributes in self.raters
            for name, value in attributes.items()
            if name not in rater.attributes or rater.attributes[name] != value
        ]


def _words(attributes: Mapping[str, Any], name: str) -> str:
    return in_words(attributes[name]) if name in attributes else ""


def read_attributes(project: Project, source: Source) -> AttributesPreview:
    """Read the table. Raises FileRefused with all problems, by line and column."""
    faults = Faults()
    table = open_any(source, faults, max_rows=MAX_ROWS, is_strict=True)
    names = _names(table, faults)
    rows = [(line, [cell.strip() for cell in cells]) for line, cells in table.rows]
    known = {rater.key: rater for rater in raters_of(project)}
    at, lines = table.columns.index(RATER), dict[str, int]()
    found = []
    for line, cells in rows:
        if (rater := _rater(line, cells[at], known, lines, faults)) is None:
            continue
        given = {
            name: cell
            for place, (name, cell) in enumerate(zip(names, cells, strict=True))
            if place != at and cell
        }
        attributes = _with_types(rater.attributes, given)
        _check(line, attributes, given, faults)
        found.append((rater, attributes))
    if faults:
        raise FileRefused(faults)
    text = io.StringIO(newline="")
    csv.writer(text).writerows([table.columns, *(cells for _, cells in rows)])
    return AttributesPreview(found, text.getvalue())


def _names(table: Table, faults: Faults) -> list[str]:
    """Return the attribute names by column. Raises FileRefused without a rater column, or without any other."""
    if RATER not in table.columns:
        near = next((name for name in table.columns if name.strip().casefold() == RATER), "")
        hint = f'; rename "{near}" to "{RATER}"' if near else ""
        raise faults.refuse(1, RATER, "", "missing_column", f'the file has no column "{RATER}"{hint}')
    names = [column.strip().removeprefix(PREFIX).strip() for column in table.columns]
    if len(names) < 2:
        raise faults.refuse(
            1, "", "", "missing_column", "the file has no column for an attribute, such as language"
        )
    for column, name in zip(table.columns, names, strict=True):
        if not name or len(name) > MAX_KEY:
            faults.add(1, column, "", "bad_column", f"an attribute name must have 1 to {MAX_KEY} characters")
        elif names.count(name) > 1:
            faults.add(1, column, "", "bad_column", f"there are two columns for {name}")
    if faults:
        raise FileRefused(faults)
    return names


def _rater(
    line: int, key: str, known: Mapping[str, Rater], lines: dict[str, int], faults: Faults
) -> Rater | None:
    if key in lines:
        faults.add(line, RATER, key, "twice", f"already on line {lines[key]:,}")
        return None
    lines[key] = line
    if key not in known:
        near = get_close_matches(key, known, n=1)
        hint = f"; did you mean “{near[0]}”?" if near else "; raters come with labels, and need at least one"
        faults.add(line, RATER, key, "unknown_rater", f"there is no such rater in the project{hint}")
        return None
    return known[key]


def _with_types(before: Mapping[str, Any], given: Mapping[str, str]) -> Json:
    """Return the rater's attributes updated from the file; a value with the same text keeps its type."""
    changed = {name: text for name, text in given.items() if _words(before, name) != text}
    return {**before, **changed}


def _check(line: int, attributes: Mapping[str, Any], given: Mapping[str, str], faults: Faults) -> None:
    if len(attributes) > MAX_ATTRIBUTES:
        faults.add(line, "", "", "too_many", f"a rater has at most {MAX_ATTRIBUTES} attributes")
        return
    for name, text in given.items():
        try:
            check_attributes({name: text})
        except ValueError as error:
            faults.add(line, name, text, "bad_value", str(error))


@transaction.atomic
def describe_all(project: Project, source: Source, *, by: Any) -> int:
    """Give the raters in a table its attributes; return how many raters changed. Raises FileRefused."""
    # Serialize concurrent requests.
    list(Rater.objects.filter(project=project).order_by("pk").select_for_update().values_list("pk"))
    changed = [
        (rater, attributes)
        for rater, attributes in read_attributes(project, source).raters
        if attributes != rater.attributes
    ]
    for rater, attributes in changed:
        describe(rater, attributes, by=by)
    return len(changed)
