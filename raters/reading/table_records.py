"""Convert the rows of a table to records, by the roles of its columns."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from core.keys import key_of_text
from core.tables.formats import JSON, JSON_LINES
from core.tables.safe_cells import original_cell
from core.tables.table import Table
from raters.reading.columns import (
    CONTENT,
    IGNORE,
    ITEM,
    ITEM_TEXT,
    LABEL,
    LONG,
    QUESTION,
    RATER,
    TRANSPOSED,
    WIDE,
    Column,
)
from raters.reading.records import (
    MULTIPLE,
    NUMBER,
    SINGLE,
    SUBMITTED,
    TEXT,
    ItemRecord,
    LabelRecord,
    QuestionRecord,
    Record,
)
from raters.reading.statuses import note_status, state_of

_REMEMBERED = 100_000
# Separates texts that are a key together.
_BETWEEN_TEXTS = " | "
_TRUE = frozenset({"1", "true", "yes", "x", "t", "y"})


class CleanedCells(dict[str, str]):
    """Cells stripped of surrounding spaces and of the apostrophe that keeps spreadsheets from evaluating them."""

    def __missing__(self, cell: str) -> str:
        text = original_cell(cell.strip())
        if len(self) >= _REMEMBERED:
            self.clear()
        self[cell] = text
        return text


def records_of(
    table: Table,
    layout: str,
    columns: Mapping[str, Column],
    *,
    question: str,
    rater: str,
    round: str,
    texts: Collection[str] = (),
    chosen: Mapping[str, bool] = MappingProxyType({}),
    statuses: Counter[str] | None = None,
) -> Iterator[Record]:
    """Yield records. question, rater, round: for rows without them. texts: questions whose cells are kept unchanged.

    chosen: statuses whose rows are labels, or not. statuses: counts the rows of each, if given.
    Without an item column, each row is an item named by its row number.
    """
    read = _TableRows(table, columns, question=question, rater=rater, round=round, texts=texts)
    read.chosen = chosen
    read.statuses = Counter() if statuses is None else statuses
    return {LONG: read.long, WIDE: read.wide, TRANSPOSED: read.transposed}[layout]()


def _with_sign(percent: str) -> str:
    """Return a percentage with its sign; anything else as it is."""
    return f"{percent.removesuffix('%')}%" if any(map(str.isdigit, percent)) else percent


class _TableRows:
    def __init__(
        self,
        table: Table,
        columns: Mapping[str, Column],
        *,
        question: str,
        rater: str,
        round: str,
        texts: Collection[str],
    ) -> None:
        self.table, self.clean = table, CleanedCells()
        self.roles = [columns[name] for name in table.columns]
        self.question, self.rater, self.round = question, rater, round
        self.texts = frozenset(texts)
        self.asked: set[str] = set()
        self.content = [
            (name, at) for at, name in enumerate(table.columns) if columns[name].role in (CONTENT, ITEM_TEXT)
        ]
        self.key_role = ITEM_TEXT if self.at(ITEM) is None else ITEM
        self.texts_of_item = [at for at, column in enumerate(self.roles) if column.role == ITEM_TEXT]
        self.described: set[str] = set()
        self.chosen: Mapping[str, bool] = {}
        self.statuses: Counter[str] = Counter()

    def at(self, role: str) -> int | None:
        return next((at for at, column in enumerate(self.roles) if column.role == role), None)

    def item(self, cells: Sequence[str], at: int) -> str:
        """Return the key of the row's item, in the column `at` unless it is its text or texts."""
        if self.key_role == ITEM or not self.texts_of_item:
            return self.clean[cells[at]]
        return key_of_text(_BETWEEN_TEXTS.join(self.clean[cells[place]] for place in self.texts_of_item))

    def as_written(self, cell: str) -> str:
        """Return the exact text, without the protective apostrophe, which only JSON does not have."""
        return cell if self.table.format in (JSON, JSON_LINES) else original_cell(cell)

    def answer(self, question: str, cell: str) -> str:
        if question not in self.texts:
            return self.clean[cell]
        # Only spaces means no answer.
        return self.as_written(cell) if cell.strip() else ""

    def state(self, written: str) -> str:
        note_status(written, self.statuses)
        return state_of(written, self.chosen)

    def long(self) -> Iterator[Record]:
        clean, width = self.clean, len(self.table.columns)
        # Constants not in the file are appended to each row like columns.
        fixed = {RATER: self.rater, QUESTION: self.question, "round": self.round}
        constants = [*fixed.values(), ""]
        behind = {role: width + place for place, role in enumerate(fixed)}

        def place(role: str) -> int:
            found = self.at(role)
            return behind.get(role, width + len(fixed)) if found is None else found

        item_at, rater_at, question_at, label_at = map(place, (self.key_role, RATER, QUESTION, LABEL))
        round_at, time_at, note_at, reason_at = map(place, ("round", "time", "note", "reason"))
        kind_at, tell_at, seconds_at, pass_at = map(place, ("rater_kind", "cannot_tell", "seconds", "pass"))
        state_at, source_at, guidelines_at = map(place, ("state", "source_id", "guidelines_version"))
        answer_at = place("question_kind")
        sure_at, percent_at, suggested_at = map(
            place, ("confidence", "confidence_percent", "from_suggestion")
        )
        name = self.table.columns[label_at] if label_at < width else LABEL
        roles = {column.role for column in self.roles}
        if roles <= {ITEM, RATER, QUESTION, LABEL, "round", "time", IGNORE}:
            # A fast path for most files, which is twice as fast.
            for line, cells in self.table.rows:
                cells += constants
                question = clean[cells[question_at]]
                yield LabelRecord(
                    line,
                    clean[cells[item_at]],
                    clean[cells[rater_at]],
                    question,
                    self.answer(question, cells[label_at]),
                    at=clean[cells[time_at]],
                    round=clean[cells[round_at]],
                    column=name,
                )
            return
        for line, cells in self.table.rows:
            cells += constants
            item = self.item(cells, item_at)
            if self.content:
                yield from self._described(line, item, cells)
            state, question = clean[cells[state_at]], clean[cells[question_at]]
            percent = clean[cells[percent_at]]
            if (declared := clean[cells[answer_at]]) and question not in self.asked:
                yield from self._declared(line, question, declared.casefold())
            yield LabelRecord(
                line,
                item,
                clean[cells[rater_at]],
                question,
                self.answer(question, cells[label_at]),
                clean[cells[kind_at]].casefold(),
                clean[cells[tell_at]].casefold() in _TRUE,
                clean[cells[reason_at]],
                original_cell(cells[note_at]),
                clean[cells[seconds_at]],
                clean[cells[time_at]],
                clean[cells[pass_at]],
                clean[cells[round_at]],
                clean[cells[source_at]],
                SUBMITTED if state_at >= width else self.state(state),
                name,
                clean[cells[guidelines_at]],
                _with_sign(percent) if percent else clean[cells[sure_at]],
                clean[cells[suggested_at]].casefold() in _TRUE if cells[suggested_at].strip() else None,
            )

    def wide(self) -> Iterator[Record]:
        clean = self.clean
        labels = [
            (at, name, column, column.rater or self.rater, column.question or self.question)
            for at, (name, column) in enumerate(zip(self.table.columns, self.roles, strict=True))
            if column.role == LABEL
        ]
        item_at, rater_at, question_at, round_at, time_at, state_at = (
            self.at(role) for role in (self.key_role, RATER, QUESTION, "round", "time", "state")
        )
        for n_rows, (line, cells) in enumerate(self.table.rows, start=1):
            item = str(n_rows) if item_at is None else self.item(cells, item_at)
            if self.content:
                yield from self._described(line, item, cells)
            of_row = "" if question_at is None else clean[cells[question_at]]
            at = "" if time_at is None else clean[cells[time_at]]
            round_ = self.round if round_at is None else clean[cells[round_at]]
            by = "" if rater_at is None else clean[cells[rater_at]]
            state = SUBMITTED if state_at is None else self.state(clean[cells[state_at]])
            for place, name, column, rater, question in labels:
                yield LabelRecord(
                    line,
                    item,
                    by or rater,
                    of_row or question,
                    self.answer(of_row or question, cells[place]),
                    column.rater_kind,
                    at=at,
                    state=state,
                    pass_number=column.pass_number,
                    round=round_,
                    column=name,
                )

    def transposed(self) -> Iterator[Record]:
        """Yield the labels of a row for each rater, with a column for each item."""
        clean = self.clean
        items = [
            (at, clean[name], name)
            for at, (name, column) in enumerate(zip(self.table.columns, self.roles, strict=True))
            if column.role == LABEL
        ]
        rater_at, round_at, time_at, state_at = (self.at(role) for role in (RATER, "round", "time", "state"))
        for line, cells in self.table.rows:
            rater = self.rater if rater_at is None else clean[cells[rater_at]]
            at = "" if time_at is None else clean[cells[time_at]]
            round_ = self.round if round_at is None else clean[cells[round_at]]
            state = SUBMITTED if state_at is None else self.state(clean[cells[state_at]])
            for place, item, name in items:
                answer = self.answer(self.question, cells[place])
                yield LabelRecord(
                    line, item, rater, self.question, answer, at=at, round=round_, state=state, column=name
                )

    def _declared(self, line: int, question: str, kind: str) -> Iterator[QuestionRecord]:
        """Yield the declared kind of a question; unknown kinds are ignored."""
        self.asked.add(question)
        if kind in (SINGLE, MULTIPLE, NUMBER, TEXT):
            yield QuestionRecord(line, question, kind)

    def _described(self, line: int, item: str, cells: Sequence[str]) -> Iterator[ItemRecord]:
        """Yield the row's item content, if it is the first for the item."""
        if item in self.described:
            return
        content = {name: original_cell(cells[at]) for name, at in self.content if cells[at].strip()}
        if content:
            self.described.add(item)
            yield ItemRecord(line, item, content)
