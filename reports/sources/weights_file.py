"""Custom weights from a file: the similarity of each pair of categories, from 0 to 1."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports.analysis.options import Matrix, OptionRefused, checked_matrix

# The key of weights for every question in the file of labels.
EVERY = ""
WANTED = "Weights must be rows of numbers from 0 to 1."


@dataclass(frozen=True, slots=True, kw_only=True)
class FileWeights:
    """rows: as in the file. names: of the categories of rows and columns; () if they are in declared order."""

    names: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]

    def fitted(self, question: str, categories: Sequence[str]) -> Matrix:
        """Return the weights in the order of these categories. Raises OptionRefused if they are for others."""
        if not self.names:
            return checked_matrix(question, categories, self.rows)
        if any(len(row) != len(self.names) for row in self.rows):
            raise OptionRefused(
                f"{question}: the weights name {len(self.names)} categories, but a row has a different number of "
                "weights."
            )
        if set(self.names) != set(categories) or len(self.names) != len(categories):
            raise OptionRefused(
                f"{question}: the weights are for {', '.join(self.names)}, but the categories are "
                f"{', '.join(categories)}."
            )
        places = [self.names.index(name) for name in categories]
        rows = [[self.rows[row][column] for column in places] for row in places]
        return checked_matrix(question, categories, rows)


def read_weights(path: Path) -> dict[str, FileWeights]:
    """Read weights by question key, EVERY for all, from JSON, or from CSV with or without category names."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise OptionRefused(f"{path} cannot be read: {error}.") from None
    if text.lstrip()[:1] in {"[", "{"}:
        return _from_json(text)
    return {EVERY: _from_csv(text)}


def fitted_weights(
    weights: Mapping[str, FileWeights], question: str, categories: Sequence[str]
) -> dict[str, Matrix]:
    """Return the weights of one question by its key; {} if the file has none for it."""
    found = weights.get(question) or weights.get(EVERY)
    return {} if found is None else {question: found.fitted(question, categories)}


def _from_json(text: str) -> dict[str, FileWeights]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise OptionRefused(f"The weights are not valid JSON, line {error.lineno}: {error.msg}.") from None
    except (RecursionError, ValueError):
        # Unclosed brackets, or a number with thousands of digits.
        raise OptionRefused(WANTED) from None
    by_key = found if isinstance(found, dict) else {EVERY: found}
    for rows in by_key.values():
        if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
            raise OptionRefused(WANTED)
    return {key: FileWeights(names=(), rows=_numbers(rows)) for key, rows in by_key.items()}


def _from_csv(text: str) -> FileWeights:
    try:
        rows = [row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row)]
    except csv.Error:
        raise OptionRefused(WANTED) from None
    if not rows:
        raise OptionRefused("The weights file is empty.")
    if rows[0][0].strip() and _is_number(rows[0][0]):
        return FileWeights(names=(), rows=_numbers(rows))
    names = tuple(cell.strip() for cell in rows[0][1:])
    if [row[0].strip() for row in rows[1:]] != list(names):
        raise OptionRefused(
            "The rows of the weights file must have the same names as the columns, in the same order."
        )
    return FileWeights(names=names, rows=_numbers([row[1:] for row in rows[1:]]))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(rows: Any) -> tuple[tuple[float, ...], ...]:
    try:
        return tuple(tuple(float(cell) for cell in row) for row in rows)
    except (TypeError, ValueError, OverflowError):
        raise OptionRefused(WANTED) from None
