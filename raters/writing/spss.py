"""SPSS: one case per item, one variable per question and rater, categories as numbers with value labels."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby

from django.utils import timezone

from projects.models import Question
from raters.writing.contents import MAX_STRING, ExportContents
from raters.writing.records import BETWEEN, ExportKind, ExportQuestion, FinalRow, LabelRow, Value
from raters.writing.sav import MAX_NAME, Case, SpssMeasure, Variable, cut, sav_pieces
from raters.writing.source import LiveLabels
from raters.writing.tables import column_name
from raters.writing.target import Loss, Target, lost, media_loss

MAX_VARIABLES = 32_000
CANNOT_TELL = "cannot tell"
# A variable has at most three missing values, one of which is for “cannot tell”.
MOST_MISSING = 2
_RESERVED = {"ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"}
_MEASURES: dict[str, SpssMeasure] = {
    Question.Level.NOMINAL: SpssMeasure.NOMINAL,
    Question.Level.ORDINAL: SpssMeasure.ORDINAL,
}


@dataclass(frozen=True, slots=True)
class Coding:
    """How the labels of one question become values of a variable. cannot_tell: a number that no label has.

    missing: maps each category or number treated as missing to its value, which the file declares as missing; empty if
    there are more of these than an SPSS variable can have.
    """

    question: ExportQuestion
    codes: dict[str, float]
    cannot_tell: float
    missing: dict[str | float, float] = field(default_factory=dict)

    def variable(self, name: str, label: str) -> Variable:
        question = self.question
        if question.is_multiple:
            return Variable(
                name, label, SpssMeasure.NOMINAL, width=min(MAX_STRING, max(1, set_length(question)))
            )
        measure = (
            SpssMeasure.SCALE if question.is_number else _MEASURES.get(question.level, SpssMeasure.SCALE)
        )
        values = {code: key for key, code in self.codes.items()}
        values |= {code: key for key, code in self.missing.items() if isinstance(key, str)}
        values[self.cannot_tell] = CANNOT_TELL
        codes = [*self.codes.values(), *self.missing.values()]
        is_whole = not question.is_number and all(code == int(code) for code in codes)
        declared = (self.cannot_tell, *self.missing.values())
        return Variable(name, label, measure, decimals=0 if is_whole else 2, values=values, missing=declared)

    def value_of(self, label: LabelRow) -> str | float | None:
        if isinstance(label.missing, str | float):
            return self.missing.get(label.missing)
        return self.value(label.value, is_abstention=label.is_abstention)

    def value(self, value: Value, *, is_abstention: bool) -> str | float | None:
        if self.question.is_multiple:
            return BETWEEN.join(value) if isinstance(value, tuple) else None
        if is_abstention:
            return self.cannot_tell
        return self.codes[value] if isinstance(value, str) else value if isinstance(value, float) else None


def set_length(question: ExportQuestion) -> int:
    """Return the length of the longest set in bytes."""
    return len(BETWEEN.join(category.key for category in question.categories).encode())


def coding_of(live: LiveLabels, question: ExportQuestion) -> Coding:
    values = [category.value for category in question.compared]
    has_values = question.level in {Question.Level.INTERVAL, Question.Level.RATIO} and None not in values
    places = [float(place) for place in range(1, len(values) + 1)]
    numbers = [float(value or 0) for value in values]
    chosen = numbers if has_values and len(set(numbers)) == len(numbers) else places
    codes = {category.key: code for category, code in zip(question.compared, chosen, strict=True)}
    missing = _missing_codes(question, set(chosen), has_values=has_values)
    taken = {*chosen, *missing.values()}
    cannot_tell = -9.0
    # As people do by hand: the first of -9, -99, -999, … that is not used as a value.
    while cannot_tell in taken or (question.is_number and live.has_number(question.pk, cannot_tell)):
        cannot_tell = cannot_tell * 10 - 9
    return Coding(question, codes, cannot_tell, missing)


def _missing_codes(
    question: ExportQuestion, taken: set[float], *, has_values: bool
) -> dict[str | float, float]:
    """Map numbers to themselves, and categories to their value on a numeric scale, else to the next free number."""
    if question.is_multiple or n_missing(question) > MOST_MISSING:
        return {}
    found: dict[str | float, float] = {number: number for number in question.missing_numbers}
    for category in question.categories:
        if category.is_missing:
            code = category.value if has_values else None
            if code is None or code in taken:
                code = float(int(max(taken, default=0)) + 1)
            found[category.key] = code
            taken = {*taken, code}
    return found


def n_missing(question: ExportQuestion) -> int:
    """Return how many categories or numbers of the question are treated as missing."""
    return len(question.missing_keys) + len(question.missing_numbers)


def _file(live: LiveLabels) -> Iterator[bytes]:
    codings = {question.key: coding_of(live, question) for question in live.scope.questions}
    cases: Iterator[Case]
    if live.scope.what is ExportKind.LABELS:
        columns = live.columns()
        titles = [column_name(column, live.n_questions) for column in columns]
        questions = [question for question, _, _ in columns]
        cases = _label_cases(live.labels(), {column: n for n, column in enumerate(columns, start=1)}, codings)
    else:
        titles = questions = list(codings)
        cases = _final_cases(live.finals(), {key: n for n, key in enumerate(questions, start=1)}, codings)
    variables = [Variable("item", "Item", SpssMeasure.NOMINAL, width=MAX_STRING)]
    for name, title, question in zip(names_of(titles), titles, questions, strict=True):
        prompt = codings[question].question.prompt
        label = f"{title}: {prompt}" if prompt else title
        variables.append(codings[question].variable(name, label))
    return sav_pieces(variables, cases, at=timezone.now())


def names_of(titles: Iterable[str]) -> list[str]:
    """Return a variable name for each title: letters, digits, and underscores, unique even when case is ignored."""
    taken = {"ITEM", *_RESERVED}
    names = []
    for title in titles:
        plain = re.sub(r"\W+", "_", title).strip("_") or "rater"
        plain = cut(plain if plain[0].isalpha() else f"r_{plain}", MAX_NAME - 8).decode()
        name, n = plain, 1
        while name.upper() in taken:
            n += 1
            name = f"{plain}_{n}"
        taken.add(name.upper())
        names.append(name)
    return names


def _label_cases(
    labels: Iterable[LabelRow], places: dict[tuple[str, str, int], int], codings: dict[str, Coding]
) -> Iterator[Case]:
    for _, of_item in groupby(labels, key=lambda label: label.item_id):
        case: list[str | float | None] = [None] * (len(places) + 1)
        for label in of_item:
            case[0] = label.item
            place = places[label.question, label.rater, label.pass_number]
            case[place] = codings[label.question].value_of(label)
        yield case


def _final_cases(
    finals: Iterable[FinalRow], places: dict[str, int], codings: dict[str, Coding]
) -> Iterator[Case]:
    for _, of_item in groupby(finals, key=lambda final: final.item_id):
        case: list[str | float | None] = [None] * (len(places) + 1)
        for final in of_item:
            case[0] = final.item
            case[places[final.question]] = codings[final.question].value(final.value, is_abstention=False)
        yield case


def _loses(contents: ExportContents) -> list[Loss]:
    counts, is_labels = contents.counts, contents.scope.what is ExportKind.LABELS
    held = ("repeats", "abstentions") if is_labels else ()
    are_user_missing = all(
        not each.is_multiple and n_missing(each) <= MOST_MISSING for each in contents.questions
    )
    becomes = (
        "user-missing values"
        if are_user_missing
        else f"user-missing values; left empty of sets, and of questions with more than {MOST_MISSING} of them"
    )
    losses = [
        loss for loss in lost(contents, held=held, missing=becomes) if loss.what != media_loss(contents).what
    ]
    is_cut = f"cut to {MAX_STRING} bytes"
    long_sets = [each for each in contents.questions if each.is_multiple and set_length(each) > MAX_STRING]
    return [
        *losses,
        Loss(counts["long_keys"], "long item keys", is_cut),
        Loss(len(long_sets), "questions with long sets of categories", is_cut),
        Loss(counts["set_abstentions"] if is_labels else 0, "“cannot tell” labels with sets", "left empty"),
        Loss(counts["empty_sets"] if is_labels else 0, "empty sets of categories", "left empty"),
    ]


def _refuses(contents: ExportContents) -> str:
    if len(contents.columns) > MAX_VARIABLES:
        return (
            f"An SPSS file has at most {MAX_VARIABLES:,} variables here, and this would have "
            f"{len(contents.columns) + 1:,}. Select fewer questions or rounds, or another format."
        )
    return ""


SPSS = Target(
    "sav",
    "SPSS",
    "One case per item and one variable per rater, or per question for final labels; categories have value labels.",
    "sav",
    "application/x-spss-sav",
    (ExportKind.LABELS, ExportKind.FINAL),
    _loses,
    _file,
    _refuses,
    hint="Variable labels have the raters’ full names. “Cannot tell” is a user-missing value. Sets of categories are "
    "text with | between the keys.",
)
