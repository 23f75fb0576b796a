"""A rater over time: a row for each window, and a picture."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.templatetags.shown import duration, figure, in_percent, moment
from reports.access import RaterAccess
from reports.agreement.results import Reason
from reports.analysis.catalog import title_of
from reports.analysis.drift import drift_of
from reports.analysis.rater_consensus import rater_and_consensus, rater_versus_consensus
from reports.analysis.reasons import words_of
from reports.analysis.results import Drift, RaterWindow, SeriesStatistics
from reports.drawing.picture import Picture
from reports.pages.heads import about
from reports.pictures.time_plot import Point, TimePlot, time_plot
from reports.results.items.query import ItemQuery
from reports.results.rater_figures import visible_labels
from reports.results.rater_wording import value_shown, why
from reports.results.statistic_rows import shown_limits, shown_p


@dataclass(frozen=True, slots=True)
class DriftRow:
    number: int
    start: str
    end: str
    n: int
    address: str
    n_same: int
    same_address: str
    value: str
    interval: str
    kappa: tuple[str, str] | None
    seconds: str


@dataclass(frozen=True, slots=True)
class DriftSection:
    """is_share: whether windows have shares, not differences of numbers. p_value, statistic: of the trend test."""

    title: str
    is_share: bool
    rows: Sequence[DriftRow]
    has_kappa: bool
    has_seconds: bool
    plot: TimePlot | None
    p_value: str
    statistic: str
    why: str


def drift_section(found: Drift, consensus: SeriesStatistics, *, percent: str) -> DriftSection:
    """Return the section on drift. percent: the confidence level of the intervals."""
    name, windows, trend = found.measure, found.windows, found.trend
    is_share, overall = name == "percent_agreement", consensus.values.get(name)
    title = title_of(name) if is_share else "Difference from the others’ mean"
    points = [
        Point(str(number), w.value.value, w.value.ci_low, w.value.ci_high, w.start, w.end)
        for number, w in enumerate(windows, start=1)
    ]
    return DriftSection(
        title=title,
        is_share=is_share,
        rows=[_window(number, name, window) for number, window in enumerate(windows, start=1)],
        has_kappa=any(window.kappa for window in windows),
        has_seconds=any(window.seconds is not None for window in windows),
        plot=time_plot(
            points,
            [],
            overall=overall.value if overall else None,
            description=f"{title} by window with {in_percent(percent)} CIs; same data in the table below",
            is_share=is_share,
            is_bounded=is_share,
        ),
        p_value=shown_p(trend.p_value) if trend else "",
        statistic=figure(trend.statistic) if trend else "",
        why=f"A window needs at least {found.least} labels of items on which the others have a consensus; there are "
        "not enough for two windows."
        if found.reason == Reason.TOO_FEW_ITEMS
        else why(found.reason),
    )


def _window(number: int, name: str, window: RaterWindow) -> DriftRow:
    value, interval = value_shown(name, window.value)
    kappa = window.kappa
    return DriftRow(
        number,
        moment(window.start),
        moment(window.end),
        window.value.n or 0,
        f"items/{ItemQuery(window=str(number))}",
        window.n_same,
        f"items/{ItemQuery(window=str(number), among='agreement')}",
        value,
        interval,
        None
        if kappa is None
        else (
            figure(kappa.value),
            shown_limits(kappa.ci_low, kappa.ci_high, is_share=False) or words_of(kappa.reason).short,
        ),
        duration(window.seconds),
    )


def drift_picture(access: RaterAccess) -> Picture | None:
    """Return the picture as a separate file; None if there are no windows."""
    scope = access.scope
    compared = rater_and_consensus(scope, visible_labels(access))
    percent = access.agreement.report.chosen.percent
    shown = drift_section(
        drift_of(compared), rater_versus_consensus(scope, compared).figures, percent=percent
    )
    plot = shown.plot
    if plot is None:
        return None
    return plot.picture.named(
        f"{access.rater.key}: {shown.title} by window of time, with {in_percent(percent)} CIs",
        about(access.agreement, f"{plot.n_windows} windows"),
    )
