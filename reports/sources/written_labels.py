"""Numbers, sets of categories and times as a file has them."""

from collections.abc import Callable, Sequence
from datetime import datetime

from core.tables.cells import BadCell
from core.tables.jsonlines import PART
from projects.models import Question
from raters.imports.answer_cells import NumberCells, SetCells, TimeCells

# The set that holds no category; a cell that is empty is no label.
NO_CATEGORY = "{}"

# A label as it is written, and the declared categories if any; raises BadCell.
Check = Callable[[str, Sequence[str]], None]


def check_number(label: str, categories: Sequence[str]) -> None:
    NumberCells(trim=False).written(label)


def check_set(label: str, categories: Sequence[str]) -> None:
    if label == NO_CATEGORY:
        return
    SetCells(trim=False).written(label)
    if unknown := [part for part in parts_of(label) if categories and part not in categories]:
        raise BadCell(
            "unknown_category", f"{', '.join(unknown)} is not one of the categories {', '.join(categories)}"
        )


def seconds_of(time: str) -> float:
    """When a label was made, in seconds since 1970. Raises BadCell."""
    if not time:
        raise BadCell("bad_time", "missing time (the file has a column time)")
    return datetime.fromisoformat(TimeCells(trim=False).written(time)).timestamp()


def parts_of(label: str) -> list[str]:
    """The categories of a set."""
    return [] if label == NO_CATEGORY else label.split(PART)


CHECKS: dict[str, Check] = {Question.Kind.NUMBER: check_number, Question.Kind.MULTIPLE: check_set}
