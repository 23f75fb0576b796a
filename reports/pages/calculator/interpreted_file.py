"""Reading and interpreting a file without a database, for a preview like that of an import."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace

from core.tables.encoding import Source
from core.tables.faults import Faults, FileRefused
from projects.models import MAX_VALUE, Question
from raters.imports.file_interpretation import FileInterpretation, ProjectKeys
from raters.imports.file_opening import opened_files
from raters.imports.file_reader import FileReader
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.imports.values import LISTED, QuestionPreview, ValueRow
from raters.reading.number_notation import number_of
from raters.reading.resolved_labels import ResolvedLabels, ResolvedQuestion, ResolverOptions, resolve_labels
from raters.reading.values import CATEGORY, ValueMeaning, in_order
from reports.analysis.results import Json
from reports.pages.calculator.limits import MAX_ROWS
from reports.sources.file_labels import gather_emptiness
from reports.sources.file_rounds import FileRounds

# The attributes of the opened file that the preview shows.
_SHOWN = (
    "title", "detected", "choices", "encoding", "separator", "sheet", "sheets", "other_tables", "header_line",
    "columns", "first_rows", "date_columns", "unlike_raters", "ignored_labels", "is_transposed",
)  # fmt: skip


@dataclass(slots=True)
class InterpretedFile:
    """A file read with the options, which are complete once it was interpreted. resolved: None if that failed."""

    interpretation: FileInterpretation
    resolved: ResolvedLabels | None = None
    rounds: FileRounds = field(default_factory=FileRounds)
    faults: Faults = field(default_factory=Faults)

    @property
    def options(self) -> LabelOptions:
        """The options including the meaning of each value, so that nothing is guessed again."""
        options = self.interpretation.options
        if self.resolved is None:
            return options
        questions = dict(options.questions)
        for key, found in self.resolved.questions.items():
            given = questions.get(key, QuestionOptions(kind=found.kind, level=Question.Level.NOMINAL))
            questions[key] = replace(given, values=found.becomes, order=given.order or tuple(found.titles))
        return replace(options, questions=questions)

    def preview(self) -> Json:
        """Return the preview for `raters.imports.draft_form.OptionsForm`."""
        shown: Json = {name: getattr(self.interpretation, name) for name in _SHOWN}
        shown["rounds"] = list(filter(None, self.rounds.names))
        resolved = self.resolved
        if resolved is None:
            return {**shown, "questions": []}
        return {
            **shown,
            "questions": [asdict(self._question(found)) for found in resolved.questions.values()],
            "left_out": {what: n for what, n in self.interpretation.left_out.items() if n},
            "states": dict(resolved.states),
            "n_empty": resolved.n_empty,
            "n_missing": sum(sum(found.missing.values()) for found in resolved.questions.values()),
            "n_repeats": resolved.n_repeats,
            "n_later": resolved.n_later,
            "n_abstentions": sum(found.n_abstentions for found in resolved.questions.values()),
        }

    def _question(self, found: ResolvedQuestion) -> QuestionPreview:
        given = self.interpretation.options.questions.get(found.key, QuestionOptions())
        level = given.level if given.level in Question.Level.values else Question.Level.NOMINAL
        rows = [
            ValueRow(written, n, _meaning(found.becomes, written).as_json(), found.why.get(written, ""))
            for written, n in found.counts.items()
            if not _is_plain_number(found, written)
        ]
        places = {key: place for place, key in enumerate(in_order(_keys_in(rows)))}
        rows.sort(key=lambda row: places[row.becomes] if isinstance(row.becomes, str) else len(places))
        return QuestionPreview(
            found.key, found.kind, level, True, list(found.titles)[:LISTED], rows[:LISTED], len(rows)
        )


def read_file(name: str, source: Source, options: LabelOptions, only_round: str = "") -> InterpretedFile:
    """Read a file, or one round of it. Errors are collected, so that they can be shown with what could be read."""
    faults, rounds = Faults(), FileRounds(only_round)
    read = InterpretedFile(FileInterpretation(options), rounds=rounds, faults=faults)
    with suppress(FileRefused), opened_files(name, source, faults) as files:
        reader = FileReader(files, options, ProjectKeys(), max_rows=MAX_ROWS, refuses_counts=True)
        interpretation = read.interpretation = reader.interpretation
        if reader.understand(faults) is None:
            return read
        settling = ResolverOptions(
            interpretation.options.questions,
            decimal=interpretation.options.decimal,
            repeats=interpretation.options.repeats,
            max_number=MAX_VALUE,
        )
        resolved = resolve_labels(rounds.labels_of(reader.records(faults)), settling, faults)
        rounds.check(faults, choose="choose it under “Round”")
        gather_emptiness(resolved, interpretation, faults)
        read.resolved = resolved
    return read


def in_full_order(found: ResolvedQuestion, options: QuestionOptions) -> list[str]:
    """Return every category, even without labels, in the order in which an import would create them."""
    if found.kind == Question.Kind.NUMBER:
        return []
    fates = (_meaning(found.becomes, written) for written in found.counts)
    keys = list(
        dict.fromkeys([*found.titles, *(meaning.key for meaning in fates if meaning.what == CATEGORY)])
    )
    order = [key for key in options.order or tuple(found.titles) if key in keys]
    return order + [key for key in in_order(keys) if key not in order]


def _meaning(meanings: Mapping[str, ValueMeaning], written: str) -> ValueMeaning:
    return meanings.get(written, ValueMeaning(CATEGORY, written))


def _keys_in(rows: list[ValueRow]) -> list[str]:
    return list(dict.fromkeys(row.becomes for row in rows if isinstance(row.becomes, str)))


def _is_plain_number(found: ResolvedQuestion, written: str) -> bool:
    """Return whether a value of a number question is a number that needs no explanation."""
    is_number = found.kind == Question.Kind.NUMBER and number_of(written) is not None
    return is_number and written not in found.becomes
