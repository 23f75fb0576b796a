"""What the page of agreement by round and over time shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from core.numbers import whole_number
from core.templatetags.shown import figure, in_percent, moment, percent
from reports.analysis.catalogue import CATALOGUE, title_of
from reports.analysis.labels import NO_ROUND, NO_VERSION
from reports.analysis.reasons import words_of
from reports.analysis.results import to_json
from reports.analysis.windows import By
from reports.pages.address_choices import chosen
from reports.pages.comparing.side_items import differs_on, rested_on
from reports.pages.question.question_head import question_head
from reports.pictures.time_plot import Point, TimePlot, time_plot
from reports.results.addresses import items_address, items_behind, question_address
from reports.results.items.query import ItemQuery
from reports.results.statistic_rows import in_order, shown_limits, shown_p, shown_value
from reports.results.time_wording import (
    default_coefficient,
    has_rounds,
    names_of,
    new_guidelines,
    notes_of,
    signed,
    versions_of,
)
from reports.store.on_demand import over_time_asked
from reports.store.over_time import (
    LEAST_ITEMS,
    MAX_NUMBER,
    MAX_WINDOWS,
    MIN_NUMBER,
    Asked,
    OverTimeRefused,
    coefficients_over_time,
)
from reports.store.stored_result import StoredResult

CHOICES = {
    By.ROUND: "Round",
    By.GUIDELINES: "Guidelines",
    By.DAY: "Day",
    By.WEEK: "Week",
    By.NUMBER: "Equal number of labels",
}
ONE_ONLY = {
    By.ROUND: "All labels in this report belong to one round, or to none.",
    By.GUIDELINES: "All labels in this report were made under one version of the guidelines, or the version is "
    "unknown.",
    By.DAY: "All items were completed on the same day.",
    By.WEEK: "All items were completed in the same week.",
    By.NUMBER: "All items were completed at the same time, as when a file without timestamps is imported.",
}
NUMBERS = {"4": "4", "8": "8", "16": "16"}


@dataclass(frozen=True, slots=True)
class WindowRow:
    """items: where those behind the figures are listed, "" if they are nowhere."""

    name: str
    since: str
    until: str
    n_items: int
    n_raters: int
    n_labels: int
    value: str
    interval: str
    beside: str
    guidelines: str
    items: str


@dataclass(frozen=True, slots=True)
class StepRow:
    """From one window to a later one."""

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


def asked_of(request: HttpRequest, result: StoredResult) -> Asked:
    """What the address asks for; nonsense gives the default."""
    names = coefficients_over_time(result.row)
    default = By.ROUND if has_rounds(result.report) else By.NUMBER
    n = whole_number(request.GET.get("windows", ""), most=999)
    return Asked(
        By(chosen(request, "by", list(CHOICES), default)),
        chosen(request, "coefficient", names, default_coefficient(result)),
        min(MAX_NUMBER, max(MIN_NUMBER, 8 if n is None else n)),
        timezone.get_current_timezone_name(),
    )


def time_page(request: HttpRequest, result: StoredResult) -> dict[str, Any]:
    asked = asked_of(request, result)
    context = {
        **question_head(result),
        "percent": result.report.chosen.percent,
        "pictures": f"{question_address(result.row)}pictures/",
        "by": asked.by,
        "choices": CHOICES,
        "coefficient": asked.coefficient,
        "coefficients": {name: title_of(name) for name in in_order(coefficients_over_time(result.row))},
        "title": title_of(asked.coefficient),
        "windows": str(asked.n_windows),
        "numbers": NUMBERS,
        "is_number": asked.by is By.NUMBER,
        "is_day": asked.by is By.DAY,
        "is_time": asked.by in {By.DAY, By.WEEK, By.NUMBER},
    }
    try:
        found = to_json(over_time_asked(result.row, asked, by=request.user))
    except OverTimeRefused as refused:
        return context | {"refusal": str(refused)}
    return context | _shown(result, asked, found, is_share=_is_share(asked.coefficient))


def plot_of(result: StoredResult, asked: Asked, found: Mapping[str, Any]) -> TimePlot | None:
    names = names_of(result, asked.by, found["windows"])
    points = [_point(asked.by, name, each) for name, each in zip(names, found["windows"], strict=True)]
    overall = result.coefficients.get(asked.coefficient, {}).get("value")
    versions = versions_of(result.report)
    said = (
        f"{title_of(asked.coefficient)} by {CHOICES[asked.by].lower()} with "
        f"{in_percent(result.report.chosen.percent)} CIs; same data in the table below"
    )
    return time_plot(points, versions, overall=overall, said=said, is_share=_is_share(asked.coefficient))


def _is_share(coefficient: str) -> bool:
    entry = CATALOGUE.get(coefficient)
    return entry is not None and entry.is_share


def _shown(result: StoredResult, asked: Asked, found: Mapping[str, Any], *, is_share: bool) -> dict[str, Any]:
    windows = found["windows"]
    names = names_of(result, asked.by, windows)
    items = [_items(result, asked, name, each) for name, each in zip(names, windows, strict=True)]
    overall_items = items_behind(result, result.coefficients.get(asked.coefficient, {}).get("n_items"))
    overall = result.coefficients.get(asked.coefficient, {}).get("value")
    steps = [
        _step(each, names, windows, _items_of_both(result, asked, names, windows, each))
        for each in found["differences"]
    ]
    return {
        "rows": [
            _window_row(name, each, address, is_share=is_share)
            for name, each, address in zip(names, windows, items, strict=True)
        ],
        "has_beside": asked.coefficient != "percent_agreement" and any(each["beside"] for each in windows),
        "steps": steps,
        "notes": notes_of(asked, found, names, result.report.chosen.percent),
        "plot": plot_of(result, asked, found),
        "overall": shown_value(overall, is_share=is_share),
        "overall_items": overall_items if overall is not None else "",
        "versions": versions_of(result.report),
        "one_only": ONE_ONLY[asked.by] if len(windows) == 1 else "",
        "n_left_out": found["n_left_out"],
        "most": MAX_WINDOWS,
        "least": LEAST_ITEMS,
        "n_tests": sum(1 for each in found["differences"] if each["p_corrected"] is not None),
    }


def _short(by: By, name: str) -> str:
    """What fits below a picture."""
    if by in {By.DAY, By.WEEK}:
        return name.removeprefix("week of ").rsplit(" ", 1)[0]
    name = name.removeprefix("window ")
    return name if len(name) <= 16 else f"{name[:15]}…"


def _point(by: By, name: str, window: Mapping[str, Any]) -> Point:
    found = window["figure"]
    start, end = (datetime.fromisoformat(window[side]) for side in ("start", "end"))
    return Point(_short(by, name), found["value"], found["ci_low"], found["ci_high"], start, end)


def _items(result: StoredResult, asked: Asked, name: str, window: Mapping[str, Any]) -> str:
    """The items that the figures of the window rest on."""
    query = rested_on(asked.coefficient)
    if asked.by in {By.ROUND, By.GUIDELINES}:
        return items_address(result.row, _in_window(query, asked.by, name, window))
    return items_address(result.row, replace(query, since=window["start"], until=window["end"]))


def _in_window(query: ItemQuery, by: By, name: str, window: Mapping[str, Any]) -> ItemQuery:
    """By the labels of a round or of a version of the guidelines alone."""
    key = window["key"]
    if by is By.GUIDELINES:
        return replace(query, guidelines="" if key == NO_VERSION else str(key))
    return replace(query, round="" if key == NO_ROUND else name)


def _items_of_both(
    result: StoredResult,
    asked: Asked,
    names: Sequence[str],
    windows: Sequence[Mapping[str, Any]],
    found: Mapping[str, Any],
) -> str:
    """The items that both windows have; in windows of time no item is in two."""
    if asked.by not in {By.ROUND, By.GUIDELINES} or not found["n_shared"]:
        return ""
    earlier, later = (
        _in_window(differs_on(result.row, asked.coefficient), asked.by, names[place], windows[place])
        for place in (found["earlier"], found["later"])
    )
    also = f"round:{earlier.round}" if asked.by is By.ROUND else f"guidelines:{earlier.guidelines}"
    return items_address(result.row, replace(later, also=also))


def _window_row(name: str, window: Mapping[str, Any], items: str, *, is_share: bool) -> WindowRow:
    found, beside = window["figure"], window["beside"] or {}
    reason = words_of(found["reason"]).short if found["reason"] else ""
    return WindowRow(
        name=name,
        since=moment(datetime.fromisoformat(window["start"])),
        until=moment(datetime.fromisoformat(window["end"])),
        n_items=found["n_items"],
        n_raters=found["n_raters"],
        n_labels=found["n_labels"],
        value=shown_value(found["value"], is_share=is_share),
        interval=shown_limits(found["ci_low"], found["ci_high"], is_share=is_share) or reason,
        beside=percent(beside.get("value"), 1),
        guidelines=", ".join(map(str, window["guidelines"])),
        items=items,
    )


def _step(
    found: Mapping[str, Any], names: Sequence[str], windows: Sequence[Mapping[str, Any]], items: str
) -> StepRow:
    letter = "z" if found["df"] is None else f"t({found['df']})"
    return StepRow(
        earlier=_brief(names[found["earlier"]]),
        later=_brief(names[found["later"]]),
        value=signed(found["value"]),
        interval=shown_limits(found["ci_low"], found["ci_high"], is_share=False),
        test="" if found["statistic"] is None else f"{letter} = {figure(found['statistic'], 2)}",
        p_value=shown_p(found["p_value"]),
        p_corrected=shown_p(found["p_corrected"]),
        is_beyond_chance=found["is_beyond_chance"],
        n_shared=found["n_shared"],
        remark=_why_untold(found),
        guidelines=", ".join(map(str, new_guidelines(found, windows))),
        items=items,
    )


def _brief(name: str) -> str:
    """Beside another of the same sort."""
    return name.removeprefix("window ").removeprefix("week of ")


def _why_untold(found: Mapping[str, Any]) -> str:
    """Why it is not known whether chance explains the change; "" if it is."""
    if found["reason"]:
        return words_of(found["reason"]).phrase
    return "too few items" if found["has_few_items"] else ""
