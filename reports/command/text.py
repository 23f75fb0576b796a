"""The output of `manage.py agreement` for people: rounded, in columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reports.agreement.results import Reason
from reports.analysis.catalog import StatisticFamily
from reports.analysis.options import Options
from reports.analysis.question import Kind
from reports.analysis.results import PairResult
from reports.command.agreement import FileResult
from reports.command.choices import CommandChoices
from reports.command.comparison_text import comparison_as_text
from reports.command.counts import not_available, raters_counted
from reports.command.design import design_sentence
from reports.command.excluded_raters import counted_words
from reports.command.figure_tables import categories_as_text, number_pairs_as_text, set_pairs_as_text
from reports.command.raters_text import raters_as_text
from reports.command.readings import readings_as_text
from reports.command.reason_texts import in_words
from reports.command.statistics_text import (
    coefficient_table,
    pair_statistics_as_text,
    significance_table,
    statistics_as_text,
)
from reports.command.text_tables import MAX_LISTED, UNDEFINED, Row, columns_of, shown_figure, shown_interval
from reports.command.verdict_text import verdict_as_text
from reports.results.wording import clipped_words
from reports.sources.count_file import CountForm
from reports.sources.file_labels import FileQuestion

PAIR_REASONS = {
    Reason.NO_OVERLAP: "no shared items",
    Reason.DEGENERATE_SE: "standard error 0, so no CI",
}
# A matrix of more raters does not fit a screen.
MAX_IN_MATRIX = 12


def as_text(results: Sequence[FileResult]) -> str:
    return "\n\n".join(_question(result, result.choices) for result in results)


def _question(result: FileResult, choices: CommandChoices) -> str:
    question, size, layout = result.question, result.size, LAYOUTS[choices.kind]
    heading = f"Question {question.key}"
    parts = [
        f"{heading}\n{'=' * len(heading)}",
        f"{size.n_items:,} items, {raters_counted(question.counts, size)}, {size.n_labels:,} labels\n"
        f"{layout.labels(question, choices)}",
        *filter(
            None,
            [
                counted_words(question.raters, choices.left_out),
                not_available(question.counts),
                design_sentence(question, choices.design),
            ],
        ),
        *filter(None, [verdict_as_text(result)]),
        coefficient_table(result.result.coefficients, choices.options, layout.family),
        *readings_as_text(
            result.readings,
            result.result.coefficients,
            choices.scale,
            is_weighted=choices.options.is_weighted,
        ),
        *layout.statistics(result, choices.options),
        *(text for each in result.differences.values() for text in comparison_as_text(each, choices.options)),
        *layout.pairs(result, choices),
        *raters_as_text(result.of_raters, choices.kind, choices.options),
    ]
    return "\n\n".join(parts)


@dataclass(frozen=True, slots=True)
class TextLayout:
    """How the results of one kind of question are printed. labels: describes them in the header."""

    family: StatisticFamily
    labels: Callable[[FileQuestion, CommandChoices], str]
    statistics: Callable[[FileResult, Options], list[str]]
    pairs: Callable[[FileResult, CommandChoices], list[str]]


def _categories_named(question: FileQuestion, choices: CommandChoices) -> str:
    is_ordered = choices.are_categories_declared or question.has_order
    origin = "" if is_ordered else " (found in the file; set their order with --categories)"
    return f"{', '.join(question.categories)}{origin}"


LAYOUTS = {
    Kind.SINGLE: TextLayout(
        family=StatisticFamily.ALL,
        labels=lambda question, choices: f"Categories: {_categories_named(question, choices)}",
        statistics=statistics_as_text,
        pairs=lambda result, choices: _pairs_in_full(result, choices),
    ),
    Kind.NUMBER: TextLayout(
        family=StatisticFamily.NUMBERS,
        labels=lambda question, choices: f"Numbers, {choices.level} level",
        statistics=lambda result, options: [
            f"Tests of all raters\n{significance_table(result.result.tests or {})}"
        ],
        pairs=lambda result, choices: number_pairs_as_text(result),
    ),
    Kind.MULTIPLE: TextLayout(
        family=StatisticFamily.SETS,
        labels=lambda question, choices: f"Sets of categories: {_categories_named(question, choices)}",
        statistics=lambda result, options: categories_as_text(result),
        pairs=lambda result, choices: set_pairs_as_text(result),
    ),
}


def _pairs_in_full(result: FileResult, choices: CommandChoices) -> list[str]:
    if result.question.counts is CountForm.ITEMS:
        return []
    return [*_pairs(result, choices), *pair_statistics_as_text(result, choices.options)]


def _pairs(result: FileResult, choices: CommandChoices) -> list[str]:
    n_shared = sum(pair.n > 0 for pair in result.pairs)
    title = f"Pairs of raters: Cohen's kappa, {choices.options.weights}; {n_shared:,} with shared items"
    parts = [title]
    if 2 <= len(result.question.raters) <= MAX_IN_MATRIX and len(result.pairs):
        parts.append(_matrix(result))
    if len(result.pairs) > MAX_LISTED:
        parts.append(f"{len(result.pairs):,} pairs are too many to list; use --json to see them.")
    elif len(result.pairs):
        head = (
            "",
            "",
            "n",
            "observed",
            "expected",
            "kappa",
            "SE",
            f"{choices.options.percent}% CI",
            "max",
            "",
        )
        parts.append(columns_of([head, *_pair_rows(result)], n_left=2))
    return parts


def _matrix(result: FileResult) -> str:
    raters = result.question.raters
    cells = [[UNDEFINED] * len(raters) for _ in raters]
    for pair in result.pairs:
        cells[pair.rater_a][pair.rater_b] = cells[pair.rater_b][pair.rater_a] = shown_figure(pair.kappa)
    for place in range(len(raters)):
        cells[place][place] = ""
    return columns_of(
        [["", *raters], *([name, *row] for name, row in zip(raters, cells, strict=True))], n_left=1
    )


def _pair_rows(result: FileResult) -> list[Row]:
    raters = result.question.raters
    return [(raters[pair.rater_a], raters[pair.rater_b], *_pair_figures(pair)) for pair in result.pairs]


def _pair_figures(pair: PairResult) -> Row:
    figures = [shown_figure(value) for value in (pair.observed, pair.expected, pair.kappa, pair.se)]
    interval = shown_interval(pair.ci_low, pair.ci_high)
    note = clipped_words(pair) or in_words(pair.reason, PAIR_REASONS)
    return f"{pair.n:,}", *figures, interval, shown_figure(pair.kappa_max), note
