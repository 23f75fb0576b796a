"""What `manage.py agreement` prints for people: rounded, in columns."""

from collections.abc import Sequence

from projects.models import Question
from reports.agreement.results import PairKappa, Reason
from reports.command.agreement import QuestionResult
from reports.command.choices import Choices
from reports.command.left_out import counted_words
from reports.command.raters_text import raters_as_text
from reports.command.readings import readings_as_text
from reports.command.reason_texts import said
from reports.command.statistics_text import coefficient_table, pair_statistics_as_text, statistics_as_text
from reports.command.tables import UNDEFINED, Row, columns_of, shown_figure, shown_interval
from reports.results.wording import clipped_words_of

PAIR_REASONS = {
    Reason.NO_OVERLAP: "no shared items",
    Reason.DEGENERATE_SE: "standard error 0, so no CI",
}
# More raters do not fit a matrix on a screen, more pairs nobody reads.
MAX_IN_MATRIX = 12
MAX_LISTED = 500


def as_text(results: Sequence[QuestionResult], choices: Choices) -> str:
    return "\n\n".join(_question(result, choices) for result in results)


def _question(result: QuestionResult, choices: Choices) -> str:
    question, ratings = result.question, result.question.ratings
    origin = (
        "" if choices.are_categories_declared else " (found in the file; set their order with --categories)"
    )
    heading = f"Question {question.key}"
    parts = [
        f"{heading}\n{'=' * len(heading)}",
        f"{ratings.n_items:,} items, {ratings.n_raters:,} raters, {ratings.n_labels:,} labels\n"
        f"Categories: {', '.join(question.categories)}{origin}",
        *filter(None, [counted_words(question.raters, choices.left_out)]),
        coefficient_table(result.coefficients, choices.options),
        *readings_as_text(result.readings, result.coefficients, choices.scale),
        *statistics_as_text(result, choices.options),
        *_pairs(result, choices),
        *pair_statistics_as_text(result, choices.options),
        *raters_as_text(result.of_raters, Question.Kind.SINGLE, choices.options),
    ]
    return "\n\n".join(parts)


def _pairs(result: QuestionResult, choices: Choices) -> list[str]:
    n_shared = int((result.pairs.n > 0).sum())
    title = f"Pairs of raters: Cohen's kappa, {choices.options.weights}; {n_shared:,} with shared items"
    parts = [title]
    if 2 <= result.question.ratings.n_raters <= MAX_IN_MATRIX and len(result.pairs):
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


def _matrix(result: QuestionResult) -> str:
    raters = result.question.raters
    cells = [[UNDEFINED] * len(raters) for _ in raters]
    for a, b, kappa in zip(result.pairs.rater_a, result.pairs.rater_b, result.kappas.kappa, strict=True):
        cells[a][b] = cells[b][a] = shown_figure(None if kappa != kappa else kappa)
    for place in range(len(raters)):
        cells[place][place] = ""
    return columns_of(
        [["", *raters], *([name, *row] for name, row in zip(raters, cells, strict=True))], n_left=1
    )


def _pair_rows(result: QuestionResult) -> list[Row]:
    raters = result.question.raters
    return [
        (raters[a], raters[b], *_pair_figures(kappa))
        for a, b, kappa in zip(result.pairs.rater_a, result.pairs.rater_b, result.kappas, strict=True)
    ]


def _pair_figures(kappa: PairKappa) -> Row:
    figures = [shown_figure(value) for value in (kappa.observed, kappa.expected, kappa.kappa, kappa.se)]
    interval = shown_interval(kappa.ci_low, kappa.ci_high)
    note = clipped_words_of(kappa) or said(kappa.reason, PAIR_REASONS)
    return f"{kappa.n:,}", *figures, interval, shown_figure(kappa.kappa_max), note
