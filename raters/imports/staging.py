"""Stream the records of a file into temporary tables with COPY, reading it once."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice

from django.conf import settings
from django.db import connection

from core.keys import MAX_KEY
from core.shapes import Json
from core.tables.cells import NULL, Cells, InvalidCell, check_characters, for_copy
from core.tables.faults import Faults
from projects.attributes import attributes_of_texts
from projects.models import MAX_TEXT, Item, Question
from raters.imports.answer_cells import (
    AnswerCells,
    ConfidenceCells,
    IntegerCells,
    NoteCells,
    SecondsCells,
    TimeCells,
    answers_of,
)
from raters.imports.fault_columns import column_with, is_of_program
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.reading.columns import LABEL, QUESTION, RATER, WIDE
from raters.reading.records import (
    RATER_KINDS,
    SUBMITTED,
    ItemRecord,
    LabelRecord,
    QuestionRecord,
    Record,
)
from raters.reading.values import NONE_OF_THEM

# Reports the number of records read so far.
ReportRows = Callable[[int], None]

_BLOCK = 5_000
_MAX_LABELS_FACTOR = 10
_FLAGS = {True: "t", False: "f", None: NULL}
_ABSTAINS = f"{NULL}\t{NULL}\t{NULL}\tt"
# No pass, reason, note, seconds, guidelines version, source ID, confidence, or suggestion, as for most labels.
_NOTHING_ELSE = f"{NULL}\t\t\t{NULL}\t{NULL}\t\t{NULL}\t{NULL}\n"
# Dropped first in case of two imports in one transaction, as in tests.
_CREATE = """
SET LOCAL client_min_messages = warning;
SET LOCAL work_mem = '64MB';
SET LOCAL jit = off;
DROP TABLE IF EXISTS pg_temp.staged, pg_temp.staged_content, pg_temp.staged_kind, pg_temp.staged_item,
    pg_temp.staged_rater, pg_temp.staged_question, pg_temp.staged_round, pg_temp.staged_answer,
    pg_temp.staged_category, pg_temp.staged_present, pg_temp.staged_ready, pg_temp.staged_text, pg_temp.staged_match;
CREATE TEMPORARY TABLE staged (
    n bigint GENERATED ALWAYS AS IDENTITY, line integer NOT NULL, item text NOT NULL, rater text NOT NULL,
    question text NOT NULL, label text, number float8, text text, abstains boolean NOT NULL, round text,
    labelled_at timestamptz, pass smallint, reason text, note text, seconds float8, guidelines_version smallint,
    source_id text NOT NULL, confidence float8, from_suggestion boolean
) ON COMMIT DROP;
CREATE TEMPORARY TABLE staged_content (line integer NOT NULL, item text NOT NULL, content jsonb NOT NULL,
    attributes jsonb NOT NULL) ON COMMIT DROP;
CREATE TEMPORARY TABLE staged_kind (rater text NOT NULL, kind text NOT NULL) ON COMMIT DROP;
"""
COLUMNS = (
    "line, item, rater, question, label, number, text, abstains, round, labelled_at, pass, reason, note, seconds, "
    "guidelines_version, source_id, confidence, from_suggestion"
)
_COPIES = (
    f"COPY staged ({COLUMNS}) FROM STDIN",
    "COPY staged_content (line, item, content, attributes) FROM STDIN",
    "COPY staged_kind (rater, kind) FROM STDIN",
)


@dataclass(slots=True)
class Staged:
    """What was read from a file. Becomes JSON, so it has no Counter, of which asdict makes something else.

    states: counts of records that are not labels, by their state. statuses: counts of rows by the words of the file.
    empty: counts of empty cells, by question.
    """

    n_records: int = 0
    n_labels: int = 0
    n_empty: int = 0
    empty: dict[str, int] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    titles: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    prompts: dict[str, str] = field(default_factory=dict)
    has_rounds: bool = False
    has_passes: bool = False
    has_source_ids: bool = False


def staged_of(values: Json) -> Staged:
    """Return what asdict made of it, also after a round trip through JSON."""
    titles = {key: [(name, title) for name, title in pairs] for key, pairs in values["titles"].items()}
    return Staged(**{**values, "titles": titles})


@dataclass(frozen=True, slots=True)
class StagedBlock:
    """Some rows of each staged table, as text for COPY: labels, content of items, and kinds of raters."""

    labels: str = ""
    items: str = ""
    kinds: str = ""


def stage(
    records: Iterable[Record],
    options: LabelOptions,
    kinds: dict[str, str],
    *,
    statuses: Mapping[str, int],
    faults: Faults,
    report_rows: ReportRows,
) -> Staged:
    """Read the records into the temporary tables `staged…`, collecting faults of single cells.

    kinds: kinds of the project's questions, by key. statuses: counted while the records are read.
    """
    reading = CopyRows(options, kinds, statuses, faults)

    def reported() -> Iterator[StagedBlock]:
        for block in reading.blocks(records):
            yield block
            report_rows(reading.staged.n_records)

    fill(reported())
    return staged_of(reading.state["staged"])


def fill(blocks: Iterable[StagedBlock]) -> None:
    """Create the staged tables from these blocks."""
    with connection.cursor() as cursor:
        cursor.execute(_CREATE)
        # One COPY per block, so that the connection is free in between to read pieces of the uploaded file.
        for block in blocks:
            for statement, rows in zip(_COPIES, (block.labels, block.items, block.kinds), strict=True):
                if rows:
                    with cursor.copy(statement) as copy:
                        copy.write(rows)
        cursor.execute("ANALYZE staged; ANALYZE staged_content; ANALYZE staged_kind")


class CopyRows:
    """Convert records to rows for COPY."""

    def __init__(
        self, options: LabelOptions, kinds: dict[str, str], statuses: Mapping[str, int], faults: Faults
    ) -> None:
        """statuses: counted while the records are read."""
        self.options, self.kinds, self.statuses, self.faults = options, kinds, statuses, faults
        self.staged = Staged()
        self.content: list[str] = []
        self.rater_kinds: dict[str, str] = {}
        self.kind_rows: list[str] = []
        # Records of all kinds.
        self.n_read = 0
        self.items, self.raters, self.questions = Cells(trim=True), Cells(trim=True), Cells(trim=True)
        self.rounds = Cells(trim=True, may_be_empty=True)
        self.times = TimeCells(may_be_empty=True)
        self.passes, self.guidelines = IntegerCells(least=1), IntegerCells(least=0)
        self.reasons, self.notes = NoteCells(limit=MAX_KEY), NoteCells(limit=MAX_TEXT)
        self.source_ids = NoteCells(limit=MAX_KEY)
        self.seconds = SecondsCells(may_be_empty=True)
        self.confidences = ConfidenceCells(may_be_empty=True)
        self.answers: dict[str, tuple[AnswerCells, bool]] = {}
        self.declared: dict[str, str] = {}

    @property
    def state(self) -> Json:
        """What has been read so far, to go on from later; see resume."""
        staged = asdict(self.staged) | {"statuses": dict(self.statuses)}
        return {"n_read": self.n_read, "declared": self.declared, "staged": staged}

    def resume(self, state: Json, kinds: Iterable[str]) -> None:
        """Continue as if everything up to this state had been read here. kinds: rows of raters and their kinds."""
        self.n_read, self.declared = state["n_read"], dict(state["declared"])
        self.staged = staged_of(state["staged"])
        rows = (row.partition("\t") for part in kinds for row in part.split("\n") if row)
        self.rater_kinds = {rater: kind for rater, _, kind in rows}

    def blocks(self, records: Iterable[Record]) -> Iterator[StagedBlock]:
        """Convert the records that have not been read yet."""
        block: list[str] = []
        for record in islice(records, self.n_read, None):
            self.n_read += 1
            if isinstance(record, LabelRecord):
                self._label(record, block)
            elif isinstance(record, ItemRecord):
                self._item(record)
            else:
                self._question(record)
            if len(block) >= _BLOCK or len(self.content) >= _BLOCK:
                yield self._block(block, record.line)
                block = []
        yield self._block(block, 0)

    def _block(self, rows: list[str], line: int) -> StagedBlock:
        self._count(rows, line)
        block = StagedBlock(*("".join(part) for part in (rows, self.content, self.kind_rows)))
        self.content.clear()
        self.kind_rows.clear()
        return block

    def _count(self, block: list[str], line: int) -> None:
        self.staged.n_labels += len(block)
        limit = settings.IMPORT_MAX_ROWS * _MAX_LABELS_FACTOR
        if self.staged.n_labels > limit:
            rule = f"a file can have at most {limit:,} labels; split it"
            raise self.faults.refuse(line, "", "", "too_many_rows", rule)

    def _label(self, record: LabelRecord, block: list[str]) -> None:
        staged = self.staged
        (
            line, item, rater, question, value, rater_kind, cannot_tell, reason, note, seconds, at, pass_number, round_,
            source_id, state, _, guidelines, confidence, is_suggested,
        ) = record  # fmt: skip
        staged.n_records += 1
        if state != SUBMITTED:
            staged.states[state] = staged.states.get(state, 0) + 1
            return
        answers, takes_empty = self.answers.get(question) or self._answers_to(question)
        if not value and not cannot_tell and value != ():
            if value is not None:
                staged.empty[question] = staged.empty.get(question, 0) + 1
            if value is None or not takes_empty:
                staged.n_empty += 1
                return
            value = ()
        try:
            rest = _NOTHING_ELSE
            if cannot_tell:
                # "Cannot tell" has no confidence.
                confidence = ""
            if (
                any((reason, note, seconds, pass_number, guidelines, source_id, confidence))
                or is_suggested is not None
            ):
                rest = (
                    f"{self.passes[pass_number]}\t{self.reasons[reason]}\t{self.notes[note]}\t"
                    f"{self.seconds[seconds]}\t{self.guidelines[guidelines]}\t{self.source_ids[source_id]}\t"
                    f"{self.confidences[confidence]}\t{_FLAGS[is_suggested]}\n"
                )
            answer = _ABSTAINS if cannot_tell else f"{answers[value]}\tf"
            written = self.raters[rater]
            block.append(
                f"{line}\t{self.items[item]}\t{written}\t{self.questions[question]}\t{answer}\t"
                f"{self.rounds[round_]}\t{self.times[at]}\t{rest}"
            )
        except InvalidCell:
            self._list_faults(record, answers, value)
            return
        if rater_kind and written not in self.rater_kinds:
            self._kind(record, written)
        if round_:
            staged.has_rounds = True
        if pass_number:
            staged.has_passes = True
        if source_id:
            staged.has_source_ids = True

    def _kind(self, record: LabelRecord, rater: str) -> None:
        self.rater_kinds[rater] = record.rater_kind
        self.kind_rows.append(f"{rater}\t{record.rater_kind}\n")
        if record.rater_kind not in RATER_KINDS:
            rule = f"the type of a rater is one of {', '.join(RATER_KINDS)}"
            column = column_with("rater_kind", self.options)
            self.faults.add(record.line, column, record.rater_kind, "bad_choice", rule)

    def _answers_to(self, question: str) -> tuple[AnswerCells, bool]:
        """Return the converter for the question's answers, and whether an empty cell is an answer."""
        chosen = self.options.questions.get(question, QuestionOptions())
        kind = self.kinds.get(question) or self.declared.get(question) or chosen.kind
        if kind not in Question.Kind.values:
            kind = Question.Kind.SINGLE
        answers = answers_of(kind, separator=chosen.separator or "|", decimal=self.options.decimal)
        empty = chosen.values.get("")
        self.answers[question] = found = answers, empty is not None and empty.what == NONE_OF_THEM
        return found

    def _item(self, record: ItemRecord) -> None:
        try:
            content = [_field(name, text) for name, text in record.content.items() if text.strip()]
            item = self.items[record.item]
        except InvalidCell as bad:
            self.faults.add(record.line, column_with("item", self.options), record.item, bad.code, bad.rule)
            return
        attributes = attributes_of_texts(record.attributes)
        written = [for_copy(json.dumps(part, ensure_ascii=False)) for part in (content, attributes)]
        self.content.append(f"{record.line}\t{item}\t{written[0]}\t{written[1]}\n")

    def _question(self, record: QuestionRecord) -> None:
        if record.kind:
            self.declared[record.question] = record.kind
        self.staged.titles[record.question] = list(record.categories)
        self.staged.prompts[record.question] = record.prompt

    def _list_faults(self, record: LabelRecord, answers: AnswerCells, value: object) -> None:
        """Check each cell of a bad record separately, to report all its faults."""
        field = record.question if is_of_program(self.options) else LABEL
        looked: list[tuple[str, str, Callable[[], str]]] = [
            ("item", record.item, lambda: self.items[record.item]),
            ("rater", record.rater, lambda: self.raters[record.rater]),
            ("question", record.question, lambda: self.questions[record.question]),
            ("round", record.round, lambda: self.rounds[record.round]),
            ("time", record.at, lambda: self.times[record.at]),
            ("pass", record.pass_number, lambda: self.passes[record.pass_number]),
            ("reason", record.reason, lambda: self.reasons[record.reason]),
            ("note", record.note, lambda: self.notes[record.note]),
            ("seconds", record.seconds, lambda: self.seconds[record.seconds]),
            ("confidence", record.confidence, lambda: self.confidences[record.confidence]),
            ("source_id", record.source_id, lambda: self.source_ids[record.source_id]),
            (
                "guidelines_version",
                record.guidelines_version,
                lambda: self.guidelines[record.guidelines_version],
            ),
            (record.column or field, str(record.value or ""), lambda: answers[value]),  # type: ignore[index]
        ]
        for role, text, look in looked:
            try:
                look()
            except InvalidCell as bad:
                is_wide = role in (RATER, QUESTION) and self.options.layout == WIDE
                column = record.column if is_wide else column_with(role, self.options)
                self.faults.add(record.line, column, text, bad.code, bad.rule)


def _field(name: str, text: str) -> dict[str, str]:
    """Return a content field. Its kind is a prefix of the name, as in image:photo, or detected from a link."""
    kind, plain = kind_and_name(name)
    if not kind:
        is_link = text.startswith(("http://", "https://")) and " " not in text.strip()
        kind = Item.Field.LINK if is_link else Item.Field.TEXT
    if len(text) > MAX_TEXT:
        raise InvalidCell("too_long", f"{plain} must have at most {MAX_TEXT:,} characters; has {len(text):,}")
    if not text.isprintable():
        check_characters(text)
    return {"name": plain, "kind": kind, "value": text}


def kind_and_name(column: str) -> tuple[str, str]:
    """Return the kind that the name of a column of content begins with, or "", and the name of its field."""
    kind, colon, plain = column.partition(":")
    if not colon or kind not in Item.Field.values:
        kind, plain = "", column
    return kind, plain.strip()[:MAX_KEY] or "content"
