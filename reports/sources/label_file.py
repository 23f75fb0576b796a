"""The labels of a file, by question, without a project or a database."""

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.tables.cells import BadCell, Cells
from core.tables.encoding import AUTO, Source
from core.tables.faults import Faults, FileRefused
from core.tables.table import Table, open_table
from projects.models import Question
from reports.agreement.results import FloatArray, IntArray
from reports.analysis.labels import IdArray, LabelColumns, of_raters
from reports.analysis.question import Kind
from reports.sources.written_labels import CHECKS, VALUES, natural, seconds_of

MAX_ROWS = 20_000_000
# The name of the question of a file that has no column for it.
ONLY_QUESTION = "label"


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How to read a file; categories are the declared ones, or none to take them from the labels.

    kind: of the questions, one of `Question.Kind`: whether a label is a category, a number, or several categories.
    has_times: whether a column time, if there is one, says when each label was made.
    """

    is_wide: bool = False
    trim: bool = False
    encoding: str = AUTO
    separator: str = AUTO
    questions: Collection[str] = ()
    categories: Sequence[str] = ()
    ignored: Collection[str] = ()
    kind: str = Question.Kind.SINGLE
    has_times: bool = False


@dataclass(slots=True)
class _Labels:
    """The labels of one question while they are read: positions of names in order of first sight."""

    items: array = field(default_factory=lambda: array("q"))
    raters: array = field(default_factory=lambda: array("q"))
    codes: array = field(default_factory=lambda: array("q"))
    times: array = field(default_factory=lambda: array("d"))
    seen: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Names:
    """The position of each name, in order of first sight."""

    places: dict[str, int] = field(default_factory=dict)

    def place(self, name: str) -> int:
        return self.places.setdefault(name, len(self.places))

    def sorted_places(self, used: Collection[int]) -> tuple[list[str], np.ndarray]:
        """The used names in natural order, and for each place its position in it (-1 if unused)."""
        names = sorted((name for name, place in self.places.items() if place in used), key=natural)
        positions = np.full(len(self.places), -1, dtype=np.int64)
        positions[[self.places[name] for name in names]] = np.arange(len(names))
        return names, positions

    def order_of(self, names: Sequence[str]) -> IntArray:
        """(N,) which of the names was seen first, second and so on."""
        return np.argsort([self.places[name] for name in names]).astype(np.int64)


# Line, item, rater, question, label, the column of the label, and the time if it has one.
Cell = tuple[int, str, str, str, str, str, str | None]


@dataclass(frozen=True, slots=True, eq=False)
class QuestionInFile:
    """The labels of one question.

    items, raters, categories: names, the first two in natural order. rows, columns: (L,) the positions in `items` and
    `raters` of each label. values: (L,) positions in `categories`, numbers, or rows of `members`, (S, K) bool, which of
    the categories a set has. order: (N,) the items as the file has them, one after another. times: (L,) in seconds
    since 1970, or empty.
    """

    key: str
    categories: list[str]
    items: list[str]
    raters: list[str]
    rows: IdArray
    columns: IdArray
    values: NDArray[Any]
    members: NDArray[np.bool_] | None
    order: IntArray
    times: FloatArray

    def label_columns(self, raters: Sequence[int] | None = None) -> LabelColumns:
        """The labels, or those of some raters, by positions of items and raters."""
        nothing = np.zeros(len(self.rows), dtype=np.int64)
        found = LabelColumns(self.rows, self.columns, self.values, nothing, nothing, nothing, self.members)
        return found if raters is None else of_raters(found, raters)


def read_label_file(source: Source, options: FileOptions) -> list[QuestionInFile]:
    """The questions of a file in order of first sight. Raises FileRefused, with every fault, if it has any."""
    reader, keys = _read(source, options)
    return [reader.question(key) for key in keys]


def _read(source: Source, options: FileOptions) -> tuple["_FileReader", list[str]]:
    faults = Faults()
    table = open_table(
        source, faults, encoding=options.encoding, separator=options.separator, max_rows=MAX_ROWS
    )
    reader = _FileReader(options, faults)
    cells = _wide_cells(table, options, faults) if options.is_wide else _long_cells(table, options, faults)
    for cell in cells:
        reader.take(*cell)
    for key in options.questions:
        if key not in reader.labels:
            faults.add(0, "question", key, "unknown_question", "the file has no such question")
    if faults:
        raise FileRefused(faults)
    return reader, [key for key in reader.labels if not options.questions or key in options.questions]


class _FileReader:
    def __init__(self, options: FileOptions, faults: Faults) -> None:
        self.labels: dict[str, _Labels] = {}
        self._options = options
        self._faults = faults
        self._items, self._raters = _Names(), _Names()
        self._check = CHECKS.get(options.kind)
        declared = () if self._check else options.categories
        self._categories = {name: place for place, name in enumerate(declared)}
        self._names = Cells(trim=options.trim)
        self._answers = Cells(trim=options.trim, may_be_empty=True)

    def take(
        self, line: int, item: str, rater: str, question: str, label: str, column: str, time: str | None
    ) -> None:
        """One cell of the file; an empty label is none. time: None in a file without times."""
        item_name = self._checked(self._names, item, line, "item")
        rater_name = self._checked(self._names, rater, line, "rater")
        question_name = self._checked(self._names, question, line, "question")
        label_name = self._checked(self._answers, label, line, column)
        if not (item_name and rater_name and question_name):
            return
        labels = self.labels.setdefault(question_name, _Labels())
        if not label_name or (self._options.questions and question_name not in self._options.questions):
            return
        code = self._code(label_name, line, column)
        place = self._items.place(item_name), self._raters.place(rater_name)
        first = labels.seen.setdefault(place[0] << 32 | place[1], line)
        if first != line:
            rule = f"{rater_name} already labeled {item_name} in line {first:,}"
            self._faults.add(line, column, label_name, "duplicate_label", rule)
            return
        labels.items.append(place[0])
        labels.raters.append(place[1])
        labels.codes.append(code)
        if time is not None:
            labels.times.append(self._seconds(time, line))

    def question(self, key: str) -> QuestionInFile:
        labels = self.labels[key]
        items, rows = self._items.sorted_places(set(labels.items))
        raters, columns = self._raters.sorted_places(set(labels.raters))
        codes = np.asarray(labels.codes, dtype=np.int64)
        written = VALUES[Kind(self._options.kind)](list(self._categories), codes, self._options.categories)
        return QuestionInFile(
            key,
            written.categories,
            items,
            raters,
            rows[np.asarray(labels.items, dtype=np.int64)],
            columns[np.asarray(labels.raters, dtype=np.int64)],
            written.values,
            written.members,
            self._items.order_of(items),
            np.asarray(labels.times, dtype=np.float64),
        )

    def _code(self, label: str, line: int, column: str) -> int:
        if self._check:
            return self._checked_code(label, line, column)
        if not self._options.categories:
            return self._categories.setdefault(label, len(self._categories))
        if label not in self._categories:
            rule = f"not one of the categories {', '.join(self._options.categories)}"
            self._faults.add(line, column, label, "unknown_category", rule)
        return self._categories.get(label, 0)

    def _checked_code(self, label: str, line: int, column: str) -> int:
        """That of a number or a set; one that was checked before is known."""
        if label not in self._categories and self._check:
            try:
                self._check(label, self._options.categories)
            except BadCell as bad:
                self._faults.add(line, column, label, bad.code, bad.rule)
        return self._categories.setdefault(label, len(self._categories))

    def _seconds(self, time: str, line: int) -> float:
        try:
            return seconds_of(time)
        except BadCell as bad:
            self._faults.add(line, "time", time, bad.code, bad.rule)
            return 0.0

    def _checked(self, cells: Cells, raw: str, line: int, column: str) -> str:
        try:
            return cells.checked(raw)
        except BadCell as bad:
            self._faults.add(line, column, raw, bad.code, bad.rule)
            return ""


def _long_cells(table: Table, options: FileOptions, faults: Faults) -> Iterator[Cell]:
    """Cells of a file with a row for each label."""
    places = {name: place for place, name in enumerate(table.columns)}
    for name in ("item", "rater", "label"):
        if name not in places:
            rule = f"no such column; the file has {', '.join(table.columns)}"
            faults.add(1, name, "", "missing_column", rule)
    if faults:
        raise FileRefused(faults)
    item, rater, label = places["item"], places["rater"], places["label"]
    question = places.get("question")
    time = places.get("time") if options.has_times else None
    for line, cells in table.rows:
        asked = ONLY_QUESTION if question is None else cells[question]
        moment = None if time is None else cells[time]
        yield line, cells[item], cells[rater], asked, cells[label], "label", moment


def _wide_cells(table: Table, options: FileOptions, faults: Faults) -> Iterator[Cell]:
    """Cells of a file with a row for each item and a column for each rater."""
    places = {name: place for place, name in enumerate(table.columns)}
    if "item" not in places:
        rule = f"no such column; the file has {', '.join(table.columns)}"
        raise faults.refuse(1, "item", "", "missing_column", rule)
    if {"rater", "label"} <= places.keys():
        rule = "the columns rater and label belong to the long format, with one label per row; remove --wide"
        raise faults.refuse(1, "label", "", "unknown_column", rule)
    question = places.get("question")
    raters = [name for name in table.columns if name not in {"item", "question", *options.ignored}]
    if not raters:
        raise faults.refuse(1, "", "", "missing_column", "no column left for raters")
    for line, cells in table.rows:
        asked = ONLY_QUESTION if question is None else cells[question]
        for rater in raters:
            yield line, cells[places["item"]], rater, asked, cells[places[rater]], rater, None
