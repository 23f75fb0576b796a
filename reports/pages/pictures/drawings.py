"""Each picture of a report as a file of its own shows it: what is drawn, and what stands above it."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from projects.templatetags.shown import count, figure, in_percent, moment
from reports.agreement.planning.curve import PrevalenceCurve
from reports.catalogue import title_of
from reports.computing.over_time import OverTimeRefused
from reports.counted import counted_in
from reports.later import over_time_asked
from reports.models import PairAgreement, QuestionAgreement
from reports.pages.comparing import over_time as time_contexts
from reports.pages.pair.other_behind import SharedAnswers
from reports.pages.pair.paradox import curve_of
from reports.pages.pair.table import categories_of, table_of
from reports.pages.pictures.bars import bars_of
from reports.pages.pictures.difference_plot import HEIGHT, MAX_DOTS, WIDTH, difference_plot
from reports.pages.pictures.files import Key, Picture
from reports.pages.pictures.forest import WIDE, forest_of
from reports.pages.question import measures, pairs
from reports.pages.question import network as network_contexts
from reports.pages.question.measures import measures_of
from reports.plans.shown import Drawing, drawing_of

CURVE_BOX, CURVE_WIDTH, KEY_WIDTH = (480, 310), 720, 172


def about(agreement: QuestionAgreement, *more: str) -> str:
    """Where it comes from, in a line."""
    report = agreement.report
    parts = (
        report.project.name,
        agreement.question.key,
        *more,
        f"report {report.pk} of {moment(report.finished_at)}",
    )
    return " · ".join(part for part in parts if part)


def forest(request: HttpRequest, agreement: QuestionAgreement) -> Picture | None:
    measure, rows, names = pairs.listed_pairs(request, agreement)
    found = forest_of(rows, names, shape=WIDE)
    if found is None:
        return None
    return Picture(
        title=f"{measure.title} of each pair, with {in_percent(agreement.report.chosen.percent)} intervals",
        about=about(agreement, f"{count(len(found.bars))} of {count(agreement.n_pairs)} pairs"),
        kind="forest wide",
        marks="pictures/forest.svg",
        context={"forest": found},
        box=(WIDE.width, found.height),
        width=WIDE.width,
    )


def distribution(request: HttpRequest, agreement: QuestionAgreement) -> Picture | None:
    found = bars_of(agreement)
    if found is None:
        return None
    return Picture(
        title="How each rater uses the categories",
        about=about(agreement, f"{count(agreement.n_raters)} raters"),
        kind=found.kind,
        marks="pictures/bars.svg",
        context={"bars": found},
        box=(found.width, found.height),
        width=found.width,
    )


def network(request: HttpRequest, agreement: QuestionAgreement) -> Picture | None:
    measure = measures.measure_of(request, agreement, measures_of(agreement))
    found, raters, _ = network_contexts.drawn(request, agreement, measure)
    if not raters:
        return None
    return Picture(
        title=f"Raters with {measure.title}, of {figure(found.cut)} or more are joined",
        about=about(agreement, f"{count(len(raters))} raters", f"{count(len(found.lines))} lines"),
        kind=found.kind,
        marks="pictures/network.svg",
        context={"network": found},
        box=(found.width, found.height),
        width=found.width,
    )


def time(request: HttpRequest, agreement: QuestionAgreement) -> Picture | None:
    """Agreement by round or over time, of any kind of question."""
    asked = time_contexts.asked_of(request, agreement)
    try:
        found = time_contexts.plot_of(agreement, asked, over_time_asked(agreement, asked, by=request.user))
    except OverTimeRefused:
        return None
    if found is None:
        return None
    by = time_contexts.CHOICES[asked.by].lower()
    return Picture(
        title=f"{title_of(asked.coefficient)} by {by}, with {in_percent(agreement.report.chosen.percent)} intervals",
        about=about(agreement, f"{count(len(found.slots))} windows", counted_in(agreement).words),
        kind="timeline",
        marks="pictures/time.svg",
        context={"plot": found},
        box=(found.width, found.height),
        width=found.width,
    )


def prevalence(request: HttpRequest, pair: PairAgreement) -> Picture | None:
    """Coefficients as the commonest category becomes rarer or still more common."""
    if pair.figures is not None:
        return None
    table = table_of(pair)
    found = curve_of(table, categories_of(pair))
    if found is None:
        return None
    return _curve(
        found.drawing,
        f"{pair.rater_a} × {pair.rater_b}: coefficients if “{found.category}” were rarer or more common",
        about(pair.agreement, f"here its share is {found.share}"),
        {"curve_of": found.category, "here": found.here},
    )


def plan_curve(curve: PrevalenceCurve) -> Picture:
    return _curve(
        drawing_of(curve),
        "Coefficients by the share of the first category",
        "Two raters whose error rates stay as they are",
        {"curve_of": "", "here": None},
    )


def _curve(drawing: Drawing, title: str, words: str, more: Mapping[str, Any]) -> Picture:
    return Picture(
        title=title,
        about=words,
        kind="curve",
        marks="pictures/curve.svg",
        context={"drawing": drawing, **more},
        box=CURVE_BOX,
        width=CURVE_WIDTH,
        keys=[Key(24 + KEY_WIDTH * place, line.name, line.title) for place, line in enumerate(drawing.lines)],
    )


def differences(request: HttpRequest, pair: PairAgreement) -> Picture | None:
    """Two raters' numbers as Bland and Altman draw them."""
    if pair.figures is None or "bland_altman_bias" not in pair.figures:
        return None
    numbers = SharedAnswers(pair).numbers(MAX_DOTS + 1)
    found = difference_plot(numbers, pair.figures)
    if found is None:
        return None
    return Picture(
        title=f"{pair.rater_a} minus {pair.rater_b}, by the mean of the two",
        about=about(pair.agreement, f"{count(len(numbers))} items"),
        kind="differences",
        marks="pictures/differences.svg",
        context={"plot": found},
        box=(WIDTH, HEIGHT),
        width=WIDTH,
    )
