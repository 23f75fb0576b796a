"""Rules for every row of a project file: its columns, its values, and the rows it refers to."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.tables.faults import shown
from raters.archive.contents import BY_MODEL, Model, Row, kinds_in
from raters.archive.single_values import BadValue, Check
from raters.models import User


@dataclass(frozen=True, slots=True)
class InvalidRow(Exception):
    column: str
    rule: str


def check_columns(row: Any, expected: set[str]) -> None:
    if not isinstance(row, dict):
        raise InvalidRow("", "must be an object, as in {…}")
    if missing := expected - row.keys():
        raise InvalidRow(min(missing), "is missing")
    if unknown := row.keys() - expected:
        raise InvalidRow(shown(min(unknown)), "is not a column of this file")


def check_values(row: Row, checks: Mapping[str, Check]) -> None:
    for name, check in checks.items():
        try:
            check(row[name])
        except BadValue as bad:
            raise InvalidRow(name, f"{bad}, got {shown(json.dumps(row[name], ensure_ascii=False))}") from None


class RowReferences:
    """Rows refer to others by place. n: the rows of each table; n_gone: the rows that appear only in the history."""

    def __init__(self, manifest: Row) -> None:
        self.people: list[Row] = []
        self.n: dict[Model, int] = {
            kind.model: manifest["files"][kind.file_name]["n"] for kind in kinds_in(manifest)
        }
        self.n_gone: dict[Model, int] = dict.fromkeys(self.n, 0)

    def refer(self, place: Any, column: str, model: Model, *, may_be_gone: bool) -> None:
        if type(place) is not int:
            raise InvalidRow(column, f"must be a row number, from 0, got {shown(json.dumps(place))}")
        if model is User:
            if not 0 <= place < len(self.people):
                raise InvalidRow(column, f"refers to person {place}, but there are only {len(self.people)}")
            if not may_be_gone and not self.people[place]["username"]:
                raise InvalidRow(column, "refers to a person without a username")
            return
        if place < 0 and may_be_gone:
            self._meet_gone(-place - 1, column, model)
        elif not 0 <= place < self.n[model]:
            file = BY_MODEL[model].file_name
            raise InvalidRow(
                column, f"refers to row {place} of {file}, which has {self.n[model]:,} rows (from 0)"
            )

    def _meet_gone(self, place: int, column: str, model: Model) -> None:
        """Number rows that appear only in the history in the order they are encountered."""
        if place > self.n_gone[model]:
            raise InvalidRow(column, f"refers to deleted row {-place - 1} before {-self.n_gone[model] - 1}")
        self.n_gone[model] = max(self.n_gone[model], place + 1)

    def refer_to_set(self, places: Any, column: str, model: Model, *, may_be_gone: bool) -> None:
        if places is None:
            return
        if not isinstance(places, list):
            raise InvalidRow(column, "must be a list of row numbers, or null")
        for place in places:
            self.refer(place, column, model, may_be_gone=may_be_gone)
        present = [place for place in places if place >= 0]
        if present != sorted(set(present)):
            raise InvalidRow(column, "must name each category once, in ascending order")
