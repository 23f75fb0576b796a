"""Text for pairs and categories in `manage.py agreement`, if pairs have figures rather than a confusion matrix."""

from collections.abc import Callable

from reports.analysis.catalog import plain_title_of
from reports.analysis.reasons import words_of
from reports.analysis.results import SeriesStatistics, two_series_of
from reports.command.agreement import FileResult
from reports.command.text_tables import MAX_LISTED, Row, columns_of, shown_figure, shown_interval

NUMBER_COLUMNS = (
    "lin_concordance", "pearson_correlation", "bland_altman_bias", "bland_altman_lower", "bland_altman_upper"
)  # fmt: skip
SET_COLUMNS = ("masi", "jaccard", "identical_sets")


def categories_as_text(result: FileResult) -> list[str]:
    statistics = result.result.categories
    if not statistics or not result.question.categories:
        return []
    head = ("", *(plain_title_of(name) for name in statistics), "")
    rows = [
        (category, *(shown_figure(each[place].value) for each in statistics.values()), "")
        for place, category in enumerate(result.question.categories)
    ]
    return ["Each category vs. the rest\n" + columns_of([head, *rows], n_left=1)]


def number_pairs_as_text(result: FileResult) -> list[str]:
    titles = [plain_title_of(name) for name in NUMBER_COLUMNS]
    head = ("", "", "n", titles[0], "CI", *titles[1:], "")
    return _pairs(result, head, _number_cells, more="; differences are first - second")


def set_pairs_as_text(result: FileResult) -> list[str]:
    titles = [plain_title_of(name) for name in SET_COLUMNS]
    head = ("", "", "n", *titles, *(f"kappa {category}" for category in result.question.categories), "")
    return _pairs(result, head, _set_cells)


def _pairs(
    result: FileResult, head: Row, cells: Callable[[SeriesStatistics], Row], *, more: str = ""
) -> list[str]:
    n_pairs, raters = len(result.pairs), result.question.raters
    title = f"Pairs of raters: {n_pairs:,} with shared items{more}"
    if n_pairs > MAX_LISTED:
        return [title, f"{n_pairs:,} pairs are too many to list; use --json to see them."]
    if not n_pairs:
        return [title]
    rows = [
        (
            raters[pair.rater_a],
            raters[pair.rater_b],
            f"{pair.n:,}",
            *cells(two_series_of(pair.n, pair.figures or {})),
        )
        for pair in result.pairs
    ]
    return [title, columns_of([head, *rows], n_left=2)]


def _number_cells(figures: SeriesStatistics) -> Row:
    main = figures.values[NUMBER_COLUMNS[0]]
    interval = shown_interval(main.ci_low, main.ci_high)
    others = [shown_figure(figures.values[name].value) for name in NUMBER_COLUMNS[1:]]
    return shown_figure(main.value), interval, *others, words_of(main.reason).phrase


def _set_cells(figures: SeriesStatistics) -> Row:
    kappas = figures.categories["cohen_kappa"]
    undefined = {each.reason for each in kappas if each.value is None}
    notes = "; ".join(sorted(words_of(reason).phrase for reason in undefined))
    similarities = (shown_figure(figures.values[name].value) for name in SET_COLUMNS)
    return *similarities, *(shown_figure(each.value) for each in kappas), notes
