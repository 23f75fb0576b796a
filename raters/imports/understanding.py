"""A file of labels opened: which format it has, what its columns hold and what its questions ask for."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from django.conf import settings

from core.tables.encoding import AUTO
from core.tables.faults import Faults, shown
from core.tables.table import Table, looks_like_json_lines, open_either
from raters.imports.options import LabelOptions, QuestionOptions
from raters.reading.columns import (
    ITEM,
    LABEL,
    LONG,
    QUESTION,
    RATER,
    ROLES,
    Column,
    Known,
    Sample,
    guessed,
    role_by_name,
)
from raters.reading.records import MULTIPLE, Files, LabelRecord, LeftOut, QuestionRecord, Record, Value
from raters.reading.tables import records_of
from raters.reading.values import NONE_OF_THEM, Becomes, asked, decimal_in

FIRST_ROWS = 10
_LOOKED_AT = 2_000
# The names of columns of labels that say nothing of what is asked.
_ONCE = {role for role in ROLES if role not in {"content", "ignore", LABEL}}
DEFAULT_QUESTION = "label"


@dataclass(frozen=True, slots=True)
class ProjectKeys:
    """What a project has already, as far as reading a file depends on it. kinds: of its questions, by key."""

    raters: frozenset[str] = frozenset()
    kinds: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Understood:
    """options: complete, so that the file is read again in the same way. columns and rows: as the file has them."""

    options: LabelOptions
    encoding: str = ""
    separator: str = ""
    columns: list[str] = field(default_factory=list)
    first_rows: list[list[str]] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    left_out: LeftOut = field(default_factory=LeftOut)


class FileReader:
    """The records of a file, as `understood` says."""

    def __init__(self, files: Files, options: LabelOptions, keys: ProjectKeys) -> None:
        self.files, self.keys = files, keys
        self.understood = Understood(options)

    def understand(self, faults: Faults) -> Understood | None:
        """Look at the beginning of the file and complete the options; None, and faults, where that cannot be done."""
        table = self._table(faults)
        found = self.understood
        rows = list(islice(table.rows, _LOOKED_AT))
        cells = [row for _, row in rows]
        found.encoding, found.separator, found.columns = table.encoding, table.separator, table.columns
        found.first_rows = [[shown(cell) for cell in row] for row in cells[:FIRST_ROWS]]
        if not self._lay_out(Sample.of(table.columns, cells), faults):
            return None
        again = replace(table, rows=iter([(line, list(row)) for line, row in rows]))
        self._ask(self._records_of(again))
        return found

    def records(self, faults: Faults) -> Iterator[Record]:
        yield from self._records_of(self._table(faults))

    def _table(self, faults: Faults) -> Table:
        options, source = self.understood.options, self.files[0].source
        return open_either(
            source,
            faults,
            is_json=looks_like_json_lines(source),
            encoding=options.encoding,
            separator=options.separator,
            max_rows=settings.IMPORT_MAX_ROWS,
        )

    def _records_of(self, table: Table) -> Iterator[Record]:
        options = self.understood.options
        return records_of(
            table,
            options.layout,
            options.columns,
            question=options.question,
            rater=options.rater,
            round=options.round,
        )

    def _lay_out(self, sample: Sample, faults: Faults) -> bool:
        options, before = self.understood.options, faults.n
        for name in options.columns.keys() - set(sample.columns):
            faults.add(1, name, "", "missing_column", "the file has no such column")
        layout, columns = guessed(
            sample,
            options.columns,
            layout=options.layout,
            known=Known(self.keys.raters, frozenset(self.keys.kinds)),
            has_rater=bool(options.rater),
        )
        question = options.question or self._question_of(columns, layout)
        self.understood.options = replace(options, layout=layout, columns=columns, question=question)
        _check(self.understood.options, sample, faults)
        return faults.n == before

    def _question_of(self, columns: Mapping[str, Column], layout: str) -> str:
        """The question of all rows, where no column says it: the project's only one, or as the column is called."""
        if any(column.role == QUESTION or column.question for column in columns.values()):
            return ""
        name = next((name for name, column in columns.items() if column.role == LABEL), "").strip()
        if layout == LONG and name in self.keys.kinds:
            return name
        if self.keys.kinds:
            return next(iter(self.keys.kinds)) if len(self.keys.kinds) == 1 else ""
        is_named = layout == LONG and role_by_name(name) != LABEL
        return name if is_named else DEFAULT_QUESTION

    def _ask(self, records: Iterator[Record]) -> None:
        """What each new question asks for, and the decimal mark."""
        options = self.understood.options
        values: dict[str, list[Value]] = defaultdict(list)
        declared: dict[str, str] = {}
        for record in islice(records, 20 * _LOOKED_AT):
            if isinstance(record, LabelRecord):
                values[record.question].append(record.value)
            elif isinstance(record, QuestionRecord) and record.kind:
                declared[record.question] = record.kind
        texts = [value for of_one in values.values() for value in of_one if isinstance(value, str)]
        decimal = decimal_in(texts) if options.decimal == AUTO else options.decimal
        questions = dict(options.questions)
        for key, of_one in values.items():
            said, found = questions.get(key, QuestionOptions()), asked(of_one)
            kind = self.keys.kinds.get(key) or _first(
                said.kind, options.question_kind, declared.get(key, AUTO), found.kind
            )
            level = _first(said.level, options.level, found.level if found.kind == kind else "nominal")
            # A file that says who could not tell has a row for each answer, so that an empty set is one.
            if kind == MULTIPLE and "" not in said.values and self._has("cannot_tell"):
                said = replace(said, values={**said.values, "": Becomes(NONE_OF_THEM)})
            questions[key] = replace(
                said, kind=kind, level=level, separator=said.separator or found.separator
            )
        self.understood.options = replace(options, decimal=decimal, questions=questions)
        self.understood.kinds = {key: question.kind for key, question in questions.items()}

    def _has(self, role: str) -> bool:
        return any(column.role == role for column in self.understood.options.columns.values())


def _first(*choices: str) -> str:
    return next(choice for choice in choices if choice != AUTO)


def _check(options: LabelOptions, sample: Sample, faults: Faults) -> None:
    """That the columns hold what is needed, each once."""
    holds: dict[str, list[str]] = defaultdict(list)
    for name in sample.columns:
        holds[options.columns[name].role].append(name)
    for role in _ONCE:
        for name in holds[role][1:]:
            rule = f"“{holds[role][0]}” is the {ROLES[role].lower()} already; choose something else for this column"
            faults.add(1, name, "", "column_twice", rule)
    if options.layout == LONG:
        _check_long(options, holds, faults)
    elif not holds[LABEL]:
        faults.add(
            1, "", "", "missing_column", "no column holds the labels of a rater; choose the columns that do"
        )
    has_question = (
        options.question or holds[QUESTION] or all(options.columns[name].question for name in holds[LABEL])
    )
    if not has_question:
        rule = "the project has several questions; choose the one that these labels answer"
        faults.add(1, "question", "", "missing_column", rule)


def _check_long(options: LabelOptions, holds: Mapping[str, list[str]], faults: Faults) -> None:
    missing = [role for role in (ITEM, LABEL) if not holds[role]]
    if not holds[RATER] and not options.rater:
        missing.append(RATER)
    for role in missing:
        rule = f"no column holds the {ROLES[role].lower()}; choose the one that does"
        if role == RATER:
            rule += ", or enter one rater for all rows, or choose the layout with a column for each rater"
        faults.add(1, role, "", "missing_column", rule)
    for name in holds[LABEL][1:]:
        faults.add(1, name, "", "column_twice", "a file with one label per row has one column of labels")
