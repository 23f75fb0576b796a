"""Read a file of labels: detect its format, column roles, and kinds of questions, then yield its records."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from django.conf import settings

from core.keys import MAX_KEY
from core.tables.delimited import Record as Row
from core.tables.encoding import AUTO
from core.tables.faults import Faults, FileRefused, shown
from core.tables.table import Table, TableChoices
from raters.imports.column_checks import check_columns, check_counts
from raters.imports.declared_values import declared_kinds, declared_questions, with_declared_missing
from raters.imports.file_interpretation import DEFAULT_QUESTION, TABLE, FileInterpretation, ProjectKeys
from raters.imports.label_options import LabelOptions
from raters.imports.question_kinds import with_question_kinds
from raters.imports.several_tables import (
    FILES,
    OF_FILES,
    OF_SHEETS,
    ONE,
    PARTS,
    RATERS,
    CountedLines,
    Part,
    first_rows,
    sheets_alike,
    tables_of,
)
from raters.reading.column_names import are_names_of_raters, is_generic
from raters.reading.columns import (
    ITEM,
    ITEM_TEXT,
    LABEL,
    LONG,
    QUESTION,
    RATER,
    WIDE,
    Column,
    guessed,
    role_by_name,
)
from raters.reading.formats import FORMATS
from raters.reading.formats.opening import stem
from raters.reading.known_keys import KnownKeys
from raters.reading.records import (
    REFERENCE,
    TEXT,
    Files,
    Format,
    LabelRecord,
    LeftOut,
    Record,
)
from raters.reading.reference_names import is_reference_name
from raters.reading.table_content import (
    LABELS,
    are_questions,
    columns_unlike_raters,
    further_questions,
    ignored_labels,
    kind_of_table,
    looks_transposed,
)
from raters.reading.table_records import records_of
from raters.reading.table_sample import TableSample
from raters.reading.values import (
    InferredKind,
)

FIRST_ROWS = 10
_ROWS_SAMPLED = 2_000
# Columns to show for records of other formats.
_SHOWN = ("Item", "Rater", "Question", "Label", "Note")


def _row(record: LabelRecord) -> tuple[str, ...]:
    value = record.value
    label = (
        "cannot tell" if record.cannot_tell else ", ".join(value) if isinstance(value, tuple) else value or ""
    )
    return record.item, record.rater, record.question, label, record.note


class FileReader:
    """Read the records of a file as described by `interpretation`. Must be used within `opened_files`."""

    def __init__(
        self,
        files: Files,
        options: LabelOptions,
        keys: ProjectKeys,
        *,
        max_rows: int | None = None,
        may_name_rater: bool = False,
        has_labels: bool = False,
        refuses_counts: bool = False,
    ) -> None:
        """may_name_rater: if nothing else says who the rater is, it is the one that the file is named after.
        has_labels: whether the user stated that the file holds labels. refuses_counts: columns that seem to hold counts
        are a problem, unless they were chosen.
        """
        self.files, self.keys = files, keys
        self.may_name_rater, self.has_labels = may_name_rater, has_labels
        self.refuses_counts = refuses_counts and not options.columns
        self.max_rows = max_rows or settings.IMPORT_MAX_ROWS
        self.interpretation = FileInterpretation(options)
        self.format: Format | None = None
        self.lines = CountedLines()

    def understand(self, faults: Faults) -> FileInterpretation | None:
        """Complete the options from the beginning of the file. Returns None, with faults, if that is impossible."""
        self.format = self._format()
        return self._of_format(faults) if self.format else self._of_table(faults)

    def records(self, faults: Faults) -> Iterator[Record]:
        options, found = self.interpretation.options, self.interpretation
        if self.format:
            yield from self.format.read(self.files, options.choices, found.left_out, faults)
            return
        for at, (name, rater, table) in enumerate(self._tables(faults)):
            if at == 0:
                yield from declared_questions(table, options)
            rater = rater if self._is_by_rater else ""
            records = self._records_of(table, rater=rater, statuses=found.statuses)
            yield from self.lines.through(records, name) if self._n_tables > 1 else records

    def _format(self) -> Format | None:
        chosen = self.interpretation.options.format
        if chosen not in (AUTO, TABLE):
            return next((format for format in FORMATS if format.key == chosen), None)
        found = next((format for format in FORMATS if format.recognizes(self.files)), None)
        self.interpretation.detected = (found.key, found.title) if found else None
        return None if chosen == TABLE else found

    def _of_format(self, faults: Faults) -> FileInterpretation:
        found, format = self.interpretation, self.format
        assert format is not None  # noqa: S101  For the type checker.
        options = replace(found.options, format=format.key, columns={})
        found.title = format.title
        found.detected = (format.key, format.title)
        choices = format.choices(self.files)
        found.choices = [(choice.key, choice.title, list(choice.options)) for choice in choices]
        defaults = {choice.key: choice.options[0][0] for choice in choices}
        found.options = replace(options, choices={**defaults, **options.choices}, layout=LONG)
        sample: list[Record] = []
        with suppress(FileRefused):
            sample = list(
                islice(format.read(self.files, found.options.choices, LeftOut(), Faults()), _ROWS_SAMPLED)
            )
        labels = [record for record in sample if isinstance(record, LabelRecord)]
        found.could_be_table = not labels and self._could_be_table()
        found.columns = list(_SHOWN)
        found.first_rows = [[shown(cell) for cell in _row(record)] for record in labels[:FIRST_ROWS]]
        self._ask(sample, {}, faults)
        return found

    def _could_be_table(self) -> bool:
        """Return whether a file of a program without labels could be read as a table with a column for each rater."""
        options = self.interpretation.options
        options = LabelOptions(format=TABLE, encoding=options.encoding, separator=options.separator)
        other = FileReader(self.files, options, self.keys, max_rows=self.max_rows)
        with suppress(FileRefused):
            found = other.understand(Faults())
            rated = (
                [column for column in found.options.columns.values() if column.role == LABEL] if found else []
            )
            return other.interpretation.options.layout == WIDE and len(rated) > 1
        return False

    def _of_table(self, faults: Faults) -> FileInterpretation | None:
        table = next(self._tables(faults)).table
        found = self.interpretation
        header = str(table.header_line) if table.header_line or not table.has_header else AUTO
        found.options = replace(found.options, format=TABLE, sheet=table.sheet or AUTO, header_line=header)
        if len(self.files) == 1:
            found.alike = sheets_alike(self.files[0], table, self._table_choices)
            self._choose_sheets(table.columns, faults)
        of_rows, of_columns = Faults(), Faults()
        rows = self._first_rows(of_rows, faults)
        cells = [row for _, row in rows]
        found.encoding, found.separator, found.columns = table.encoding, table.separator, table.columns
        found.sheet, found.sheets, found.other_tables = table.sheet, [*table.sheets], [*table.other_tables]
        found.header_line = table.header_line
        found.first_rows = [[shown(cell) for cell in row] for row in cells[:FIRST_ROWS]]
        found.date_columns = table.date_columns
        sample = TableSample.of(table.columns, cells)
        found.is_transposed = looks_transposed(sample, self._known)
        if not self._lay_out(sample, of_columns):
            # If rows are invalid, faults of their columns are misleading.
            reported = of_rows or of_columns
            faults.extend(reported.listed, n=reported.n)
            return None
        if found.options.layout == WIDE:
            found.unlike_raters = columns_unlike_raters(sample, found.options.columns)
            found.ignored_labels = ignored_labels(sample, found.options.columns)
        elif found.options.layout == LONG:
            found.ignored_labels = further_questions(sample, found.options.columns)
        again = replace(table, rows=iter([(line, list(row)) for line, row in rows]))
        found.choices = [OF_FILES] if len(self.files) > 1 else [OF_SHEETS] if found.alike else []
        found.other_tables = [name for name in table.other_tables if name not in self._sheets]
        found.options = with_declared_missing(table, found.options)
        self._ask(self._records_of(again, rater="?"), declared_kinds(table, found.options), faults)
        return found

    def _first_rows(self, of_rows: Faults, faults: Faults) -> list[Row]:
        """Return the first rows. Faults of single rows are reported when all are read."""
        try:
            return list(first_rows(self._tables(of_rows), _ROWS_SAMPLED, self._n_tables))
        except FileRefused:
            faults.extend(of_rows.listed, n=of_rows.n)
            raise FileRefused(faults) from None

    def _tables(self, faults: Faults) -> Iterator[Part]:
        return tables_of(self.files, self._table_choices, faults, max_rows=self.max_rows, sheets=self._sheets)

    @property
    def _table_choices(self) -> TableChoices:
        options = self.interpretation.options
        return TableChoices(options.encoding, options.separator, options.sheet, options.header_line)

    @property
    def _sheets(self) -> list[str]:
        """The sheets to read, the chosen one first; none if only that one is."""
        return (
            self.interpretation.alike
            if self.interpretation.options.choices.get(FILES) in (RATERS, PARTS)
            else []
        )

    @property
    def _n_tables(self) -> int:
        return len(self._sheets) or len(self.files)

    @property
    def _is_by_rater(self) -> bool:
        return self._n_tables > 1 and self.interpretation.options.choices.get(FILES) == RATERS

    def _records_of(
        self, table: Table, *, rater: str = "", statuses: Counter[str] | None = None
    ) -> Iterator[Record]:
        """Yield records. rater: the file's rater, if there is no such column and none was entered."""
        options = self.interpretation.options
        return records_of(
            table,
            options.layout,
            options.columns,
            question=options.question,
            rater=options.rater or rater,
            round=options.round,
            texts=self._texts,
            chosen=options.statuses,
            statuses=statuses,
        )

    @property
    def _texts(self) -> set[str]:
        """Keys of text questions."""
        chosen = {
            key for key, question in self.interpretation.options.questions.items() if question.kind == TEXT
        }
        return chosen | {key for key, kind in self.keys.kinds.items() if kind == TEXT}

    def _choose_sheets(self, columns: Sequence[str], faults: Faults) -> None:
        """Choose whether only one sheet is read, unless the user did: not if each has the labels of one rater.

        Several columns of labels could be of a rater each, unless the sheets are named after raters.
        """
        options = self.interpretation.options
        if not self.interpretation.alike:
            self.interpretation.options = replace(options, choices={})
        elif FILES not in options.choices:
            sample = TableSample.of(columns, [row for _, row in self._first_rows(Faults(), faults)])
            layout, found = self._guessed(sample, has_rater=True)
            roles = [column.role for column in found.values()]
            has_one_column = layout == LONG or roles.count(LABEL) == 1
            is_certain = (
                has_one_column
                or are_names_of_raters(self.interpretation.alike, self.keys.raters)
                or self._are_questions(sample, found)
            )
            has_names = not all(map(is_generic, self.interpretation.alike))
            is_by_rater = not options.rater and RATER not in roles and is_certain and has_names
            self.interpretation.options = replace(options, choices={FILES: RATERS if is_by_rater else ONE})

    def _lay_out(self, sample: TableSample, faults: Faults) -> bool:
        options, before = self.interpretation.options, faults.n
        for name in options.columns.keys() - set(sample.columns):
            faults.add(1, name, "", "missing_column", "the file has no such column")
        if len(self.files) > 1 and FILES not in options.choices:
            layout, columns = self._guessed(sample, has_rater=True)
            column_of = {column.role: name for name, column in columns.items()}
            # In parts of a table with a column for each rater, each item is in one row.
            keys = column_of.get(ITEM) or column_of.get(ITEM_TEXT)
            is_repeated = keys is not None and not sample.is_unique(keys)
            are_raters = layout == WIDE and not is_repeated and not self._are_questions(sample, columns)
            are_parts = RATER in column_of or options.rater or are_raters
            options = replace(options, choices={FILES: PARTS if are_parts else RATERS})
            self.interpretation.options = options
        layout, columns = self._guessed(sample, has_rater=bool(options.rater) or self._is_by_rater)
        if len(self.files) == 1:
            holds = LABELS if self.has_labels else kind_of_table(sample, layout, columns, self._known)
            self.interpretation.holds = holds
            lacks_rater = self.may_name_rater and not options.rater and self._n_tables == 1
            if lacks_rater and holds == LABELS and self._is_of_one_rater(sample, layout, columns):
                rater = self._named_after.strip()[:MAX_KEY]
                kind = REFERENCE if is_reference_name(rater) else options.rater_kind
                options = replace(options, rater=rater, rater_kind=kind)
                self.interpretation.options = options
                layout, columns = self._guessed(sample, has_rater=True)
        self.interpretation.options = options
        question = options.question or self._question_of(columns, layout)
        self.interpretation.options = replace(
            self.interpretation.options, layout=layout, columns=columns, question=question
        )
        check_columns(self.interpretation.options, sample, faults, known=self._known)
        if self.refuses_counts and layout == WIDE and self.interpretation.holds == LABELS:
            check_counts(columns, sample, faults)
        return faults.n == before

    def _is_of_one_rater(self, sample: TableSample, layout: str, columns: Mapping[str, Column]) -> bool:
        """Return whether no column says who the rater is, but the name of the file may."""
        labels = [name for name, column in columns.items() if column.role == LABEL]
        if RATER in {column.role for column in columns.values()}:
            return False
        if layout == WIDE and len(labels) > 1:
            return self._are_questions(sample, columns)
        is_rater = layout == WIDE and (
            are_names_of_raters(labels, self.keys.raters) or any(columns[name].rater_kind for name in labels)
        )
        return not is_rater and not is_generic(self._named_after)

    @property
    def _named_after(self) -> str:
        """The name of the sheet, if there are several, or else of the file."""
        found = self.interpretation
        is_one_of_several = len(found.tables) > 1 and not is_generic(found.sheet)
        return found.sheet if is_one_of_several else stem(self.files[0])

    def _are_questions(self, sample: TableSample, columns: Mapping[str, Column]) -> bool:
        names = [name for name, column in columns.items() if column.role == LABEL]
        return are_questions(sample, names, self._known)

    @property
    def _known(self) -> KnownKeys:
        return KnownKeys(self.keys.raters, frozenset(self.keys.kinds))

    def _guessed(self, sample: TableSample, *, has_rater: bool) -> tuple[str, dict[str, Column]]:
        options = self.interpretation.options
        return guessed(
            sample,
            options.columns,
            layout=options.layout,
            known=self._known,
            has_rater=has_rater,
        )

    def _question_of(self, columns: Mapping[str, Column], layout: str) -> str:
        """Return the question of all rows if there is no such column: the project's only one, or the column's name."""
        if any(column.role == QUESTION or column.question for column in columns.values()):
            return ""
        name = next((name for name, column in columns.items() if column.role == LABEL), "").strip()
        if layout == LONG and name in self.keys.kinds:
            return name
        if self.keys.kinds:
            return next(iter(self.keys.kinds)) if len(self.keys.kinds) == 1 else ""
        is_named = layout == LONG and role_by_name(name) != LABEL
        return name if is_named else DEFAULT_QUESTION

    def _ask(
        self, records: Iterable[Record], declared_kinds: Mapping[str, InferredKind], faults: Faults
    ) -> None:
        found, unclear = self.interpretation, Faults()
        found.options, found.texts, found.numbers = with_question_kinds(
            found.options, islice(records, 20 * _ROWS_SAMPLED), self.keys.kinds, declared_kinds, unclear
        )
        for fault in unclear.listed:
            # Lines are counted over all tables, and these are not.
            faults.add(
                fault.line if self._n_tables == 1 else 0, fault.column, fault.value, fault.code, fault.rule
            )
