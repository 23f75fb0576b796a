"""Labels and times as a file has them: checked, and what they mean."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.tables.cells import BadCell
from core.tables.jsonlines import PART
from projects.models import Question
from raters.imports.answer_cells import NO_CATEGORY, TimeCells, number_written, set_written
from raters.reading.values import number_of
from reports.agreement.results import IntArray
from reports.analysis.question import Kind

# A label as it is written, and the declared categories if any; raises BadCell.
Check = Callable[[str, Sequence[str]], None]


def check_number(label: str, categories: Sequence[str]) -> None:
    number_written(label, ".")
    if number_of(label) is None:
        raise BadCell("bad_number", "not a number such as 12, -0.5, or 1e3")


def check_set(label: str, categories: Sequence[str]) -> None:
    if label == NO_CATEGORY:
        return
    set_written(label, PART)
    if unknown := [part for part in parts_of(label) if categories and part not in categories]:
        raise BadCell(
            "unknown_category", f"{', '.join(unknown)} is not one of the categories {', '.join(categories)}"
        )


def seconds_of(time: str) -> float:
    """When a label was made, in seconds since 1970. Raises BadCell."""
    if not time:
        raise BadCell("bad_time", "missing time (the file has a column time)")
    return datetime.fromisoformat(TimeCells().written(time)).timestamp()


def parts_of(label: str) -> list[str]:
    """The categories of a set."""
    return [] if label == NO_CATEGORY else label.split(PART)


CHECKS: dict[str, Check] = {Question.Kind.NUMBER: check_number, Question.Kind.MULTIPLE: check_set}


@dataclass(frozen=True, slots=True, eq=False)
class Meant:
    """categories: in order. values: (L,) of the labels, and members, as `QuestionInFile` has them."""

    categories: list[str]
    values: NDArray[Any]
    members: NDArray[np.bool_] | None = None


def categories_meant(written: Sequence[str], codes: IntArray, declared: Sequence[str]) -> Meant:
    """written: the distinct labels; codes: (L,) their positions. declared: the categories, or none to take those that
    occur, in the order of their numbers or of their names.
    """
    if declared:
        return Meant(list(declared), codes)
    used = set(codes.tolist())
    names = [name for place, name in enumerate(written) if place in used]
    is_numeric = all(as_number(name) is not None for name in names)
    names.sort(key=lambda name: (as_number(name) or 0.0, name) if is_numeric else (0.0, name))
    places = {name: place for place, name in enumerate(names)}
    positions = np.array([places.get(name, 0) for name in written], dtype=np.int64)
    return Meant(names, positions[codes] if len(codes) else codes)


def numbers_meant(written: Sequence[str], codes: IntArray, declared: Sequence[str]) -> Meant:
    # Adding 0 makes -0 the same as 0.
    numbers = np.array([float(label) for label in written]) + 0.0
    return Meant([], numbers[codes] if len(codes) else np.empty(0))


def sets_meant(written: Sequence[str], codes: IntArray, declared: Sequence[str]) -> Meant:
    used, values = np.unique(codes, return_inverse=True)
    sets = [parts_of(written[code]) for code in used.tolist()]
    categories = list(declared) or sorted({part for parts in sets for part in parts}, key=natural)
    places = {category: place for place, category in enumerate(categories)}
    chosen = np.zeros((len(sets), len(categories)), dtype=bool)
    for row, parts in enumerate(sets):
        chosen[row, [places[part] for part in parts]] = True
    # Sets that are written in another order are the same.
    members, rows = np.unique(chosen, axis=0, return_inverse=True)
    return Meant(categories, rows.ravel()[values], members)


VALUES: dict[Kind, Callable[[Sequence[str], IntArray, Sequence[str]], Meant]] = {
    Kind.SINGLE: categories_meant,
    Kind.NUMBER: numbers_meant,
    Kind.MULTIPLE: sets_meant,
}


def natural(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts r2 before r10."""
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts if part]


def as_number(name: str) -> float | None:
    """The finite number that a name spells, or None."""
    try:
        number = float(name)
    except ValueError:
        return None
    return number if np.isfinite(number) else None
