"""Checks and interpretation of labels and times as written in a file."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.tables.cells import InvalidCell
from raters.imports.answer_cells import TimeCells
from raters.reading.resolved_labels import Meaning
from reports.agreement.results import IntArray
from reports.analysis.question import Kind


def seconds_of(time: str) -> float:
    """Return the time of a label in seconds since 1970. Raises InvalidCell."""
    if not time:
        raise InvalidCell("bad_time", "missing time (the file has a column time)")
    return datetime.fromisoformat(TimeCells().written(time)).timestamp()


@dataclass(frozen=True, slots=True, eq=False)
class ParsedLabels:
    """categories: in order. values, members: as in `FileQuestion`."""

    categories: list[str]
    values: NDArray[Any]
    members: NDArray[np.bool_] | None = None


def parse_categories(meanings: Sequence[Meaning], codes: IntArray, declared: Sequence[str]) -> ParsedLabels:
    """Return the categories and the position of each label. meanings: of the distinct labels; codes: (L,) their
    positions.

    declared: the first categories, in order; others follow in numerical or else alphabetical order.
    """
    written = [meaning[0] if isinstance(meaning, tuple) and meaning else "" for meaning in meanings]
    used = {written[code] for code in set(codes.tolist())} - {*declared}
    is_numeric = all(as_number(name) is not None for name in used)
    others = sorted(used, key=lambda name: (as_number(name) or 0.0, name) if is_numeric else (0.0, name))
    names = [*declared, *others]
    places = {name: place for place, name in enumerate(names)}
    positions = np.array([places.get(name, 0) for name in written], dtype=np.int64)
    return ParsedLabels(names, positions[codes] if len(codes) else codes)


def parse_numbers(meanings: Sequence[Meaning], codes: IntArray, declared: Sequence[str]) -> ParsedLabels:
    numbers = np.array([meaning if isinstance(meaning, float) else 0.0 for meaning in meanings])
    return ParsedLabels([], numbers[codes] if len(codes) else np.empty(0))


def parse_sets(meanings: Sequence[Meaning], codes: IntArray, declared: Sequence[str]) -> ParsedLabels:
    used, values = np.unique(codes, return_inverse=True)
    found = [meanings[code] for code in used.tolist()]
    sets = [meaning if isinstance(meaning, tuple) else () for meaning in found]
    others = {part for parts in sets for part in parts} - {*declared}
    categories = [*declared, *sorted(others, key=natural)]
    places = {category: place for place, category in enumerate(categories)}
    chosen = np.zeros((len(sets), len(categories)), dtype=bool)
    for row, parts in enumerate(sets):
        chosen[row, [places[part] for part in parts]] = True
    # Sets written in a different order are equal.
    members, rows = np.unique(chosen, axis=0, return_inverse=True)
    return ParsedLabels(categories, rows.ravel()[values], members)


VALUES: dict[Kind, Callable[[Sequence[Meaning], IntArray, Sequence[str]], ParsedLabels]] = {
    Kind.SINGLE: parse_categories,
    Kind.NUMBER: parse_numbers,
    Kind.MULTIPLE: parse_sets,
}


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key that puts r2 before r10."""
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts if part]


def as_number(name: str) -> float | None:
    """Return the finite number that a name represents, or None."""
    try:
        number = float(name)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
