"""The page of a question's raters: each compared with the reference and the consensus."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.paginator import Page
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse

from core.templatetags.shown import figure, percent
from core.web.paging import page_of
from reports.analysis.question import Kind
from reports.analysis.reasons import words_of
from reports.analysis.results import (
    Figure,
    LatentClassEstimates,
    RatersVersusReference,
    RaterVersusOthers,
)
from reports.pages.address_choices import other_parameters
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head
from reports.pages.question.pair_matrix import MatrixOptions, kinds_of, requested_matrix_options
from reports.pages.rater.consensus_section import ConsensusSection, consensus_section
from reports.results.addresses import question_address
from reports.results.against_reference import against_reference, equality_sentence, reference_of
from reports.results.items.query import COMPARED, IN_AGREEMENT
from reports.results.kinds import result_kind
from reports.results.rater_kinds import rater_kind
from reports.results.rater_wording import value_shown
from reports.results.statistic_rows import shown_limits, shown_value
from reports.results.wording import measured
from reports.store.agreements import ReportRater
from reports.store.stored_result import NOTHING, StoredResult

RATERS_ON_A_PAGE = 50
# The statistics of each rater in the list, with their titles; with weights, kappa is there twice.
COLUMNS = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "kappa": "κ",
    "kappa_max": "κ max",
    "matthews": "MCC",
}
WEIGHTED_COLUMNS = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "kappa_weighted": "κ, weighted",
    "kappa": "κ, unweighted",
    "kappa_max": "κ max, unweighted",
    "matthews": "MCC",
}


@dataclass(frozen=True, slots=True)
class FigureCell:
    """address: of the items behind it, "" if there is no value."""

    value: str
    interval: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class RaterVersusOthersCells:
    """value: agreement with the others, or distance from them. gap: the difference from that of the others on the same
    items. clipped: where its interval was truncated, "" if it was not. flag: what is significant about it, "" for
    nothing. items: the URL of the items behind it.
    """

    value: str
    interval: str
    gap: str
    gap_interval: str
    clipped: str
    flag: str
    items: str


@dataclass(frozen=True, slots=True)
class RaterLine:
    """share_right: how often the rater is right according to the consensus. n: items shared with the reference, None
    without one; items: their list. versus_others: None for a rater who does not count.
    """

    rater: ReportRater
    share_right: str
    n: int | None
    cells: list[FigureCell]
    items: str = ""
    versus_others: RaterVersusOthersCells | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterListPage(PageSection):
    """has_consensus: whether there are a consensus by category and estimated accuracies. versus_others_title: of the
    ranking, "" in reports without one; gap_title: of the distance from the others; n_versus_others_tests: the number of
    tests for which flags are corrected. has_cut: whether an interval on this page of the list was truncated.
    options: which raters are listed; kinds: of raters to choose from; kept: the other query parameters, which the form
    for these must keep. choices: the raters who can be taken as the reference. columns: titles of the comparison with
    it; has_differences: whether some are of differences of numbers. why_no_reference: why nobody is compared with it.
    equality: whether all agree equally, "" if not tested.
    """

    head: QuestionHead
    percent: str
    page: Page
    versus_others_title: str
    gap_title: str
    n_versus_others_tests: int
    has_cut: bool
    options: MatrixOptions
    kinds: Mapping[str, str]
    kept: Sequence[tuple[str, str]]
    reference: ReportRater | None
    choices: Sequence[str]
    columns: Sequence[str]
    has_differences: bool = False
    why_no_reference: str = ""
    equality: str = ""
    has_consensus: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterComparisonPage(RaterListPage):
    consensus: ConsensusSection


def raters_listed(request: HttpRequest, result: StoredResult) -> RaterListPage:
    """Return the distance of each rater from the others, and the figures of the pair with the reference."""
    reference = reference_of(result, request.GET.get("reference", "")[:200])
    page = _page(request, result, lambda raters: _measured_lines(result, raters, reference))
    return RaterListPage(
        reference=reference,
        choices=[rater.key for rater in result.raters],
        columns=rater_kind(result.scope).peer_titles(result.scope),
        has_differences=result.scope.kind == Kind.NUMBER,
        head=question_head(result),
        percent=result.report.chosen.percent,
        page=page,
        has_cut=_has_cut(page),
        options=requested_matrix_options(request),
        kinds=kinds_of(result),
        kept=other_parameters(request, "kind", "named", "page"),
        versus_others_title=_title(result),
        gap_title=_gap_title(result),
        n_versus_others_tests=_n_tests(result),
    )


def raters_compared(request: HttpRequest, result: StoredResult) -> RaterComparisonPage:
    """Return each rater compared with the reference and the consensus."""
    reference = reference_of(result, request.GET.get("reference", "")[:200])
    found = against_reference(result, reference)
    line_of = _lines(result, found, reference)
    page = _page(request, result, lambda raters: [line_of(rater) for rater in raters])
    return RaterComparisonPage(
        head=question_head(result),
        percent=result.report.chosen.percent,
        has_consensus=True,
        page=page,
        has_cut=_has_cut(page),
        options=requested_matrix_options(request),
        kinds=kinds_of(result),
        kept=other_parameters(request, "kind", "named", "page"),
        versus_others_title=_title(result),
        gap_title=_gap_title(result),
        n_versus_others_tests=_n_tests(result),
        reference=reference,
        why_no_reference=words_of(found.reason).phrase if reference else "",
        columns=list(columns_of(result).values()),
        equality=equality_sentence(found, is_weighted=result.scope.is_weighted),
        choices=[rater.key for rater in result.raters],
        consensus=consensus_section(result),
    )


def columns_of(result: StoredResult) -> Mapping[str, str]:
    return WEIGHTED_COLUMNS if result.scope.is_weighted else COLUMNS


SHARE = "agreement"
TITLES = {
    "agreement": {"single": "Agreement with the others", "multiple": "Similarity to the others (MASI)"},
    "difference": {"number": "Mean distance from the others"},
}


def _title(result: StoredResult) -> str:
    found = result.figures.standings
    if found is None:
        return ""
    return TITLES[found.measure].get(result.scope.kind, "Agreement with the others")


def _gap_title(result: StoredResult) -> str:
    found = result.figures.standings
    is_share = found is not None and found.measure == SHARE
    return "Difference from the others (points)" if is_share else "Difference from the others"


def _n_tests(result: StoredResult) -> int:
    found = result.figures.standings
    return found.n_tested if found else 0


def _page(
    request: HttpRequest, result: StoredResult, lines_of: Callable[[Sequence[ReportRater]], list[RaterLine]]
) -> "Page[RaterLine]":
    """Return the requested raters, those farthest from the others first and those who do not count last; in the order
    of their keys without figures.
    """
    options, found = requested_matrix_options(request), result.figures.standings
    raters = [rater for rater in result.raters if options.is_for(rater)]
    if found is None:
        return _with_lines(page_of(request, raters, size=RATERS_ON_A_PAGE), lines_of)
    places = {each.rater: place for place, each in enumerate(found.lowest_first)}
    of_each = {each.rater: each for each in found.raters}

    def lines_and_standings(raters: Sequence[ReportRater]) -> list[RaterLine]:
        return [
            replace(line, versus_others=_versus_others_cells(result, line.rater, own, found.measure))
            if (own := of_each.get(line.rater.key))
            else line
            for line in lines_of(raters)
        ]

    ranked = sorted(raters, key=lambda rater: places.get(rater.key, len(places)))
    return _with_lines(page_of(request, ranked, size=RATERS_ON_A_PAGE), lines_and_standings)


def _with_lines(
    page: "Page[Any]", lines_of: Callable[[Sequence[ReportRater]], list[RaterLine]]
) -> "Page[RaterLine]":
    """Only raters who are shown get a line: there may be tens of thousands."""
    page.object_list = lines_of(list(page.object_list))
    return page


def _measured_lines(
    result: StoredResult, raters: Sequence[ReportRater], reference: ReportRater | None
) -> list[RaterLine]:
    """Return the lines of raters of numbers or sets, with the stored figures of each one's pair with the reference."""
    if reference is None:
        return [RaterLine(rater, "", None, []) for rater in raters]
    ids = [rater.id for rater in raters]
    with_it = Q(rater_a=reference.id, rater_b__in=ids) | Q(rater_b=reference.id, rater_a__in=ids)
    pairs = {
        pair.rater_b_id if pair.rater_a_id == reference.id else pair.rater_a_id: pair
        for pair in result.row.pairs.filter(with_it, n__gt=0)
    }
    kind, columns = rater_kind(result.scope), result_kind(result.scope.kind).pair_columns
    found = []
    for rater in raters:
        pair = pairs.get(rater.id)
        values = kind.against(result, rater, reference, pair).values if pair else {}
        low, high = sorted((rater.id, reference.id))
        address = f"{question_address(result.row)}{low}/{high}/" if pair else ""
        cells = [FigureCell(*value_shown(name, values.get(name, NOTHING)), address) for name in columns]
        found.append(RaterLine(rater, "", pair.n if pair else None, cells, address))
    return found


def _has_cut(page: "Page[RaterLine]") -> bool:
    return any(line.versus_others.clipped for line in page.object_list if line.versus_others)


def _versus_others_cells(
    result: StoredResult, rater: ReportRater, found: RaterVersusOthers, measure: str
) -> RaterVersusOthersCells:
    is_share = measure == SHARE
    show, show_gap = (percent, points) if is_share else (measured, measured)
    flag = ""
    if found.is_beyond_chance:
        is_higher = (found.difference or 0) > 0
        flag = f"significantly {'higher' if is_higher else 'lower'}"
    arguments = [result.report.project.slug, result.report.pk, result.row.question_id, rater.id]
    gap_low, gap_high, clipped = found.difference_ci_low, found.difference_ci_high, ""
    if is_share:
        gap_low, gap_high, clipped = _within_points(gap_low, gap_high)
    return RaterVersusOthersCells(
        value=show(found.value),
        interval=_limits(found.ci_low, found.ci_high, show),
        gap=signed(found.difference, show_gap),
        gap_interval=_limits(gap_low, gap_high, show_gap),
        clipped=clipped,
        flag=flag,
        items=f"{reverse('report_rater_items', args=arguments)}{COMPARED}",
    )


def signed(value: float | None, show: Callable[[float | None], str]) -> str:
    return f"+{show(value)}" if value is not None and value > 0 else show(value)


def points(value: float | None) -> str:
    """Format a difference of two shares in percentage points, with a decimal, so that a limit above 0 is not 0."""
    return figure(None if value is None else 100 * value, 1)


def _within_points(low: float | None, high: float | None) -> tuple[float | None, float | None, str]:
    """Return the limits of a difference of two shares, which cannot exceed 1, and where they were truncated."""
    if low is None or high is None or (low >= -1 and high <= 1):
        return low, high, ""
    found = max(low, -1.0), min(high, 1.0)
    bounds = [figure(100 * limit, 0) for limit in found if abs(limit) == 1]
    return *found, f"truncated at {' and '.join(bounds)}"


def _limits(low: float | None, high: float | None, show: Callable[[float | None], str]) -> str:
    return "" if low is None or high is None else f"[{show(low)}, {show(high)}]"


def _lines(
    result: StoredResult, found: RatersVersusReference, reference: ReportRater | None
) -> Callable[[ReportRater], RaterLine]:
    consensus = result.figures.consensus
    estimate = consensus.dawid_skene if consensus else None
    of_each = estimate.raters if isinstance(estimate, LatentClassEstimates) else ()
    shares = {each.rater: each.share_right for each in of_each}
    figures = {each.rater: each.values for each in found.raters}
    return lambda rater: _line(result, rater, shares.get(rater.key), figures, reference)


def _line(
    result: StoredResult,
    rater: ReportRater,
    share_right: float | None,
    figures: Mapping[str, Mapping[str, Figure]],
    reference: ReportRater | None,
) -> RaterLine:
    own, items = figures.get(rater.key, {}), ""
    if reference is not None:
        a, b = sorted((rater.id, reference.id))
        items = f"{question_address(result.row)}{a}/{b}/items/"
    cells = []
    for name in columns_of(result):
        is_share = name.endswith("accuracy")
        found = own.get(name, NOTHING)
        interval = shown_limits(found.ci_low, found.ci_high, is_share=is_share)
        address = f"{items}{IN_AGREEMENT}" if name == "accuracy" else items
        cells.append(
            FigureCell(
                shown_value(found.value, is_share=is_share),
                interval or words_of(found.reason).short,
                "" if found.value is None else address,
            )
        )
    return RaterLine(rater, percent(share_right, 1), own["accuracy"].n_items if own else None, cells, items)
