"""What `manage.py agreement --kind number|multiple` prints for people: rounded, in columns."""

from collections.abc import Mapping, Sequence
from typing import Any

from projects.models import Question
from reports.agreement.results import Reason
from reports.analysis.catalogue import Family, plain_title_of
from reports.analysis.reasons import words_of
from reports.command.choices import Choices
from reports.command.comparison_text import comparison_as_text
from reports.command.left_out import counted_words
from reports.command.numbers_and_sets import OtherResult
from reports.command.raters_text import raters_as_text
from reports.command.readings import readings_as_text
from reports.command.statistics_text import coefficient_table, significance_table
from reports.command.tables import Row, columns_of, shown_figure, shown_interval
from reports.command.text import MAX_LISTED

NUMBER_COLUMNS = (
    "lin_concordance", "pearson_correlation", "bland_altman_bias", "bland_altman_lower", "bland_altman_upper"
)  # fmt: skip
SET_COLUMNS = ("masi", "jaccard", "identical_sets")


def other_as_text(results: Sequence[OtherResult], choices: Choices) -> str:
    return "\n\n".join(_question(result, choices) for result in results)


def _question(result: OtherResult, choices: Choices) -> str:
    heading = f"Question {result.key}"
    size = result.size
    parts = [
        f"{heading}\n{'=' * len(heading)}",
        f"{size.n_items:,} items, {size.n_raters:,} raters, {size.n_labels:,} labels"
        + _answers(result, choices),
        *filter(None, [counted_words(result.raters, choices.left_out)]),
        coefficient_table(result.of_all.coefficients, choices.options, _family(result)),
        *readings_as_text(result.readings, result.of_all.coefficients, choices.scale),
        *_tests(result),
        *_categories(result),
        *(text for each in result.differences.values() for text in comparison_as_text(each, choices.options)),
        *_pairs(result),
        *raters_as_text(result.of_raters, result.kind, choices.options),
    ]
    return "\n\n".join(parts)


def _family(result: OtherResult) -> Family:
    return Family.NUMBERS if result.kind == Question.Kind.NUMBER else Family.SETS


def _answers(result: OtherResult, choices: Choices) -> str:
    if result.kind == Question.Kind.NUMBER:
        return f"\nNumbers, {choices.level} level"
    origin = (
        "" if choices.are_categories_declared else " (found in the file; set their order with --categories)"
    )
    return f"\nSets of categories: {', '.join(result.categories)}{origin}"


def _tests(result: OtherResult) -> list[str]:
    tests = result.of_all.statistics.get("tests")
    return [f"Tests of all raters\n{significance_table(tests)}"] if tests else []


def _categories(result: OtherResult) -> list[str]:
    statistics = result.of_all.statistics.get("categories", {})
    if not statistics or not result.categories:
        return []
    head = ("", *(plain_title_of(name) for name in statistics), "")
    rows = [
        (category, *(shown_figure(each[place]["value"]) for each in statistics.values()), "")
        for place, category in enumerate(result.categories)
    ]
    return ["Each category vs. the rest\n" + columns_of([head, *rows], n_left=1)]


def _pairs(result: OtherResult) -> list[str]:
    n_pairs = len(result.pairs)
    title = f"Pairs of raters: {n_pairs:,} with shared items"
    if result.kind == Question.Kind.NUMBER:
        title += "; differences are first - second"
    if n_pairs > MAX_LISTED:
        return [title, f"{n_pairs:,} pairs are too many to list; use --json to see them."]
    if not n_pairs:
        return [title]
    return [title, columns_of([_head(result), *_rows(result)], n_left=2)]


def _head(result: OtherResult) -> Row:
    if result.kind == Question.Kind.NUMBER:
        titles = [plain_title_of(name) for name in NUMBER_COLUMNS]
        return ("", "", "n", titles[0], "CI", *titles[1:], "")
    return (
        "",
        "",
        "n",
        *(plain_title_of(name) for name in SET_COLUMNS),
        *(f"kappa {category}" for category in result.categories),
        "",
    )


def _rows(result: OtherResult) -> list[Row]:
    cells = _number_cells if result.kind == Question.Kind.NUMBER else _set_cells
    return [
        (result.raters[pair.rater_a], result.raters[pair.rater_b], f"{pair.n:,}", *cells(pair.figures))
        for pair in result.pairs
    ]


def _number_cells(figures: Mapping[str, Any]) -> Row:
    main = figures[NUMBER_COLUMNS[0]]
    interval = shown_interval(main["ci_low"], main["ci_high"])
    others = [shown_figure(figures[name]["value"]) for name in NUMBER_COLUMNS[1:]]
    return shown_figure(main["value"]), interval, *others, words_of(main["reason"]).phrase


def _set_cells(figures: Mapping[str, Any]) -> Row:
    similarities = [shown_figure(figures[name]["value"]) for name in SET_COLUMNS]
    undefined = {Reason(each["reason"]) for each in figures["cohen_kappa"] if each["value"] is None}
    notes = "; ".join(sorted(words_of(str(reason)).phrase for reason in undefined))
    return *similarities, *(shown_figure(each["value"]) for each in figures["cohen_kappa"]), notes
