"""A confusion matrix typed into a form, and the file of labels that it represents."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.numbers import whole_number
from core.web.strict import CONTROL
from projects.models import Question
from raters.imports.file_interpretation import DEFAULT_QUESTION, TABLE
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.reading.columns import LABEL, WIDE, Column
from raters.reading.values import CATEGORY, ValueMeaning
from reports.pages.calculator.embedded_file import EmbeddedFile

FEWEST, MOST = 2, 10
MAX_ITEMS = 20_000
MAX_NAME = 60


@dataclass(slots=True)
class TypedMatrix:
    """data: the submitted form, None for an empty one. errors: one sentence each."""

    data: Mapping[str, str] | None = None
    errors: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        return whole_number((self.data or {}).get("size", ""), least=FEWEST, most=MOST) or FEWEST

    def sizes(self) -> list[tuple[int, bool]]:
        return [(n, n == self.size) for n in range(FEWEST, MOST + 1)]

    def levels(self) -> list[tuple[str, str, bool]]:
        return [(value, title, value == self.level) for value, title in Question.Level.choices]

    @property
    def level(self) -> str:
        sent = (self.data or {}).get("level", "")
        return sent if sent in Question.Level.values else Question.Level.NOMINAL

    @property
    def rater_a(self) -> str:
        return self._sent("rater_a", "Rater A")

    @property
    def rater_b(self) -> str:
        return self._sent("rater_b", "Rater B")

    def names(self) -> list[str]:
        return [self._sent(f"name-{place}", f"{place + 1}") for place in range(self.size)]

    def rows(self) -> list[tuple[int, str, list[tuple[int, str, str]]]]:
        """Return the position, name, and cells of each category; a cell has its position, column name, and the typed
        text.
        """
        names = self.names()
        return [
            (row, name, [(at, other, self._sent(f"n-{row}-{at}")) for at, other in enumerate(names)])
            for row, name in enumerate(names)
        ]

    def _sent(self, name: str, default: str = "") -> str:
        return (self.data or {}).get(name, default).strip()

    def file(self) -> EmbeddedFile | None:
        """Return a file with a label of each rater for each counted item; None, with errors, if the matrix is
        incomplete.
        """
        counts = self._counts()
        names, raters = self.names(), (self.rater_a, self.rater_b)
        self._refuse_names(names, "categories")
        self._refuse_names(raters, "raters")
        total = sum(sum(row) for row in counts)
        if not self.errors and not total:
            self.errors.append("Enter how many items the raters put into each pair of categories.")
        if total > MAX_ITEMS:
            self.errors.append(f"The counts add up to {total:,} items; at most {MAX_ITEMS:,} are allowed.")
        return None if self.errors else self._written(names, raters, counts)

    def _counts(self) -> list[list[int]]:
        counts = []
        for row, name, cells in self.rows():
            found = [
                0 if not typed else whole_number(typed, least=0, most=MAX_ITEMS) for _, _, typed in cells
            ]
            if None in found:
                at = found.index(None)
                self.errors.append(
                    f"“{cells[at][2][:20]}” in row {name or row + 1}, column {cells[at][1] or at + 1}, is not a "
                    f"whole number from 0 to {MAX_ITEMS:,}."
                )
            counts.append([n or 0 for n in found])
        return counts

    def _refuse_names(self, names: list[str] | tuple[str, ...], what: str) -> None:
        if "" in names:
            self.errors.append(f"Name all {what}.")
        elif len(set(names)) < len(names):
            self.errors.append(f"Give the {what} different names.")
        if any(len(name) > MAX_NAME or CONTROL.search(name) for name in names):
            self.errors.append(f"Names of {what} can have up to {MAX_NAME} characters, without line breaks.")

    def _written(self, names: list[str], raters: tuple[str, str], counts: list[list[int]]) -> EmbeddedFile:
        item = next(name for name in ("item", "item number", "number of item") if name not in raters)
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow((item, *raters))
        n = 0
        for first, row in zip(names, counts, strict=True):
            for second, times in zip(names, row, strict=True):
                writer.writerows((n + each, first, second) for each in range(1, times + 1))
                n += times
        options = LabelOptions(
            format=TABLE,
            encoding="utf-8",
            separator="comma",
            header_line="1",
            layout=WIDE,
            decimal=".",
            columns={item: Column("item"), **{name: Column(LABEL, rater=name) for name in raters}},
            question=DEFAULT_QUESTION,
            questions={
                DEFAULT_QUESTION: QuestionOptions(
                    kind=Question.Kind.SINGLE,
                    level=self.level,
                    # Allows names of categories that would mean a missing value elsewhere.
                    values={name: ValueMeaning(CATEGORY, name) for name in names},
                    order=tuple(names),
                    categories=tuple(names),
                )
            },
        )
        return EmbeddedFile("confusion-matrix.csv", text.getvalue().encode(), options, tuple(names))
