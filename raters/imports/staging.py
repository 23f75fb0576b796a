"""A file's labels on their way into a temporary table: read once, as a stream, by COPY."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from django.conf import settings
from django.db import connection

from core.tables.cells import BadCell, Cells
from core.tables.encoding import Source
from core.tables.faults import Faults, shown
from core.tables.table import Table, open_either
from projects.models import Project
from raters.imports.answer_cells import AnswerCells, TimeCells
from raters.imports.layouts import LabelLayout, lay_out
from raters.imports.options import LabelOptions

# Tells how many rows have been read.
Tick = Callable[[int], None]

FIRST_ROWS = 10
_BLOCK = 5_000
_MAX_LABELS_FACTOR = 10
# Dropped first for those who import twice in one transaction, as tests do.
_CREATE = """
SET LOCAL client_min_messages = warning;
SET LOCAL work_mem = '64MB';
SET LOCAL jit = off;
DROP TABLE IF EXISTS pg_temp.staged, pg_temp.staged_item, pg_temp.staged_rater, pg_temp.staged_question,
    pg_temp.staged_round, pg_temp.staged_answer, pg_temp.staged_category, pg_temp.staged_present,
    pg_temp.staged_ready, pg_temp.staged_pass;
CREATE TEMPORARY TABLE staged (
    n bigint GENERATED ALWAYS AS IDENTITY, line integer NOT NULL, item text NOT NULL, rater text NOT NULL,
    question text NOT NULL, label text NOT NULL, number float8, round text, labelled_at timestamptz
) ON COMMIT DROP
"""
_COPY = "COPY staged (line, item, rater, question, label, number, round, labelled_at) FROM STDIN"


@dataclass(slots=True)
class Staged:
    """What was read of a file."""

    encoding: str = ""
    separator: str = ""
    columns: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    first_rows: list[list[str]] = field(default_factory=list)
    n_rows: int = 0
    n_labels: int = 0
    n_empty: int = 0


def stage(
    project: Project, source: Source, options: LabelOptions, *, staged: Staged, faults: Faults, tick: Tick
) -> None:
    """Read the file into the table `staged` of this transaction; faults of single cells are gathered."""
    table = open_either(
        source,
        faults,
        is_json=options.layout == "jsonl",
        encoding=options.encoding,
        separator=options.separator,
        max_rows=settings.IMPORT_MAX_ROWS,
    )
    staged.encoding, staged.separator, staged.columns = table.encoding, table.separator, table.columns
    kinds = dict(project.questions.values_list("key", "kind"))
    layout = lay_out(table, options, faults, needs_question=len(kinds) > 1)
    if layout is None:
        staged.first_rows = [
            [shown(cell) for cell in cells]
            for (_, cells), _ in zip(table.rows, range(FIRST_ROWS), strict=False)
        ]
        return
    staged.places = layout.places
    reading = _CopyRows(layout, options, faults, staged, kinds)
    with connection.cursor() as cursor:
        cursor.execute(_CREATE)
        # A COPY for each block: between them the connection is free for the pieces of an uploaded file.
        for block in reading.blocks(table):
            with cursor.copy(_COPY) as copy:
                copy.write("".join(block))
            tick(staged.n_rows)
        cursor.execute("ANALYZE staged")


class _CopyRows:
    """Rows of a table -> rows of COPY."""

    def __init__(
        self,
        layout: LabelLayout,
        options: LabelOptions,
        faults: Faults,
        staged: Staged,
        kinds: dict[str, str],
    ) -> None:
        self.options, self.faults, self.staged = options, faults, staged
        trim = options.trim
        self.cells: dict[str, Cells] = {
            "item": Cells(trim=trim),
            "rater": Cells(trim=trim),
            "question": Cells(trim=trim),
            "round": Cells(trim=trim, may_be_empty=True),
            "time": TimeCells(trim=trim, may_be_empty=True),
        }
        self.answers = AnswerCells(kinds, new_kind=options.question_kind, trim=trim)
        # What the file says for no row stands behind the cells of each, as if it were a column.
        only_question = next(iter(kinds)) if len(kinds) == 1 else "label"
        self.constants = [options.question or only_question, options.rater, options.round, ""]
        width = len(staged.columns)
        absent = {"question": width, "rater": width + 1, "round": width + 2, "time": width + 3}
        self.places = {**absent, **layout.places}
        self.names = [*staged.columns, "question", "rater", "round", "time"]
        # For wide files: the place of each rater's column and their name as COPY takes it.
        self.raters = [(place, name) for name, place in layout.raters.items()]
        self.raters = [
            (place, self.cells["rater"][name]) for place, name in self.raters if self._is_name(name)
        ]
        self.is_wide = bool(layout.raters)

    def blocks(self, table: Table) -> Iterator[list[str]]:
        block: list[str] = []
        labels_of = self._wide if self.is_wide else self._long
        for line, cells in table.rows:
            self.staged.n_rows += 1
            if self.staged.n_rows <= FIRST_ROWS:
                self.staged.first_rows.append([shown(cell) for cell in cells])
            cells += self.constants
            labels_of(line, cells, block)
            if len(block) >= _BLOCK:
                self._count(block, line)
                yield block
                block = []
        self._count(block, 0)
        yield block

    def _count(self, block: list[str], line: int) -> None:
        self.staged.n_labels += len(block)
        limit = settings.IMPORT_MAX_ROWS * _MAX_LABELS_FACTOR
        if self.staged.n_labels > limit:
            rule = f"a file can have at most {limit:,} labels; split it"
            raise self.faults.refuse(line, "", "", "too_many_rows", rule)

    def _long(self, line: int, cells: list[str], block: list[str]) -> None:
        known, place = self.cells, self.places
        raw = cells[place["label"]]
        if self._is_empty(raw):
            self.staged.n_empty += 1
            return
        try:
            question = known["question"][cells[place["question"]]]
            block.append(
                f"{line}\t{known['item'][cells[place['item']]]}\t{known['rater'][cells[place['rater']]]}\t"
                f"{question}\t{self.answers[question][raw]}\t"
                f"{known['round'][cells[place['round']]]}\t{known['time'][cells[place['time']]]}\n"
            )
        except BadCell:
            self._list_faults(line, cells, ["item", "rater", "question", "round", "time", "label"])

    def _wide(self, line: int, cells: list[str], block: list[str]) -> None:
        known, place = self.cells, self.places
        try:
            item = known["item"][cells[place["item"]]]
            question = known["question"][cells[place["question"]]]
            rest = f"{known['round'][cells[place['round']]]}\t{known['time'][cells[place['time']]]}"
        except BadCell:
            self._list_faults(line, cells, ["item", "question", "round", "time"])
            return
        answers = self.answers[question]
        for at, rater in self.raters:
            raw = cells[at]
            if self._is_empty(raw):
                self.staged.n_empty += 1
            elif self._is_good(answers, line, self.names[at], raw):
                block.append(f"{line}\t{item}\t{rater}\t{question}\t{answers[raw]}\t{rest}\n")

    def _is_empty(self, raw: str) -> bool:
        return not raw or (self.options.trim and not raw.strip())

    def _is_name(self, rater: str) -> bool:
        return self._is_good(self.cells["rater"], 1, rater, rater)

    def _list_faults(self, line: int, cells: list[str], roles: list[str]) -> None:
        """Look at each cell of a bad row by itself, so that all its faults are told."""
        for role in roles:
            kind = self._answers_in(cells) if role == "label" else self.cells[role]
            if kind is not None:
                self._is_good(kind, line, self.names[self.places[role]], cells[self.places[role]])

    def _answers_in(self, cells: list[str]) -> Cells | None:
        try:
            return self.answers[self.cells["question"][cells[self.places["question"]]]]
        except BadCell:
            return None

    def _is_good(self, cells: Cells, line: int, column: str, raw: str) -> bool:
        try:
            cells[raw]
        except BadCell as bad:
            self.faults.add(line, column, raw, bad.code, bad.rule)
            return False
        return True
