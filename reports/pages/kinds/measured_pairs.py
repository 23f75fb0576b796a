"""Common parts of the pages of numbers and sets, whose pairs have figures for the similarity of their answers."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from django.core.paginator import Page
from django.db.models import F, Q
from django.http import HttpRequest

from core.templatetags.shown import figure, in_percent
from core.web.paging import page_of
from projects.access import opens_items
from raters.changed_labels import labels_changed_since
from raters.lettered import order_of_pairs
from reports.analysis.catalog import title_of
from reports.analysis.reasons import UNFIT
from reports.drawing.picture import Picture
from reports.models import PairAgreement
from reports.pages.address_choices import chosen, other_parameters
from reports.pages.contexts import PageSection
from reports.pages.heads import PairHead, QuestionHead, pair_head, question_head
from reports.pages.question.pair_matrix import ORDERS as MATRIX_ORDERS
from reports.pages.question.pair_matrix import (
    MatrixOptions,
    PairMatrix,
    kinds_of,
    matrix_of,
    requested_matrix_options,
)
from reports.pages.question.pair_measures import PairMeasure
from reports.pages.question.verdict import StatisticTile, Verdict, axis_for, claim_of, links_of, position_for
from reports.pages.statistic_tables import CategoryTable, by_category, in_question, plan_query
from reports.results import wording
from reports.results.addresses import items_used_address, row_links
from reports.results.findings import FindingsSection, findings_of
from reports.results.items.pair_items import ItemAnswerPair, PairItems
from reports.results.kinds import main_coefficient, result_kind, tiles_of_design
from reports.results.pair_statistics import stored_figures
from reports.results.primary import primary_of
from reports.results.question_pairs import SORTS, MeasuredPairs, excluded_raters, with_main
from reports.results.scale_readings import interpretation_text, reading_of, scale_of
from reports.results.statistic_rows import (
    CategoryLinks,
    SignificanceRow,
    StatisticRow,
    in_family,
    in_order,
    is_share,
    measured_row,
    significance_row,
    statistic_row,
)
from reports.store.pairs_in_order import lower_first
from reports.store.stored_result import StoredResult

QUESTION_TEMPLATE, PAIR_TEMPLATE = "reports/question/measured.html", "reports/pair/measured.html"
# Parameters of the matrix.
MATRIX_PARAMETERS = ("order", "least", "named", "kind")
SYMBOLS = {"lin_concordance": "ρc", "masi": "MASI"}
PAIRS_ON_A_PAGE = 40
ITEMS_ON_A_PAGE = 50
# With more categories, the table of pairs has no room for a figure of each.
MOST_CATEGORIES = 6


@dataclass(frozen=True, slots=True)
class MeasuredPairRow:
    pair: PairAgreement
    address: str
    name_a: str
    name_b: str
    cells: list[StatisticRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPairList(PageSection):
    """pair_titles: of the figures of each pair; pair_categories: of those for each category."""

    pair_titles: Sequence[str]
    pair_categories: Sequence[str]
    pair_rows: Sequence[MeasuredPairRow]
    page: Page
    sort: str
    sorts: Mapping[str, str]
    sorted_by: str
    q: str
    kept: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredFigures(PageSection):
    """The overall figures. has_differences: whether pairs have differences, first rater minus second. plan_query: the
    initial query string of the planning page.
    """

    has_differences: bool
    verdict: Verdict
    tiles: Sequence[StatisticTile]
    percent: str
    plan_query: str
    all_rows: Sequence[StatisticRow]
    test_rows: Sequence[SignificanceRow]
    by_category: CategoryTable


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredMatrix(PageSection):
    """kinds: of raters, to which the matrix can be limited."""

    matrix: PairMatrix
    measure: PairMeasure
    matrix_options: MatrixOptions
    has_matrix_options: bool
    orders: Mapping[str, str]
    kinds: Mapping[str, str]
    kept_of_matrix: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPage(PageSection):
    head: QuestionHead
    figures: MeasuredFigures
    findings: FindingsSection | None
    matrix: MeasuredMatrix
    links: Sequence[tuple[str, str]]
    pairs: MeasuredPairList


def question_context(
    request: HttpRequest, result: StoredResult, sentences: Callable[[StoredResult], list[str]]
) -> PageSection:
    """Return the page of a question. sentences: for the kind's main figures."""
    if result.reason in UNFIT:
        return question_head(result)
    return MeasuredPage(
        head=question_head(result),
        figures=measured_figures(result, sentences),
        findings=findings_of(result),
        matrix=_matrix(request, result),
        links=links_of(result),
        pairs=_pair_list(request, result),
    )


def _matrix(request: HttpRequest, result: StoredResult) -> MeasuredMatrix:
    name = result_kind(result.scope.kind).pair_figure
    measure, matrix_options = (
        PairMeasure(name, title_of(name), SYMBOLS[name]),
        requested_matrix_options(request),
    )
    return MeasuredMatrix(
        matrix=matrix_of(
            result, MeasuredPairs(result), matrix_options, show=measure.shown, query="", items="#items"
        ),
        measure=measure,
        matrix_options=matrix_options,
        has_matrix_options=any(each in request.GET for each in MATRIX_PARAMETERS),
        orders=MATRIX_ORDERS,
        kinds=kinds_of(result),
        kept_of_matrix=other_parameters(request, *MATRIX_PARAMETERS, "page"),
    )


def measured_figures(result: StoredResult, sentences: Callable[[StoredResult], list[str]]) -> MeasuredFigures:
    kind = result_kind(result.scope.kind)
    figures = result.figures
    scale = scale_of(result.report.project)
    grounds = [*sentences(result), _only_pair(result) if result.counted.are_too_few else ""]
    return MeasuredFigures(
        has_differences=kind.has_differences,
        verdict=_verdict(result, [sentence for sentence in (*grounds, result.counted.sentence) if sentence]),
        tiles=[_tile(name, result) for name in _tiles(result)],
        percent=result.report.chosen.percent,
        plan_query=plan_query(result),
        all_rows=[
            statistic_row(name, found, reading=interpretation_text(reading_of(name, found, scale))).linked(
                row_links(result, name, found)
            )
            for name, found in (
                (name, figures.coefficients[name]) for name in in_family(figures.coefficients, kind.family)
            )
        ],
        test_rows=[
            significance_row(name, found, items_used_address(result, found.n_items))
            for name, found in (figures.tests or {}).items()
        ],
        by_category=by_category(result.categories, figures.categories or {}, in_question(result)),
    )


def _verdict(result: StoredResult, sentences: list[str]) -> Verdict:
    primary = primary_of(result)
    title = title_of(primary.name)
    return Verdict(
        primary.name,
        title,
        claim_of(result, primary),
        sentences,
        position_for(result, primary),
        axis_for(result, primary),
    )


def _tiles(result: StoredResult) -> Sequence[str]:
    """Return the primary coefficient and others, up to the number for the kind."""
    names = tiles_of_design(result.row, main_coefficient(result.row))
    # Those undefined for the design are listed with all statistics, with the reason.
    defined = [name for name in names if result.figure(name).value is not None]
    return names if len(defined) < 2 else defined


def _tile(name: str, result: StoredResult) -> StatisticTile:
    found = result.figure(name)
    row, reason = statistic_row(name, found), wording.short_reason(found.reason)
    address = "" if found.value is None else items_used_address(result, found.n_items)
    interval = row.interval if is_share(name) else wording.shown_interval(found.ci_low, found.ci_high)
    value = row.value if is_share(name) else figure(found.value)
    return StatisticTile(row.title, value, interval or reason, row.method, address)


def _only_pair(result: StoredResult) -> str:
    """Return a sentence on the only pair if too few raters count for an overall figure."""
    pair = result.pair_of([rater.id for rater in result.raters]) if result.n_pairs == 1 else None
    if pair is None:
        return ""
    main = result_kind(result.scope.kind).pair_figure
    row = measured_row(main, stored_figures(pair).values[main])
    return f"{pair.rater_a.key} and {pair.rater_b.key}: {row.title} = {row.value}{ci(result, row.interval)}."


def ci(result: StoredResult, interval: str) -> str:
    return f", {in_percent(result.report.chosen.percent)} CI {interval}" if interval else ""


def spread_sentence(result: StoredResult, name: str, words: str, show: Callable[[float | None], str]) -> str:
    """Return the range of a figure over pairs of raters who count; "" if it does not vary."""
    out = excluded_raters(result.counted)
    ends = _ends_of_unstored(result, out, name) if result.unstored is not None else _ends(result, out, name)
    values = [stored_figures(row).values[name].value for row in ends if row is not None]
    if len(values) < 2 or None in values or ends[0] == ends[1]:
        return ""
    without = result.counted.without if out else ""
    return f"{words}{f' ({without})' if without else ''} ranges from {show(values[0])} to {show(values[1])}."


def _ends(result: StoredResult, out: Collection[int], name: str) -> list[PairAgreement | None]:
    """Return the pairs with the lowest and the highest value of a figure."""
    pairs = result.row.pairs.all()
    rows = with_main(pairs.exclude(Q(rater_a__in=out) | Q(rater_b__in=out)) if out else pairs, name)
    return [rows.order_by(order).first() for order in (ORDERS["worst"], ORDERS["best"])]


def _ends_of_unstored(result: StoredResult, out: Collection[int], name: str) -> list[PairAgreement | None]:
    pairs = [p for p in result.unstored or () if p.rater_a_id not in out and p.rater_b_id not in out]
    values = [(stored_figures(pair).values[name].value, pair) for pair in pairs]
    known = sorted(((value, pair) for value, pair in values if value is not None), key=lambda each: each[0])
    return [known[0][1], known[-1][1]] if known else []


ORDERS = {
    "worst": F("main").asc(nulls_last=True),
    "best": F("main").desc(nulls_last=True),
    "largest": F("n").desc(),
}


def _pair_list(request: HttpRequest, result: StoredResult) -> MeasuredPairList:
    """Return one page of pairs, searched by rater name and sorted."""
    kind = result_kind(result.scope.kind)
    names = {rater.id: rater.key for rater in result.raters}
    words, sort = request.GET.get("q", "")[:200], chosen(request, "sort", SORTS, "worst")
    rows = with_main(result.row.pairs.all(), kind.pair_figure)
    if words.strip():
        named = [rater for rater, key in names.items() if words.strip().casefold() in key.casefold()]
        rows = rows.filter(Q(rater_a__in=named) | Q(rater_b__in=named))
    page = page_of(request, rows.order_by(ORDERS[sort], *order_of_pairs()), size=PAIRS_ON_A_PAGE)
    by_kappa = 0 < len(result.categories) <= MOST_CATEGORIES
    return MeasuredPairList(
        pair_titles=[title_of(name) for name in kind.pair_columns],
        pair_categories=[f"κ {name}" for name in result.category_names] if by_kappa else [],
        pair_rows=[pair_row(pair, names, kind.pair_columns, by_kappa=by_kappa) for pair in page],
        page=page,
        sort=sort,
        sorts=SORTS,
        sorted_by=title_of(kind.pair_figure),
        q=words,
        kept=other_parameters(request, "q", "page"),
    )


def pair_row(
    pair: PairAgreement, names: Mapping[int, str], columns: Sequence[str], *, by_kappa: bool
) -> MeasuredPairRow:
    pair = lower_first(pair)
    figures = stored_figures(pair)
    found = [(name, figures.values[name]) for name in columns]
    if by_kappa:
        found += [("cohen_kappa", each) for each in figures.categories["cohen_kappa"]]
    # Reasons are short, because each figure has a column.
    cells = [
        replace(measured_row(name, each), reason=wording.short_reason(each.reason)) for name, each in found
    ]
    address = f"{pair.rater_a_id}/{pair.rater_b_id}/"
    return MeasuredPairRow(pair, address, names[pair.rater_a_id], names[pair.rater_b_id], cells)


@dataclass(frozen=True, slots=True)
class PairItemRow:
    """Both answers on one item. difference: of the numbers, or the categories in only one of the sets."""

    answers: ItemAnswerPair
    label_a: str
    label_b: str
    difference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPairPage(PageSection):
    """shows_items: whether the user may see items. plot: the plot of differences, if figures are differences of the two
    raters (has_differences).
    """

    head: PairHead
    percent: str
    all_rows: Sequence[StatisticRow]
    by_category: CategoryTable
    shows_items: bool
    page: Page
    rows: Sequence[PairItemRow]
    has_changed: bool
    has_differences: bool = False
    plot: Picture | None = None


def pair_context(
    request: HttpRequest,
    result: StoredResult,
    pair: PairAgreement,
    items: PairItems,
    row: Callable[[ItemAnswerPair], PairItemRow],
) -> MeasuredPairPage:
    """Return all figures of two raters and their items. row: makes the row of an item."""
    figures = stored_figures(pair)
    page = page_of(request, items, size=ITEMS_ON_A_PAGE)
    return MeasuredPairPage(
        head=pair_head(pair),
        percent=result.report.chosen.percent,
        all_rows=[measured_row(name, figures.values[name]) for name in in_order(figures.values)],
        by_category=by_category(
            result.categories,
            figures.categories,
            lambda _: CategoryLinks(figures="#items"),
        ),
        shows_items=opens_items(request.user),
        page=page,
        rows=[row(answers) for answers in page],
        has_changed=labels_changed_since(result.report.head, [result.row.question_id]),
    )
