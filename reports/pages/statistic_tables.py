"""The tables of statistics on the report pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from projects.models import Question
from raters.models import Rater
from reports.agreement.weights import Weights
from reports.analysis.catalog import MEAN_OF_PAIRS, StatisticFamily, title_in, title_of
from reports.analysis.measure import ALPHA
from reports.analysis.question import CategoryJson
from reports.analysis.results import Figure, FullPair, RaterVersusReference
from reports.models import PairAgreement
from reports.pages.contexts import PageSection
from reports.plans.answer import ICC, ICC_AGREEMENT, ICC_CONSISTENCY, STATISTICS, WEIGHTS
from reports.results.addresses import (
    items_address,
    items_of_one_address,
    items_used_address,
    pair_items_address,
    pair_row_links,
    row_links,
)
from reports.results.items.query import IN_AGREEMENT, ItemQuery
from reports.results.kinds import measure_of, stored_coefficient
from reports.results.scale_readings import interpretation_text, reading_of, scale_of
from reports.results.statistic_rows import (
    CategoryLinks,
    CategoryRow,
    RowLinks,
    SignificanceRow,
    StatisticRow,
    category_rows,
    in_family,
    in_order,
    no_links,
    significance_row,
    statistic_row,
)
from reports.store.stored_result import StoredResult

# Longer lists of categories are cut to those used most.
MOST_CATEGORIES = 40


@dataclass(frozen=True, slots=True)
class CategoryTable:
    """Each category with its statistics; only the first ones if there are many."""

    titles: Sequence[str]
    rows: Sequence[CategoryRow]
    n_left_out: int = 0


NO_CATEGORIES = CategoryTable((), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class AllStatistics(PageSection):
    """plan_query: the initial query string of the planning page. category_tests: rows by the title of the test."""

    percent: str
    all_rows: Sequence[StatisticRow]
    plan_query: str
    test_rows: Sequence[SignificanceRow]
    category_tests: Mapping[str, Sequence[SignificanceRow]]
    by_category: CategoryTable


def all_statistics(result: StoredResult) -> AllStatistics:
    """Return all overall statistics, by family."""
    figures, scale, rows = result.figures, scale_of(result.report.project), []
    tests = figures.tests or {}
    for name in in_family(figures.coefficients, StatisticFamily.ALL):
        found = figures.coefficients[name]
        is_mean_of_weighted = result.scope.is_weighted and name == MEAN_OF_PAIRS
        reading = interpretation_text(reading_of(name, found, scale, is_weighted=is_mean_of_weighted))
        row = statistic_row(name, found, reading=reading).linked(row_links(result, name, found))
        rows.append(replace(row, title=title_in(name, is_weighted=result.scope.is_weighted)))
    return AllStatistics(
        percent=result.report.chosen.percent,
        all_rows=rows,
        plan_query=plan_query(result),
        test_rows=[
            significance_row(name, tests[name], items_used_address(result, tests[name].n_items))
            for name in in_order(tests)
        ],
        category_tests=_category_tests(result),
        by_category=by_category(result.categories, figures.categories or {}, in_question(result)),
    )


def in_question(result: StoredResult) -> Callable[[str], CategoryLinks]:
    """Return the links of a category's overall figures: to the items that not all raters assigned to it."""
    return lambda key: CategoryLinks(
        items_address(result.row, ItemQuery(has=(key,))),
        items_address(result.row, ItemQuery(has=(key,), among="dispute")),
    )


def _category_tests(result: StoredResult) -> dict[str, list[SignificanceRow]]:
    """Return the rows of each test by its title, one for each category; only the first ones if there are many."""
    names = result.category_names
    return {
        title_of(test): [
            replace(
                significance_row(test, each, items_used_address(result, each.n_items)),
                title=name,
                entry=None,
            )
            for name, each in list(zip(names, rows, strict=True))[:MOST_CATEGORIES]
        ]
        for test, rows in (result.figures.category_tests or {}).items()
        # The row of all categories already gives the reason why none has a test.
        if any(each.statistic is not None for each in rows)
    }


# The limits of the planning page.
MAX_PLANNED_RATERS, MAX_PLANNED_CATEGORIES = 100, 10
# Their names on the planning page.
PLANNED_ICCS = {
    "icc_a_1": ICC_AGREEMENT,
    "icc_a_1_reml": ICC_AGREEMENT,
    "icc_c_1": ICC_CONSISTENCY,
    "icc_c_1_reml": ICC_CONSISTENCY,
    "icc_1_1": ICC,
}


def plan_query(result: StoredResult) -> str:
    """Return the planning page's initial query string, with the same number of raters, coefficient, and parameters."""
    if result.scope.kind == Question.Kind.MULTIPLE:
        # The frequency of each set is not stored.
        return ""
    asked = (
        _planned_icc(result) if result.scope.kind == Question.Kind.NUMBER else _planned_by_categories(result)
    )
    if not asked:
        return ""
    return urlencode(asked | {"raters": str(min(result.counted.n_raters, MAX_PLANNED_RATERS))})


def _planned_icc(result: StoredResult) -> dict[str, str]:
    """Return the parameters of an ICC; the share of variance between raters is 1 - ICC(A,1) / ICC(C,1)."""
    measure = measure_of(result.row)
    name, statistic = measure.coefficient, PLANNED_ICCS.get(measure.coefficient)
    value, suffix = result.figure(name).value, "_reml" if name.endswith("_reml") else ""
    consistency = result.figure(f"icc_c_1{suffix}").value
    if statistic is None or value is None or not 0 < round(value, 2) < 1:
        return {}
    asked = {"statistic": statistic, "value": f"{value:.2f}"}
    if statistic == ICC_AGREEMENT and consistency:
        share = min(max(0.0, 1 - value / consistency), 0.99 - round(value, 2))
        asked["rater_share"] = f"{max(0.0, share):.2g}"
    return asked


def _planned_by_categories(result: StoredResult) -> dict[str, str]:
    measure, level = measure_of(result.row), str(result.scope.level)
    value = result.figure(stored_coefficient(result.row)).value
    counts = [row.n or 0 for row in result.by_category("fleiss_kappa")]
    if value is None or not 2 <= len(counts) <= MAX_PLANNED_CATEGORIES or not all(counts):
        return {}
    shares = [round(count / sum(counts), 4) for count in counts]
    # Rounded shares must still sum to 1.
    shares[-1] = round(1 - sum(shares[:-1]), 4)
    name = measure.coefficient
    if name == ALPHA:
        name += {"nominal": "", "ordinal": "_ordinal"}.get(level, "_interval")
    elif name not in STATISTICS:
        name = "fleiss_kappa"
    asked = {
        "statistic": name,
        "shares": ", ".join(f"{share:g}" for share in shares),
        "value": f"{value:.2f}",
    }
    if measure.coefficient != ALPHA and str(measure.weights) in WEIGHTS:
        asked["weights"] = str(measure.weights)
    return asked


def by_category(
    categories: Sequence[CategoryJson],
    statistics: Mapping[str, Sequence[Figure]],
    links: Callable[[str], CategoryLinks] = no_links,
) -> CategoryTable:
    rows = category_rows(categories, statistics, links) if statistics else []
    shown = rows
    if len(rows) > MOST_CATEGORIES:
        places = sorted(range(len(rows)), key=lambda place: -(rows[place].cells[0].n_items or 0))
        shown = [rows[place] for place in sorted(places[:MOST_CATEGORIES])]
    return CategoryTable([title_of(name) for name in in_order(statistics)], shown, len(rows) - len(shown))


REFERENCE_FIGURES = (
    "accuracy",
    "expected_accuracy",
    "kappa_weighted",
    "kappa",
    "kappa_max",
    "balanced_accuracy",
    "matthews",
)
# Of these, the ones called unweighted where there is a weighted kappa, too.
UNWEIGHTED = frozenset({"kappa", "kappa_max"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceTables:
    """A rater compared with a reference. way: accuracy, expected accuracy, and kappa; None if kappa is undefined.
    is_weighted: whether there is a weighted kappa, too.
    """

    rater: str
    reference: str
    rows: Sequence[StatisticRow]
    way: tuple[float | None, float | None, float] | None
    is_weighted: bool
    by_category: CategoryTable


@dataclass(frozen=True, slots=True, kw_only=True)
class PairStatisticsSection(PageSection):
    """against: the comparison with one of the two as the reference; references: the choices."""

    reading: str
    all_rows: Sequence[StatisticRow]
    test_rows: Sequence[SignificanceRow]
    by_category: CategoryTable
    against: ReferenceTables | None
    reference: str
    references: Mapping[str, str]


def all_of_pair(pair: PairAgreement, found: FullPair, weights: str, reference: str) -> PairStatisticsSection:
    """Return the statistics on the page of a pair. reference: "a", "b", or "" for neither."""
    chosen = dict(zip("ab", found.reference, strict=True)).get(reference)
    values, scale = found.values, scale_of(pair.agreement.report.project)
    kappa = "cohen_kappa" if weights == Weights.UNWEIGHTED else "cohen_kappa_weighted"
    return PairStatisticsSection(
        reading=interpretation_text(reading_of(kappa, values[kappa], scale)),
        all_rows=[
            statistic_row(
                name, values[name], reading=interpretation_text(reading_of(name, values[name], scale))
            ).linked(pair_row_links(pair, name))
            for name in in_family(values, StatisticFamily.PAIRS)
        ],
        test_rows=[
            significance_row(name, found.tests[name], pair_items_address(pair))
            for name in in_order(found.tests)
        ],
        # A category links to the items on which the first rater chose it, its figures to those on which both did.
        by_category=by_category(
            pair.agreement.categories,
            found.categories,
            lambda key: CategoryLinks(
                pair_items_address(pair, ItemQuery(row=key)),
                pair_items_address(pair, ItemQuery(row=key, column=key)),
            ),
        ),
        against=None
        if chosen is None
        else against(
            pair.agreement.categories,
            chosen,
            items=pair_items_address(pair),
            left_out=items_of_one_address(pair),
        ),
        reference=reference,
        references={"": "neither", "a": pair.rater_a.key, "b": pair.rater_b.key},
    )


def against(
    categories: Sequence[CategoryJson], found: RaterVersusReference, *, items: str, left_out: str
) -> ReferenceTables:
    """Return the comparison of a rater with a reference. items, left_out: the lists of the items that both labeled, and
    of those that only one of them did.
    """
    values = found.values
    accuracy, expected, kappa = (values[name].value for name in ("accuracy", "expected_accuracy", "kappa"))
    return ReferenceTables(
        rater=found.rater,
        reference=found.reference,
        rows=[
            _reference_row(name, values).linked(
                RowLinks(items, f"{items}{IN_AGREEMENT}" if name == "accuracy" else "", left_out)
            )
            for name in REFERENCE_FIGURES
            if name in values
        ],
        way=None if kappa is None else (accuracy, expected, kappa),
        is_weighted="kappa_weighted" in values,
        # The items on which both chose the category.
        by_category=by_category(
            categories,
            found.categories,
            lambda key: CategoryLinks(figures=f"{items}{ItemQuery(row=key, column=key)}"),
        ),
    )


def _reference_row(name: str, values: Mapping[str, Figure]) -> StatisticRow:
    row = statistic_row(name, values[name])
    if name in UNWEIGHTED and "kappa_weighted" in values:
        return replace(row, title=f"{row.title}, unweighted")
    return row


def default_reference(pair: PairAgreement) -> str:
    """Return which of the two is the report's reference, or was declared one: "a", "b", or ""."""
    key = pair.agreement.report.chosen.reference
    for side, rater in (("a", pair.rater_a), ("b", pair.rater_b)):
        if rater.key == key if key else rater.kind == Rater.Kind.REFERENCE:
            return side
    return ""
