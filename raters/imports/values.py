"""Resolve staged values to categories, missing, or "cannot tell"."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connection

from core.tables.faults import Faults
from projects.models import MAX_VALUE, Category, Project, Question
from raters.imports.answer_cells import SET
from raters.imports.fault_columns import FaultyCell, column_with, faults_in
from raters.imports.label_options import LabelOptions, QuestionOptions
from raters.reading.columns import LABEL
from raters.reading.number_notation import UNCLEAR, is_unclear, number_rule, unclear_rule
from raters.reading.values import (
    CANNOT_TELL,
    CATEGORY,
    MISSING,
    MISSING_CODES,
    ValueMeaning,
    in_order,
    missing_codes_in,
    suggested,
)

# Above these limits, most likely the wrong column was chosen.
MOST_CATEGORIES = 1_000
_MOST_ANSWERS = 100_000
# Maximum number of values shown per question.
LISTED = 1_000
_WRITTEN = f"""
SELECT question, label, count(*), min(line), min(n) FROM staged WHERE label IS NOT NULL
GROUP BY question, label ORDER BY min(n) LIMIT {_MOST_ANSWERS + 1}
"""
_NUMBERS = """
SELECT s.question, min(s.number) FILTER (WHERE number <> ALL (%(codes)s)),
    max(s.number) FILTER (WHERE number <> ALL (%(codes)s)),
    count(DISTINCT s.number) FILTER (WHERE number <> ALL (%(codes)s))
FROM staged s WHERE s.number IS NOT NULL AND s.question = ANY (
    SELECT DISTINCT question FROM staged WHERE number = ANY (%(codes)s)
) GROUP BY s.question
"""
_CODES = "SELECT question, number, count(*) FROM staged WHERE number = ANY (%s) GROUP BY question, number"
_CREATE = """
CREATE TEMPORARY TABLE staged_answer (
    question text NOT NULL, label text NOT NULL, fate text NOT NULL, keys text[] NOT NULL,
    category_id bigint, category_set bigint[]
) ON COMMIT DROP;
CREATE TEMPORARY TABLE staged_category (
    question text NOT NULL, key text NOT NULL, name text NOT NULL, line integer NOT NULL, n bigint NOT NULL, id bigint
) ON COMMIT DROP;
"""
_MISSING = """
DELETE FROM staged s USING staged_answer a
WHERE a.fate = 'missing' AND s.question = a.question AND s.label = a.label
"""
_CANNOT_TELL = """
UPDATE staged s SET abstains = true, label = NULL FROM staged_answer a
WHERE a.fate = 'cannot_tell' AND s.question = a.question AND s.label = a.label
"""
_MISSING_NUMBERS = "DELETE FROM staged WHERE question = %s AND number = ANY (%s)"
_CANNOT_TELL_NUMBERS = """
UPDATE staged SET abstains = true, number = NULL WHERE question = %s AND number = ANY (%s)
"""


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A value as written in the file, its count, and what it becomes. why: see `Suggestion`."""

    written: str
    n: int
    becomes: Any
    why: str = ""


@dataclass(slots=True)
class QuestionPreview:
    """A question in the file. categories: known category keys. rows: the values found."""

    key: str
    kind: str
    level: str
    is_new: bool
    categories: list[str] = field(default_factory=list)
    rows: list[ValueRow] = field(default_factory=list)
    n_rows: int = 0


@dataclass(slots=True)
class _StagedAnswer:
    """A distinct staged label: its parts (one, unless it is a set), its count, and where it first occurs."""

    label: str
    parts: list[str]
    n: int
    line: int
    place: int


def resolve_values(
    project: Project,
    options: LabelOptions,
    titles: Mapping[str, Iterable[tuple[str, str]]],
    empty: Mapping[str, int],
    faults: Faults,
) -> tuple[list[QuestionPreview], dict[str, QuestionOptions], int]:
    """Determine what each staged value becomes, and create staged_answer and staged_category.

    titles: titles of categories that the file declares, by question. empty: counts of empty cells, by question.
    Returns the questions, their options with every value resolved, and the number of staged labels that are missing.
    """
    resolving = _ValueResolver(project, options, titles, empty, faults)
    return resolving.questions(), resolving.resolved, resolving.apply()


class _ValueResolver:
    def __init__(
        self,
        project: Project,
        options: LabelOptions,
        titles: Mapping[str, Iterable[tuple[str, str]]],
        empty: Mapping[str, int],
        faults: Faults,
    ) -> None:
        self.options, self.titles, self.empty, self.faults = options, titles, empty, faults
        self.known = {question.key: question for question in project.questions.all()}
        self.categories: dict[str, dict[str, int]] = defaultdict(dict)
        of_project = Category.with_merged.filter(question__project=project).order_by("position", "id")
        # Merged categories stand for the one they were merged into.
        for question, key, pk, merged in of_project.values_list("question__key", "key", "pk", "merged_into"):
            self.categories[question][key] = merged or pk
        self.resolved: dict[str, QuestionOptions] = dict(options.questions)
        self.answers: list[tuple[str, str, str, list[str]]] = []
        self.new: dict[tuple[str, str], tuple[int, int]] = {}
        self.numbers: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def questions(self) -> list[QuestionPreview]:
        written = self._written()
        codes = self._codes()
        with connection.cursor() as cursor:
            cursor.execute("SELECT question, min(n) FROM staged GROUP BY question ORDER BY 2")
            keys = [key for key, _ in cursor.fetchall()]
        return [self._question(key, written.get(key, []), codes.get(key, {})) for key in keys]

    def _written(self) -> dict[str, list[_StagedAnswer]]:
        found: dict[str, list[_StagedAnswer]] = defaultdict(list)
        with connection.cursor() as cursor:
            cursor.execute(_WRITTEN)
            rows = cursor.fetchall()
        if len(rows) > _MOST_ANSWERS:
            rule = f"more than {_MOST_ANSWERS:,} different labels; is the right column chosen?"
            raise self.faults.refuse(0, column_with(LABEL, self.options), "", "too_many_names", rule)
        for question, label, n, line, place in rows:
            parts = label.split(SET)[1:] if label.startswith(SET) else [label]
            found[question].append(_StagedAnswer(label, [part for part in parts if part], n, line, place))
        return found

    def _codes(self) -> dict[str, dict[float, int]]:
        """Return numbers that may be missing-value codes, with their counts, by question."""
        codes = list(MISSING_CODES)
        found: dict[str, dict[float, int]] = defaultdict(dict)
        with connection.cursor() as cursor:
            cursor.execute(_NUMBERS, {"codes": codes})
            ranges = {question: (low, high) for question, low, high, n in cursor.fetchall() if n > 1}
            cursor.execute(_CODES, [codes])
            for question, number, n in cursor.fetchall():
                chosen = self.options.questions.get(question, QuestionOptions()).values
                is_far = question in ranges and missing_codes_in([*ranges[question], number])
                if is_far or f"{number:g}" in chosen:
                    found[question][number] = n
        return found

    def _question(self, key: str, answers: list[_StagedAnswer], codes: dict[float, int]) -> QuestionPreview:
        known, chosen = self.known.get(key), self.options.questions.get(key, QuestionOptions())
        kind = (
            known.kind
            if known
            else chosen.kind
            if chosen.kind in Question.Kind.values
            else Question.Kind.SINGLE
        )
        level = (
            known.level
            if known
            else chosen.level
            if chosen.level in Question.Level.values and Question.Kind(kind).is_compared
            else Question.Level.NOMINAL
        )
        counts: dict[str, int] = defaultdict(int)
        for answer in answers:
            for part in answer.parts:
                counts[part] += answer.n
        declared = dict(self.titles.get(key, ()))
        present = [*self.categories[key], *declared]
        becomes, why = dict(chosen.values), {}
        for written, suggestion in suggested(counts, kind=kind, known=present).items():
            becomes.setdefault(written, suggestion.becomes)
            if becomes[written] == suggestion.becomes:
                why[written] = suggestion.why
        for number in codes:
            written = f"{number:g}"
            counts[written] = codes[number]
            if becomes.setdefault(written, ValueMeaning(MISSING)).what == MISSING:
                why[written] = "missing_code"
            if becomes[written].what != CATEGORY:
                self.numbers[key][becomes[written].what].append(number)
        for answer in answers:
            self._settle(key, kind, answer, becomes)
        if known is None and Question.Kind(kind).has_categories:
            for written in (*declared, *chosen.categories):
                self.new.setdefault((key, written), (0, 0))
        order = chosen.order or tuple(declared)
        self.resolved[key] = replace(chosen, kind=kind, level=level, values=becomes, order=order)
        rows = [
            ValueRow(text, n, becomes[text].as_json() if text in becomes else text, why.get(text, ""))
            for text, n in counts.items()
        ]
        rows = _in_order(rows)
        if kind == Question.Kind.MULTIPLE and (n_empty := self.empty.get(key)):
            # No answer, unless in this file it means that no category applies.
            rows.append(ValueRow("", n_empty, becomes.get("", ValueMeaning(MISSING)).as_json()))
        return QuestionPreview(key, kind, level, known is None, [*present][:LISTED], rows[:LISTED], len(rows))

    def _settle(
        self, question: str, kind: str, answer: _StagedAnswer, meanings: Mapping[str, ValueMeaning]
    ) -> None:
        fates = {part: meanings.get(part, ValueMeaning(CATEGORY, part)) for part in answer.parts}
        whats = {meaning.what for meaning in fates.values()}
        if (MISSING in whats and len(whats) == 1) or CANNOT_TELL in whats:
            meaning = CANNOT_TELL if CANNOT_TELL in whats else MISSING
            self.answers.append((question, answer.label, meaning, []))
            return
        if kind == Question.Kind.NUMBER:
            self._refuse_number(answer)
            return
        keys = list(dict.fromkeys(meaning.key for meaning in fates.values() if meaning.what == CATEGORY))
        if kind == Question.Kind.SINGLE and not keys:
            rule = "none of the categories, but the question has a single choice; choose a category"
            self._refuse(answer, "bad_choice", rule)
        for key in keys:
            line, place = self.new.get((question, key), (answer.line, answer.place))
            self.new[question, key] = min(line, answer.line), min(place, answer.place)
        self.answers.append((question, answer.label, CATEGORY, keys))

    def _refuse_number(self, answer: _StagedAnswer) -> None:
        if not is_unclear(answer.label, decimal=self.options.decimal):
            self._refuse(answer, "bad_number", number_rule(answer.label, MAX_VALUE))
        elif all(fault.code != UNCLEAR for fault in self.faults.listed):
            self._refuse(answer, UNCLEAR, unclear_rule(answer.label))

    def _refuse(self, answer: _StagedAnswer, code: str, rule: str) -> None:
        cell = FaultyCell(answer.line, "", answer.label)
        self.faults.extend(faults_in(LABEL, [(cell, rule)], code, self.options), n=1)

    def apply(self) -> int:
        n_missing = 0
        with connection.cursor() as cursor:
            cursor.execute(_CREATE)
            with cursor.copy("COPY staged_answer (question, label, fate, keys) FROM STDIN") as copy:
                for row in self.answers:
                    copy.write_row(row)
            with cursor.copy("COPY staged_category (question, key, name, line, n, id) FROM STDIN") as copy:
                for (question, key), (line, place) in self.new.items():
                    name = dict(self.titles.get(question, ())).get(key, "")
                    pk = self.categories[question].get(key)
                    copy.write_row((question, key, name if name != key else "", line, place, pk))
            cursor.execute("ANALYZE staged_answer; ANALYZE staged_category")
            fates = {meaning for _, _, meaning, _ in self.answers}
            if MISSING in fates:
                cursor.execute(_MISSING)
                n_missing += cursor.rowcount
            if CANNOT_TELL in fates:
                cursor.execute(_CANNOT_TELL)
            for question, by_fate in self.numbers.items():
                if codes := by_fate.get(MISSING):
                    cursor.execute(_MISSING_NUMBERS, [question, codes])
                    n_missing += cursor.rowcount
                if codes := by_fate.get(CANNOT_TELL):
                    cursor.execute(_CANNOT_TELL_NUMBERS, [question, codes])
        return n_missing


def _in_order(rows: list[ValueRow]) -> list[ValueRow]:
    """Sort rows by the order of categories on their scale, followed by everything else."""
    keys = list(dict.fromkeys(row.becomes for row in rows if isinstance(row.becomes, str)))
    places = {key: place for place, key in enumerate(in_order(keys))}
    return sorted(
        rows,
        key=lambda row: places.get(row.becomes, len(places)) if isinstance(row.becomes, str) else len(places),
    )
