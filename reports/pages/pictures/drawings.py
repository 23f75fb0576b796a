"""Each picture of a report as a file of its own shows it: what is drawn, and what stands above it."""

from django.http import HttpRequest

from core.templatetags.shown import count, figure, in_percent, moment
from reports.agreement.planning.curve import PrevalenceCurve
from reports.analysis.catalogue import title_of
from reports.drawing.picture import Picture
from reports.models import PairAgreement, QuestionAgreement
from reports.pages.comparing import over_time as time_contexts
from reports.pages.pair.other_behind import SharedAnswers
from reports.pages.pair.paradox import curve_of
from reports.pages.question import measures, pairs
from reports.pages.question import network as network_contexts
from reports.pages.question.measures import measures_of
from reports.pictures.bars import bars_of
from reports.pictures.curve import curve_picture
from reports.pictures.difference_plot import MAX_DOTS, difference_plot
from reports.pictures.forest import WIDE, forest_of
from reports.results.confusion import categories_of, table_of
from reports.store.counted import counted_in
from reports.store.on_demand import over_time_asked
from reports.store.over_time import OverTimeRefused


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
    found = forest_of(rows, names, shape=WIDE, said=pairs.said_of(agreement, measure))
    n_shown = sum(pair.kappa is not None for pair in rows)
    return found and found.named(
        f"{measure.title} for each pair, with {in_percent(agreement.report.chosen.percent)} CIs",
        about(agreement, f"{count(n_shown)} of {count(agreement.n_pairs)} pairs"),
    )


def distribution(request: HttpRequest, agreement: QuestionAgreement) -> Picture | None:
    found = bars_of(agreement)
    return found and found.named(
        "Category distribution by rater", about(agreement, f"{count(agreement.n_raters)} raters")
    )


def network(request: HttpRequest, agreement: QuestionAgreement) -> Picture | None:
    measure = measures.measure_of(request, agreement, measures_of(agreement))
    found, raters, _ = network_contexts.drawn(request, agreement, measure)
    if not raters:
        return None
    return found.picture.named(
        f"Raters are linked if {measure.title} ≥ {figure(found.cut)}",
        about(agreement, f"{count(len(raters))} raters", f"{count(found.n_lines)} links"),
    )


def time(request: HttpRequest, agreement: QuestionAgreement) -> Picture | None:
    """Agreement by round or over time, of any kind of question."""
    asked = time_contexts.asked_of(request, agreement)
    try:
        found = time_contexts.plot_of(agreement, asked, over_time_asked(agreement, asked, by=request.user))
    except OverTimeRefused:
        return None
    by, percent = time_contexts.CHOICES[asked.by].lower(), agreement.report.chosen.percent
    if found is None:
        return None
    return found.picture.named(
        f"{title_of(asked.coefficient)} by {by}, with {in_percent(percent)} CIs",
        about(agreement, f"{count(found.n_windows)} windows", counted_in(agreement).words),
    )


def prevalence(request: HttpRequest, pair: PairAgreement) -> Picture | None:
    """Coefficients as the commonest category becomes rarer or still more common."""
    found = curve_of(table_of(pair), categories_of(pair)) if pair.figures is None else None
    if found is None:
        return None
    return found.picture.named(
        f"{pair.rater_a} × {pair.rater_b}: coefficients if “{found.category}” were rarer or more common",
        about(pair.agreement, f"actual share: {found.share}"),
    )


def plan_curve(curve: PrevalenceCurve) -> Picture:
    return curve_picture(curve).named(
        "Coefficients by share of the first category", "Two raters with constant error rates"
    )


def differences(request: HttpRequest, pair: PairAgreement) -> Picture | None:
    """Two raters' numbers as Bland and Altman draw them."""
    if pair.figures is None or "bland_altman_bias" not in pair.figures:
        return None
    numbers = SharedAnswers(pair).numbers(MAX_DOTS + 1)
    found = difference_plot(numbers, pair.figures)
    return found and found.named(
        f"{pair.rater_a} − {pair.rater_b}, by the mean of the two",
        about(pair.agreement, f"{count(len(numbers))} items"),
    )
