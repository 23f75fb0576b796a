"""The comparison page: two sides to choose, and the differences between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest

from core.templatetags.shown import moment
from projects.access import AnyUser
from raters.access import Blindness, blindness_of
from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.intervals.difference import Difference
from reports.agreement.results import Reason
from reports.analysis.catalog import title_among
from reports.analysis.reasons import words_of
from reports.analysis.results import SideDifferences
from reports.analysis.significance import has_few_items
from reports.models import Report
from reports.pages.comparing.side_items import NO_LISTS, SideItems, items_of_sides
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head
from reports.pages.report_list import shown_name
from reports.results.prose_words import capitalized
from reports.results.statistic_rows import (
    in_order,
    is_share,
    shown_difference,
    shown_difference_limits,
    shown_p,
    shown_value,
    words_of_test,
)
from reports.results.wording import method_shown
from reports.store.agreements import ReportRater
from reports.store.on_demand import side_differences
from reports.store.sides import (
    ALL,
    ComparisonRefused,
    comparable_agreements,
    refuse_unopened,
    rounds_with_labels,
    words_of_all,
)
from reports.store.stored_result import StoredResult

REPORTS_LISTED = 50
RATERS = ("a", "b", "c", "d")
GROUPS = {"first_rater": "First group", "second_rater": "Second group"}
# Sent with the form of groups, so that it is known to be sent even if nobody is selected.
OF_GROUPS = "groups"


@dataclass(frozen=True, slots=True)
class SideDifferenceRow:
    name: str
    title: str
    first: str
    second: str
    value: str
    interval: str
    test: str
    p_value: str
    n_first: int
    n_second: int
    n_shared: int
    remark: str
    has_few_items: bool = False
    behind: SideItems = NO_LISTS


@dataclass(frozen=True, slots=True)
class ChosenGroup:
    """name: of the field. refusal: what is wrong with it, "" if nothing is."""

    name: str
    title: str
    raters: Sequence[str]
    refusal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SidesPage(PageSection):
    """sides, chosen_raters, groups: the choices and what is chosen. found: None if refused or not chosen yet."""

    head: QuestionHead
    percent: str
    sides: Mapping[str, str]
    first: str
    second: str
    raters: Sequence[ReportRater]
    chosen_raters: Sequence[tuple[str, str]]
    groups: Sequence[ChosenGroup]
    found: SideDifferences | None
    refusal: str
    rows: Sequence[SideDifferenceRow]
    has_few_items: bool
    least: int = LEAST_ITEMS


def comparison(request: HttpRequest, result: StoredResult) -> SidesPage:
    first, second = _sides(request)
    groups = _groups(request, result)
    found: SideDifferences | None = None
    refusal = ""
    if first and second and not any(group.refusal for group in groups):
        try:
            refuse_unopened(request.user, first, second)
            found = side_differences(result.row, first, second, by=request.user)
        except ComparisonRefused as refused:
            refusal = str(refused)
    differences = found.differences if found else {}
    rows = [
        difference_row(
            name,
            _turned(differences[name]),
            items_of_sides(result, first, second, name),
            n_raters=_n_raters(result, first, second),
        )
        for name in in_order(differences)
    ]
    sides = _choices(request.user, result)
    chosen_first, chosen_second = _preselected(sides, first, second)
    return SidesPage(
        head=question_head(result),
        percent=result.report.chosen.percent,
        sides=sides,
        first=chosen_first,
        second=chosen_second,
        raters=result.raters,
        chosen_raters=_chosen_raters(request, result),
        groups=groups,
        found=found,
        refusal=refusal,
        rows=rows,
        has_few_items=any(row.has_few_items for row in rows),
    )


def _sides(request: HttpRequest) -> tuple[str, str]:
    """Return both sides in the query string; four raters make two pairs, two lists of raters two groups."""
    groups = [request.GET.getlist(name) for name in GROUPS]
    if any(groups):
        first, second = ("raters:" + ":".join(group) for group in groups)
        return first, second
    a, b, c, d = (request.GET.get(name, "")[:20] for name in RATERS)
    if a and b and c and d:
        return f"pair:{a}:{b}", f"pair:{c}:{d}"
    return request.GET.get("first", "")[:220], request.GET.get("second", "")[:220]


def _groups(request: HttpRequest, result: StoredResult) -> list[ChosenGroup]:
    """Return the chosen groups; without their form, empty ones."""
    known = {str(rater.id) for rater in result.raters}
    is_sent = OF_GROUPS in request.GET or any(name in request.GET for name in GROUPS)
    found = []
    for name, title in GROUPS.items():
        chosen = request.GET.getlist(name)
        is_fine = len(set(chosen)) > 1 and known.issuperset(chosen)
        refusal = "" if is_fine or not is_sent else f"{title}: select at least two raters."
        found.append(ChosenGroup(name, title, chosen, refusal))
    return found


def _preselected(sides: Mapping[str, str], first: str, second: str) -> tuple[str, str]:
    """Return the sides chosen in the form: those that are shown, or else two different ones, this report second."""
    if first in sides and second in sides:
        return first, second
    this, other, *_ = [*sides, *sides]
    return other, this


def _chosen_raters(request: HttpRequest, result: StoredResult) -> list[tuple[str, str]]:
    """Return the selected raters: those in the query string, or two pairs that share one rater."""
    ids = [str(rater.id) for rater in result.raters]
    first, second, third = (ids + ids[-1:] * 3)[:3] if ids else ("", "", "")
    return [
        (name, request.GET.get(name, default))
        for name, default in zip(RATERS, (first, second, first, third), strict=True)
    ]


def _choices(user: AnyUser, result: StoredResult) -> dict[str, str]:
    reports = comparable_agreements(result.row, user).defer("statistics", "coefficients", "raters")[
        :REPORTS_LISTED
    ]
    blindness = blindness_of(user, result.report.project)
    # The round that the report itself uses is its own side.
    own = result.row.lead["key"] if result.row.lead else None
    return {
        ALL: capitalized(words_of_all(result.row)),
        **{f"round:{key}": f"Round {key}" for key in rounds_with_labels(result.row) if key != own},
        **{f"report:{each.report_id}": _words_of(each.report, blindness) for each in reports},
    }


def _words_of(report: Report, blindness: Blindness) -> str:
    words = f"Report of {moment(report.asked_at)}"
    name = shown_name(report, blindness)
    return f"{name} (report {report.pk} of {moment(report.asked_at)})" if name else words


def _n_raters(result: StoredResult, *sides: str) -> int:
    """Return the number of raters on either side; 0 if they differ or a side is another report."""
    found = {
        len(side.split(":")) - 1 if side.startswith("raters:") else result.counted.n_raters
        for side in sides
        if not side.startswith("report:")
    }
    has_report = any(side.startswith("report:") for side in sides)
    return 0 if has_report or len(found) != 1 else found.pop()


def _turned(found: Difference) -> Difference:
    """Return second − first, as in the comparison of two reports: the change from one to the other."""
    value, low, high, statistic = (
        None if number is None else -number
        for number in (found.value, found.ci_high, found.ci_low, found.statistic)
    )
    return replace(found, value=value, ci_low=low, ci_high=high, statistic=statistic)


def difference_row(
    name: str, found: Difference, items: SideItems = NO_LISTS, *, n_raters: int = 0
) -> SideDifferenceRow:
    """Return a row of the table. n_raters: on either side; 0 if the numbers differ."""
    is_same = found.value == 0 and found.reason is Reason.DEGENERATE_SE
    remark = "identical on every item" if is_same else words_of(found.reason).phrase
    has_few = has_few_items(found) and found.p_value is not None
    few = "too few items; " if has_few else ""
    return SideDifferenceRow(
        name=name,
        title=title_among(name, n_raters),
        first=shown_value(found.first, is_share=is_share(name)),
        second=shown_value(found.second, is_share=is_share(name)),
        value=shown_difference(found.value, is_share=is_share(name)),
        interval=shown_difference_limits(found.ci_low, found.ci_high, is_share=is_share(name)),
        test=words_of_test(found),
        p_value=shown_p(found.p_value),
        n_first=found.n_first,
        n_second=found.n_second,
        n_shared=found.n_shared,
        remark=remark or f"{few}{method_shown(found.method)}",
        has_few_items=has_few,
        behind=items,
    )
