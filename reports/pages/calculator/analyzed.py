"""Analysis of one question of a file, with the result in the form that a report stores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from projects.codebook.imports import value_of
from raters.imports.label_options import QuestionOptions
from raters.reading.records import HUMAN
from reports.analysis.analyze import analyze
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import Raters
from reports.analysis.measure import default_measure
from reports.analysis.options import Options
from reports.analysis.pair_blocks import each
from reports.analysis.question import (
    CategoryJson,
    Kind,
    LabelerJson,
    QuestionJson,
    QuestionNotComputable,
    QuestionScope,
)
from reports.analysis.results import PairResult, columns_of
from reports.pages.calculator.exchange import PairResultRow, ResultRow
from reports.pages.calculator.interpreted_file import InterpretedFile, in_full_order
from reports.pages.calculator.limits import INSTEAD, MAX_CATEGORIES, MAX_RATERS
from reports.sources.file_labels import FileOptions, FileQuestion, question_in_file

# IDs are local to this result.
QUESTION_ID = 1


class TooManyToCalculate(Exception):
    """More raters or categories than the calculator accepts; the message says which."""


def analyzed(read: InterpretedFile, key: str, options: Options, categories: Sequence[str] = ()) -> ResultRow:
    """Analyze one question of the file. categories: those declared, if any. Raises TooManyToCalculate."""
    resolved = read.resolved
    assert resolved is not None  # noqa: S101  For the type checker: a question was chosen among its own.
    found, given = resolved.questions[key], read.options.questions.get(key, QuestionOptions())
    order = list(categories) or in_full_order(found, given)
    whole = replace(resolved, questions={**resolved.questions, key: replace(found, order=order)})
    guessed = read.interpretation.options.questions
    question = question_in_file(
        key, whole, FileOptions(options=read.options, kind="auto", level="auto"), guessed
    )
    _refuse_too_many(question)
    abstentions = {resolved.raters[place]: n for place, n in found.abstentions.items()}
    return _result(question, found.titles, resolved.kinds, abstentions, options)


def _refuse_too_many(question: FileQuestion) -> None:
    for n, most, things in (
        (len(question.raters), MAX_RATERS, "raters"),
        (len(question.categories), MAX_CATEGORIES, "categories"),
    ):
        if n > most:
            raise TooManyToCalculate(
                f"The calculator takes up to {most} {things}, and {question.key} has {n:,}. {INSTEAD}"
            )


def _result(
    question: FileQuestion,
    titles: Mapping[str, str],
    kinds: Mapping[str, str],
    abstentions: Mapping[str, int],
    options: Options,
) -> ResultRow:
    scope = QuestionScope(_question_read(question, titles), None, options)
    kind = kind_of(scope)
    try:
        kind.refuse_unfit()
        labels = question.labels(kind, n_abstentions=sum(abstentions.values()))
        raters = [
            LabelerJson(id=place + 1, key=key, kind=kinds.get(key, HUMAN), n_labels=n)
            for place, (key, n) in enumerate(
                zip(question.raters, labels.sample.labels_per_rater.tolist(), strict=True)
            )
        ]
        counted_kinds = options.kinds_counted(rater["kind"] for rater in raters)
        counted = [place for place, rater in enumerate(raters) if rater["kind"] in counted_kinds]
        n_abstentions = sum(abstentions.get(question.raters[place], 0) for place in counted)
        pairs: list[PairResult] = []
        result = analyze(
            labels, scope, Raters(question.raters, counted, n_abstentions), keep=each(pairs.append)
        )
    except QuestionNotComputable as unfit:
        return _without_result(scope, str(unfit))
    return ResultRow(
        question=scope.question,
        raters=raters,
        n_items=len(labels.item_ids),
        n_labels=labels.n_labels,
        n_abstentions=labels.n_abstentions,
        n_pairs=result.n_pairs,
        coefficients=result.coefficients_to_json(),
        statistics=result.statistics_to_json(),
        pairs=[_pair_row(pair) for pair in pairs],
        reason="",
    )


def _without_result(scope: QuestionScope, reason: str) -> ResultRow:
    return ResultRow(
        question=scope.question,
        raters=[],
        n_items=0,
        n_labels=0,
        n_abstentions=0,
        n_pairs=0,
        coefficients={},
        statistics={},
        pairs=[],
        reason=reason,
    )


def _question_read(question: FileQuestion, titles: Mapping[str, str]) -> QuestionJson:
    categories = [
        CategoryJson(
            id=place,
            key=key,
            name="" if titles.get(key, key) == key else titles[key],
            value=value_of(key, question.level),
        )
        for place, key in enumerate(question.categories, start=1)
    ]
    return QuestionJson(
        id=QUESTION_ID,
        key=question.key,
        kind=question.kind,
        level=question.level,
        categories=[] if question.kind is Kind.NUMBER else categories,
        measure=default_measure(question.kind, question.level),
    )


def _pair_row(pair: PairResult) -> PairResultRow:
    return {"rater_a": pair.rater_a + 1, "rater_b": pair.rater_b + 1, **columns_of(pair)}
