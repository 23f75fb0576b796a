"""The labels of a file, by question, without a project or database; files are read as by an import."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.tables.cells import InvalidCell
from core.tables.encoding import AUTO, Source
from core.tables.faults import Faults, FileRefused
from projects.models import MAX_VALUE
from raters.imports.file_interpretation import TABLE, FileInterpretation, ProjectKeys
from raters.imports.file_opening import opened_files
from raters.imports.file_reader import FileReader
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.reading.columns import CONTENT, LABEL, WIDE, Column
from raters.reading.records import TEXT, Files, ItemRecord, LabelRecord, Record
from raters.reading.resolved_labels import ResolvedLabels, ResolvedQuestion, ResolverOptions, resolve_labels
from raters.reading.values import in_order
from reports.agreement.results import FloatArray, IntArray
from reports.agreement.weights import Level
from reports.analysis.kinds import KINDS
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import IdArray, LabelColumns, QuestionLabels, of_raters
from reports.analysis.question import Kind
from reports.sources.count_file import CountForm
from reports.sources.counted_labels import QUESTION, counts_of, form_of, labels_of, understood_of
from reports.sources.file_rounds import FileRounds
from reports.sources.parsed_labels import VALUES, natural, seconds_of

MAX_ROWS = 20_000_000


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How to read a file. categories: the declared ones; if empty, they are taken from the labels.

    kind, level: of all questions; "" reads a table as single, nominal choices, and "auto" detects them from the values.
    is_wide: every column except item and question is a rater. has_times: whether the times of labels are read. counts:
    whether the file has counts rather than labels: a `CountForm`, "none", or "auto" for a table that can only be a
    confusion matrix. unit: the column with the unit of each item, such as its document; "" for none. round: the only
    one to read; "" for all.
    """

    options: LabelOptions = field(default_factory=LabelOptions)
    kind: str = ""
    level: str = ""
    questions: Collection[str] = ()
    categories: Sequence[str] = ()
    is_wide: bool = False
    has_times: bool = False
    counts: str = AUTO
    unit: str = ""
    round: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class FileQuestion:
    """The labels of one question.

    items, raters, categories: names, the first two in natural order. rows, columns: (L,) the positions in `items` and
    `raters` of each label. values: (L,) positions in `categories`, numbers, or rows of `members`, (S, K) bool, the
    categories of each set. order: (N,) the items in the order of the file. times: (L,) in seconds since 1970, or empty.
    has_order: whether the order of the categories was given. looks: the kind and level that the values suggest, if
    others were used. counts: the form of the counts, if the file has counts. units: (N,) of each item, or empty.
    """

    key: str
    kind: Kind
    level: Level
    categories: list[str]
    has_order: bool
    items: list[str]
    raters: list[str]
    rows: IdArray
    columns: IdArray
    values: NDArray[Any]
    members: NDArray[np.bool_] | None
    order: IntArray
    times: FloatArray
    looks: tuple[str, str] | None = None
    counts: CountForm | None = None
    units: Sequence[str] = ()

    def label_columns(self, raters: Sequence[int] | None = None) -> LabelColumns:
        """Return the labels, or those of some raters, by positions of items and raters."""
        nothing = np.zeros(len(self.rows), dtype=np.int64)
        found = LabelColumns(self.rows, self.columns, self.values, nothing, nothing, nothing, self.members)
        return found if raters is None else of_raters(found, raters)

    def labels(self, kind: QuestionKind, *, n_abstentions: int = 0) -> QuestionLabels[Any]:
        """Return the labels in the form that the analysis takes."""
        part = kind.part(self.label_columns())
        return QuestionLabels(
            part.sample,
            part.item_ids.astype(np.int64),
            np.arange(len(self.raters), dtype=np.int64),
            n_abstentions,
            "",
            order=self.order,
        )


@dataclass(frozen=True, slots=True, eq=False)
class FileLabels:
    """questions: in order of first appearance. interpretation, resolved: how the file was read, and the result for its
    values.
    """

    questions: list[FileQuestion]
    interpretation: FileInterpretation
    resolved: ResolvedLabels

    @property
    def form(self) -> CountForm | None:
        """The form of the counts; None if the file has labels."""
        return self.questions[0].counts if self.questions else None


def read_label_file(name: str, source: Source, options: FileOptions) -> FileLabels:
    """Read the labels of a file. Raises FileRefused with all errors if the file has any."""
    faults = Faults()
    with opened_files(name, source, faults) as files:
        if form := _form(files, options):
            return _of_counts(form, files, options, faults)
        reader = _reader(files, options, faults)
        guessed = dict(reader.interpretation.options.questions)
        _settle_kinds(reader, options)
        interpretation = reader.interpretation
        settling = ResolverOptions(
            interpretation.options.questions,
            kind=options.kind if options.kind in list(Kind) else Kind.SINGLE,
            decimal=interpretation.options.decimal,
            repeats=interpretation.options.repeats,
            categories=options.categories,
            only=options.questions,
            max_number=MAX_VALUE,
        )
        units: dict[str, str] = {}
        rounds = FileRounds(options.round)
        compared = rounds.labels_of(_but_texts(reader.records(faults), interpretation))
        resolved = resolve_labels(_noting(compared, options.unit, units), settling, faults)
        rounds.check(faults, choose="choose it with --round")
    for key in options.questions:
        if key in interpretation.texts:
            faults.add(0, "question", key, "free_text", "answered in free text, which has no agreement")
        elif key not in resolved.questions:
            faults.add(0, "question", key, "unknown_question", "the file has no such question")
    gather_emptiness(resolved, interpretation, faults)
    asked = [key for key in resolved.questions if not options.questions or key in options.questions]
    has_time = any(column.role == "time" for column in interpretation.options.columns.values())
    found = [] if faults else [question_in_file(key, resolved, options, guessed) for key in asked]
    if options.unit and not faults:
        found = [replace(each, units=_units(each, options.unit, units, faults)) for each in found]
    if options.has_times and not faults:
        found = [
            replace(each, times=_times(resolved.questions[each.key], faults, has_column=has_time))
            for each in found
        ]
    if faults:
        raise FileRefused(faults)
    return FileLabels(found, interpretation, resolved)


def _form(files: Files, options: FileOptions) -> CountForm | None:
    if options.counts != AUTO:
        return CountForm(options.counts) if options.counts in list(CountForm) else None
    if options.is_wide or options.unit or options.kind not in ("", AUTO, Kind.SINGLE):
        return None
    return form_of(files, options.options)


def _of_counts(form: CountForm, files: Files, options: FileOptions, faults: Faults) -> FileLabels:
    if options.round:
        raise faults.refuse(0, "round", options.round, "unknown_round", "a file of counts has no rounds")
    found = counts_of(files, form, options.options, faults)
    for key in options.questions:
        if key != QUESTION:
            raise faults.refuse(0, "question", key, "unknown_question", "the file has no such question")
    order = [*(options.categories or found.categories)]
    if unknown := [name for name in found.categories if name not in order]:
        raise faults.refuse(
            found.table.header_line, "", unknown[0], "unknown_category", "not among the categories"
        )
    items, raters, rows, columns, values = labels_of(found)
    places = np.array([order.index(name) for name in found.categories], dtype=np.int64)
    question = FileQuestion(
        key=QUESTION,
        kind=Kind.SINGLE,
        level=Level(options.level if options.level not in ("", AUTO) else Level.NOMINAL),
        categories=order,
        has_order=True,
        items=items,
        raters=raters,
        rows=rows.astype(np.int64),
        columns=columns.astype(np.int64),
        values=places[values],
        members=None,
        order=np.arange(len(items), dtype=np.int64),
        times=np.empty(0),
        counts=form,
    )
    resolved = ResolvedLabels(
        items=items, raters=raters, questions={QUESTION: ResolvedQuestion(QUESTION, Kind.SINGLE)}
    )
    return FileLabels([question], understood_of(found, options.options), resolved)


def _but_texts(records: Iterator[Record], interpretation: FileInterpretation) -> Iterator[Record]:
    """Yield the records of questions that can be compared; count the labels left out."""
    for record in records:
        if isinstance(record, LabelRecord) and record.question in interpretation.texts:
            interpretation.left_out["free-text answers"] += 1
        else:
            yield record


def _noting(records: Iterator[Record], unit: str, units: dict[str, str]) -> Iterator[Record]:
    """Yield the same records, recording the unit of each item that has one."""
    for record in records:
        if unit and isinstance(record, ItemRecord):
            value = record.content.get(unit) or record.attributes.get(unit) or ""
            if value.strip():
                units[record.item] = value.strip()
        yield record


def _units(question: FileQuestion, unit: str, units: Mapping[str, str], faults: Faults) -> list[str]:
    for item in question.items:
        if item not in units:
            faults.add(0, unit, item, "missing_unit", f"the item has no {unit}")
    return [units.get(item, "") for item in question.items]


def gather_emptiness(resolved: ResolvedLabels, interpretation: FileInterpretation, faults: Faults) -> None:
    """Add an error if the file has no labels at all."""
    if resolved.questions or faults:
        return
    faults.add(0, "", "", "no_labels", interpretation.why_empty("analyzed"))


def _reader(files: Files, options: FileOptions, faults: Faults) -> FileReader:
    """Return a reader for the file. Raises FileRefused if the file cannot be interpreted."""
    given = options.options
    if options.kind and options.kind != AUTO:
        given = replace(given, question_kind=options.kind)
    if options.unit and options.unit not in given.columns:
        given = replace(given, columns={**given.columns, options.unit: Column(CONTENT)})
    if options.is_wide:
        given = replace(given, layout=WIDE)
        given = _with_raters(FileReader(files, given, ProjectKeys(), max_rows=MAX_ROWS), given, faults)
    reader = FileReader(files, given, ProjectKeys(), max_rows=MAX_ROWS)
    if reader.understand(faults) is None:
        raise FileRefused(faults)
    return reader


def _with_raters(reader: FileReader, options: LabelOptions, faults: Faults) -> LabelOptions:
    """Treat every column except item and question as a rater's if the file has a column `item`."""
    reader.understand(Faults())
    columns = reader.interpretation.columns
    if reader.format or "item" not in columns:
        return options
    if {"rater", "label"} <= set(columns):
        rule = "the columns rater and label belong to the long format, with one label per row; remove --wide"
        raise faults.refuse(1, "label", "", "unknown_column", rule)
    raters = [name for name in columns if name not in {"item", "question", *options.columns}]
    if not raters and not any(column.role == LABEL for column in options.columns.values()):
        raise faults.refuse(1, "", "", "missing_column", "no column left for raters")
    return replace(
        options, columns={**options.columns, **{name: Column(LABEL, rater=name) for name in raters}}
    )


def _settle_kinds(reader: FileReader, options: FileOptions) -> None:
    """Treat numbers and separated texts in a table as single choices, unless the options say otherwise.

    The same goes for what merely looks like free text: nothing is left out unless it was declared.
    """
    interpretation, given = reader.interpretation, options.options
    interpretation.texts |= {key for key, question in given.questions.items() if question.kind == TEXT}
    is_open = not options.kind and given.question_kind == AUTO and interpretation.options.format == TABLE
    questions = {
        key: replace(found, kind=Kind.SINGLE)
        if found.kind == TEXT
        or (is_open and (key not in given.questions or given.questions[key].kind == AUTO))
        else found
        for key, found in interpretation.options.questions.items()
    }
    interpretation.options = replace(interpretation.options, questions=questions)


def _level(resolved: ResolvedQuestion, options: FileOptions, guessed: str) -> Level:
    given = options.options
    of_question = given.questions[resolved.key].level if resolved.key in given.questions else AUTO
    chosen = next(
        (level for level in (options.level, of_question, given.level) if level not in ("", AUTO)), ""
    )
    if chosen:
        return Level(chosen)
    default = KINDS[Kind(resolved.kind)].default_level
    return Level(guessed) if options.level == AUTO and guessed in list(Level) else Level(default)


def question_in_file(
    key: str, resolved: ResolvedLabels, options: FileOptions, guessed: Mapping[str, QuestionOptions]
) -> FileQuestion:
    """Return the settled labels of one question as arrays. guessed: what the values of each question look like."""
    found = resolved.questions[key]
    looked = guessed.get(key)
    kind, level = Kind(found.kind), _level(found, options, looked.level if looked else "")
    looks = (looked.kind, looked.level) if looked and (looked.kind, looked.level) != (kind, level) else None
    items, rows = _sorted(resolved.items, found.items)
    raters, columns = _sorted(resolved.raters, found.raters)
    codes = np.asarray(found.answers, dtype=np.int64)
    written = VALUES[kind](found.meanings, codes, found.order)
    categories = written.categories
    if kind is Kind.SINGLE and level is Level.ORDINAL and not found.order:
        # A well-known scale gets its usual order.
        categories = in_order(categories)
        places = {name: place for place, name in enumerate(categories)}
        moved = np.array([places[name] for name in written.categories], dtype=np.int64)
        written = replace(written, values=moved[written.values] if len(moved) else written.values)
    places_in_file = {name: place for place, name in enumerate(resolved.items)}
    return FileQuestion(
        key=key,
        kind=kind,
        level=level,
        categories=categories,
        has_order=bool(found.order) or categories != written.categories,
        items=items,
        raters=raters,
        rows=rows,
        columns=columns,
        values=written.values,
        members=written.members,
        order=np.argsort([places_in_file[name] for name in items]).astype(np.int64),
        times=np.empty(0),
        looks=looks,
    )


def _sorted(names: Sequence[str], used: Sequence[int]) -> tuple[list[str], IdArray]:
    """Return the used names in natural order, and the position of each label's name among them."""
    places = np.asarray(used, dtype=np.int64)
    distinct = sorted(set(places.tolist()), key=lambda place: natural(names[place]))
    positions = np.full(len(names), -1, dtype=np.int64)
    positions[distinct] = np.arange(len(distinct))
    return [names[place] for place in distinct], positions[places] if len(places) else places


def _times(found: ResolvedQuestion, faults: Faults, *, has_column: bool) -> FloatArray:
    """Return times in seconds since 1970; empty if the file has none."""
    if not has_column and not any(found.times):
        return np.empty(0)
    seconds = np.zeros(len(found.times))
    for place, time in enumerate(found.times):
        try:
            seconds[place] = seconds_of(time)
        except InvalidCell as bad:
            faults.add(found.lines[place], "time", time, bad.code, bad.rule)
    return seconds
