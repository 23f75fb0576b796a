"""The page of agreement by round and over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import HttpRequest
from django.utils import timezone

from core.numbers import whole_number
from core.templatetags.shown import count, in_percent, moment, percent
from reports.agreement.few_items import LEAST_ITEMS
from reports.analysis.catalog import title_among
from reports.analysis.label_arrays import NO_ROUND, NO_VERSION
from reports.analysis.reasons import words_of
from reports.analysis.results import OverTime, WindowChange, WindowFigures
from reports.analysis.windows import WindowGrouping
from reports.pages.address_choices import chosen
from reports.pages.comparing.side_items import differs_on, items_used_query
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head
from reports.pictures.time_plot import Point, TimePlot, time_plot
from reports.results.addresses import items_address, items_used_address, question_address
from reports.results.items.query import ItemQuery
from reports.results.kinds import coefficient_of_parts
from reports.results.statistic_rows import (
    in_order,
    is_share,
    shown_difference,
    shown_difference_limits,
    shown_limits,
    shown_p,
    shown_value,
    words_of_test,
)
from reports.results.time_wording import (
    has_rounds,
    homogeneity_sentences,
    names_of,
    notes_of,
    title_over_time,
    versions_of,
)
from reports.store.on_demand import agreement_over_time, over_time_done
from reports.store.over_time import (
    MAX_NUMBER,
    MAX_WINDOWS,
    MIN_NUMBER,
    OverTimeOptions,
    OverTimeRefused,
    coefficients_over_time,
)
from reports.store.stored_result import StoredResult

CHOICES = {
    WindowGrouping.ROUND: "Round",
    WindowGrouping.GUIDELINES: "Guidelines",
    WindowGrouping.DAY: "Day",
    WindowGrouping.WEEK: "Week",
    WindowGrouping.NUMBER: "Equal number of labels",
}
ONE_ONLY = {
    WindowGrouping.ROUND: "All labels in this report belong to one round, or to none.",
    WindowGrouping.GUIDELINES: "All labels in this report were made under one version of the guidelines, or the "
    "version is unknown.",
    WindowGrouping.DAY: "All items were completed on the same day.",
    WindowGrouping.WEEK: "All items were completed in the same week.",
    WindowGrouping.NUMBER: "All items were completed at the same time, as when a file without timestamps is imported.",
}
NUMBERS = (4, 8, 16)
MOST_FITTING = 8


@dataclass(frozen=True, slots=True)
class WindowRow:
    """items: the URL of the items behind the figures, "" if there is no list. why: why the value or its interval is
    missing, as a phrase.
    """

    name: str
    since: str
    until: str
    n_items: int | None
    n_raters: int | None
    n_labels: int | None
    value: str
    interval: str
    percent_agreement: str
    guidelines: str
    items: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class WindowChangeRow:
    """The change from one window to a later one."""

    earlier: str
    later: str
    value: str
    interval: str
    test: str
    p_value: str
    p_corrected: str
    is_beyond_chance: bool
    n_shared: int
    remark: str
    guidelines: str
    items: str
    has_few_items: bool


def requested_options(request: HttpRequest, result: StoredResult) -> OverTimeOptions:
    """Return the choices in the query string; invalid ones take their defaults."""
    names = coefficients_over_time(result.row)
    default = WindowGrouping.ROUND if has_rounds(result.report) else WindowGrouping.NUMBER
    coefficient = chosen(request, "coefficient", names, coefficient_of_parts(result.row))
    n = whole_number(request.GET.get("windows", ""), most=999)
    return OverTimeOptions(
        WindowGrouping(chosen(request, "by", list(CHOICES), default)),
        coefficient,
        min(MAX_NUMBER, max(MIN_NUMBER, fitting_windows(result, coefficient) if n is None else n)),
        timezone.get_current_timezone_name(),
    )


def fitting_windows(result: StoredResult, coefficient: str) -> int:
    """Return how many windows have enough items to be compared with each other, at most MOST_FITTING."""
    return min(MOST_FITTING, _items_to_split(result, coefficient) // LEAST_ITEMS)


def _items_to_split(result: StoredResult, coefficient: str) -> int:
    """Return the number of items that windows of time split: those of all rounds."""
    by_round = OverTimeOptions(WindowGrouping.ROUND, coefficient_of_parts(result.row))
    found = None if result.row.lead is None else over_time_done(result.row, by_round)
    figures = [result.figure(coefficient)] if found is None else [each.figure for each in found.windows]
    return sum(each.n_items or 0 for each in figures)


def _few_items_words(request: HttpRequest, result: StoredResult, asked: OverTimeOptions) -> str:
    """Return why nothing is split into windows unless their number is chosen; "" if there are enough items."""
    has_number = whole_number(request.GET.get("windows", "")) is not None
    if asked.by is not WindowGrouping.NUMBER or has_number or result.reason:
        return ""
    if fitting_windows(result, asked.coefficient) >= MIN_NUMBER:
        return ""
    n = _items_to_split(result, asked.coefficient)
    few = f"{count(n)} item is" if n == 1 else f"{count(n)} items are"
    return (
        f"{few} too few to split into windows: with fewer than {LEAST_ITEMS} items in each, a change cannot be "
        "distinguished from chance. Choose a number of windows to see them anyway."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowsSection(PageSection):
    """rows: of windows; steps: from one to the next. overall: for all labels. one_only: the meaning of a single window.
    same: whether all windows are equal, in sentences.
    """

    rows: Sequence[WindowRow]
    has_percent_agreement: bool
    steps: Sequence[WindowChangeRow]
    has_remarks: bool
    notes: Sequence[str]
    plot: TimePlot | None
    overall: str
    overall_items: str
    versions: Sequence[tuple[int, datetime]]
    one_only: str
    same: Sequence[str]
    n_left_out: int
    most: int
    least: int
    n_tests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePage(PageSection):
    """windows: their number as requested; has_number: whether it can be chosen. few_items: why nothing was split.
    found: None if it is refused or not split.
    """

    head: QuestionHead
    percent: str
    pictures: str
    by: WindowGrouping
    choices: Mapping[WindowGrouping, str]
    coefficient: str
    coefficients: Mapping[str, str]
    title: str
    windows: str
    numbers: Mapping[str, str]
    has_number: bool
    is_day: bool
    is_time: bool
    refusal: str = ""
    few_items: str = ""
    found: WindowsSection | None = None


def time_page(request: HttpRequest, result: StoredResult) -> TimePage:
    asked = requested_options(request, result)
    few_items = _few_items_words(request, result, asked)
    page = TimePage(
        head=question_head(result),
        percent=result.report.chosen.percent,
        pictures=f"{question_address(result.row)}pictures/",
        by=asked.by,
        choices=CHOICES,
        coefficient=asked.coefficient,
        coefficients={
            name: title_among(name, result.counted.n_raters)
            for name in in_order(coefficients_over_time(result.row))
        },
        title=title_among(asked.coefficient, result.counted.n_raters),
        windows="" if few_items else str(asked.n_windows),
        numbers={str(n): str(n) for n in sorted({*NUMBERS, *([] if few_items else [asked.n_windows])})},
        has_number=asked.by is WindowGrouping.NUMBER,
        is_day=asked.by is WindowGrouping.DAY,
        is_time=asked.by in {WindowGrouping.DAY, WindowGrouping.WEEK, WindowGrouping.NUMBER},
    )
    if few_items:
        return replace(page, few_items=few_items)
    try:
        found = agreement_over_time(result.row, asked, by=request.user)
    except OverTimeRefused as refused:
        return replace(page, refusal=str(refused))
    page = replace(page, found=windows_section(result, asked, found))
    return replace(page, title=title_over_time(found)) if found.windows else page


def plot_of(result: StoredResult, options: OverTimeOptions, found: OverTime) -> TimePlot | None:
    names = names_of(result, options.by, found)
    points = [
        Point(
            _short(options.by, name),
            window.figure.value,
            window.figure.ci_low,
            window.figure.ci_high,
            window.start,
            window.end,
        )
        for name, window in zip(names, found.windows, strict=True)
    ]
    overall = result.figure(options.coefficient).value
    versions = versions_of(result.report)
    description = (
        f"{title_over_time(found)} by {CHOICES[options.by].lower()} with "
        f"{in_percent(result.report.chosen.percent)} CIs; same data in the table below"
    )
    return time_plot(
        points, versions, overall=overall, description=description, is_share=is_share(options.coefficient)
    )


def windows_section(result: StoredResult, options: OverTimeOptions, found: OverTime) -> WindowsSection:
    names, overall = names_of(result, options.by, found), result.figure(options.coefficient)
    steps = [
        _step(each, found, names, _items_of_both(result, options, found, names, each))
        for each in found.differences
    ]
    return WindowsSection(
        rows=[
            _window_row(
                name, each, _items(result, options, name, each), is_share=is_share(options.coefficient)
            )
            for name, each in zip(names, found.windows, strict=True)
        ],
        has_percent_agreement=options.coefficient != "percent_agreement"
        and any(each.percent_agreement for each in found.windows),
        steps=steps,
        has_remarks=any(step.remark for step in steps),
        notes=notes_of(options, found, names, result.report.chosen.percent),
        plot=plot_of(result, options, found),
        overall=shown_value(overall.value, is_share=is_share(options.coefficient)),
        overall_items="" if overall.value is None else items_used_address(result, overall.n_items),
        versions=versions_of(result.report),
        one_only=ONE_ONLY[options.by] if len(found.windows) == 1 else "",
        same=homogeneity_sentences(
            found, "round" if options.by is WindowGrouping.ROUND else "window", result.report.chosen.percent
        ),
        n_left_out=found.n_left_out,
        most=MAX_WINDOWS,
        least=LEAST_ITEMS,
        n_tests=found.n_tests,
    )


def _short(by: WindowGrouping, name: str) -> str:
    """Return a name that fits below a picture."""
    if by in {WindowGrouping.DAY, WindowGrouping.WEEK}:
        return name.removeprefix("week of ").rsplit(" ", 1)[0]
    name = name.removeprefix("window ")
    return name if len(name) <= 16 else f"{name[:15]}…"


def _items(result: StoredResult, options: OverTimeOptions, name: str, window: WindowFigures) -> str:
    """Return the list of items that the figures of the window use."""
    query = items_used_query(options.coefficient)
    if options.by in {WindowGrouping.ROUND, WindowGrouping.GUIDELINES}:
        return items_address(result.row, _in_window(query, options.by, name, window))
    return items_address(
        result.row, replace(query, since=window.start.isoformat(), until=window.end.isoformat())
    )


def _in_window(query: ItemQuery, by: WindowGrouping, name: str, window: WindowFigures) -> ItemQuery:
    """Limit the query to labels of a round or of a guidelines version."""
    if by is WindowGrouping.GUIDELINES:
        return replace(query, guidelines="" if window.key == NO_VERSION else str(window.key))
    return replace(query, round="" if window.key == NO_ROUND else name)


def _items_of_both(
    result: StoredResult, options: OverTimeOptions, found: OverTime, names: Sequence[str], step: WindowChange
) -> str:
    """Return the list of items in both windows; windows of time have no items in common."""
    if options.by not in {WindowGrouping.ROUND, WindowGrouping.GUIDELINES} or not step.n_shared:
        return ""
    query = differs_on(result.row, options.coefficient)
    earlier, later = (
        _in_window(query, options.by, names[place], found.windows[place])
        for place in (step.earlier, step.later)
    )
    also = (
        f"round:{earlier.round}" if options.by is WindowGrouping.ROUND else f"guidelines:{earlier.guidelines}"
    )
    return items_address(result.row, replace(later, also=also))


def _window_row(name: str, window: WindowFigures, items: str, *, is_share: bool) -> WindowRow:
    found = window.figure
    reason = words_of(found.reason) if found.reason else None
    return WindowRow(
        name=name,
        since=moment(window.start),
        until=moment(window.end),
        n_items=found.n_items,
        n_raters=found.n_raters,
        n_labels=found.n_labels,
        value=shown_value(found.value, is_share=is_share),
        interval=shown_limits(found.ci_low, found.ci_high, is_share=is_share)
        or (reason.short if reason else ""),
        percent_agreement=percent(window.percent_agreement.value if window.percent_agreement else None, 1),
        guidelines=", ".join(map(str, window.guidelines)),
        items=items,
        why=reason.phrase if reason else "",
    )


def _step(step: WindowChange, found: OverTime, names: Sequence[str], items: str) -> WindowChangeRow:
    # The reason why it is unknown whether the change is beyond chance.
    untold = words_of(step.reason).phrase if step.reason else "too few items" if step.has_few_items else ""
    return WindowChangeRow(
        earlier=_brief(names[step.earlier]),
        later=_brief(names[step.later]),
        value=shown_difference(step.value, is_share=is_share(found.coefficient)),
        interval=shown_difference_limits(step.ci_low, step.ci_high, is_share=is_share(found.coefficient)),
        test=words_of_test(step),
        p_value=shown_p(step.p_value),
        p_corrected=shown_p(step.p_corrected),
        is_beyond_chance=step.is_beyond_chance,
        n_shared=step.n_shared,
        remark=untold,
        guidelines=", ".join(map(str, found.new_guidelines(step))),
        items=items,
        has_few_items=step.has_few_items,
    )


def _brief(name: str) -> str:
    """Return a short name, for use with another of the same type."""
    return name.removeprefix("window ").removeprefix("week of ")
