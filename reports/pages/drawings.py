"""The pictures of a report as separate files, with titles."""

from django.http import HttpRequest

from core.templatetags.shown import count, figure, in_percent
from reports.agreement.planning.curve import PrevalenceCurve
from reports.drawing.picture import Picture
from reports.models import PairAgreement
from reports.pages.comparing import decisions_page, models_page, time_page
from reports.pages.heads import about
from reports.pages.pair.paradox import curve_of
from reports.pages.question import network_page as network_contexts
from reports.pages.question import pair_list as pairs
from reports.pages.question import pair_measures
from reports.pages.question.pair_measures import measures_of
from reports.pictures.bars import bars_of
from reports.pictures.calibration_plot import calibration_plot
from reports.pictures.difference_plot import MAX_DOTS, difference_plot
from reports.pictures.forest import WIDE, forest_of
from reports.pictures.prevalence_plot import curve_picture
from reports.results.confidence import against_words, confidences_in
from reports.results.confusion import categories_of, table_of
from reports.results.decision_wording import against_words as right_words
from reports.results.decision_wording import requested_decisions
from reports.results.items.pair_items import most_different
from reports.results.model_wording import names_of
from reports.results.pair_statistics import stored_figures
from reports.results.time_wording import title_over_time
from reports.store.model_decisions import DecisionsRefused, decided_by_model
from reports.store.models_against_people import ModelsRefused
from reports.store.on_demand import agreement_over_time, model_comparison
from reports.store.over_time import OverTimeRefused
from reports.store.stored_result import StoredResult


def forest(request: HttpRequest, result: StoredResult) -> Picture | None:
    measure, rows, names = pairs.listed_pairs(request, result)
    found = forest_of(rows, names, shape=WIDE, description=pairs.forest_description(result, measure))
    n_shown = sum(pair.kappa is not None for pair in rows)
    return found and found.named(
        f"{measure.title} for each pair, with {in_percent(result.report.chosen.percent)} CIs",
        about(result.row, f"{count(n_shown)} of {count(result.n_pairs)} pairs"),
    )


def distribution(request: HttpRequest, result: StoredResult) -> Picture | None:
    found = bars_of(result)
    return found and found.named(
        "Category distribution by rater", about(result.row, f"{count(result.row.n_raters)} raters")
    )


def network(request: HttpRequest, result: StoredResult) -> Picture | None:
    measure = pair_measures.measure_of(request, result, measures_of(result))
    found, raters, _ = network_contexts.drawn(request, result, measure)
    if not raters:
        return None
    return found.picture.named(
        f"Raters are linked if {measure.title} ≥ {figure(found.cut)}",
        about(result.row, f"{count(len(raters))} raters", f"{count(found.n_lines)} links"),
    )


def calibration(request: HttpRequest, result: StoredResult) -> Picture | None:
    if not result.row.n_confidences:
        return None
    found = confidences_in(result, reference=request.GET.get("reference", ""))
    drawn = calibration_plot(found.overall)
    return drawn and drawn.named(
        "Share of right labels by stated confidence",
        about(result.row, against_words(found), f"{count(found.overall.n)} labels"),
    )


def time(request: HttpRequest, result: StoredResult) -> Picture | None:
    """Draw agreement by round or over time, for any kind of question."""
    asked = time_page.requested_options(request, result)
    try:
        over_time = agreement_over_time(result.row, asked, by=request.user)
    except OverTimeRefused:
        return None
    found = time_page.plot_of(result, asked, over_time)
    by, percent = time_page.CHOICES[asked.by].lower(), result.report.chosen.percent
    if found is None:
        return None
    return found.picture.named(
        f"{title_over_time(over_time)} by {by}, with {in_percent(percent)} CIs",
        about(result.row, f"{count(found.n_windows)} windows", result.counted.words),
    )


def winning(request: HttpRequest, result: StoredResult) -> Picture | None:
    """Draw the winning rate of a model over ε, for any kind of question."""
    asked = models_page.requested_choices(request)
    try:
        found = model_comparison(result.row, asked.asked, by=request.user)
    except ModelsRefused:
        return None
    names = names_of(result)
    model = models_page.model_of(found, names, asked.model)
    name = names[model.rater]
    drawn = models_page.plot_of(name, model, asked.epsilon)
    return drawn and drawn.named(
        f"Alternative-annotator test of {name}: winning rate by ε",
        about(result.row, f"{count(model.n_tested)} people", f"{count(model.n_items)} items"),
    )


def risk(request: HttpRequest, result: StoredResult) -> Picture | None:
    """Draw the upper limit of the error rate of a model by the confidence from which it decides."""
    try:
        found = decided_by_model(result, requested_decisions(request.GET)).found
    except DecisionsRefused:
        return None
    drawn = decisions_page.plot_of(found)
    return drawn and drawn.named(
        f"Error rate of {found.model} by confidence: upper limit, and share of items",
        about(result.row, f"against {right_words(found)}", f"{count(found.n_calibration)} calibration items"),
    )


def prevalence(request: HttpRequest, pair: PairAgreement) -> Picture | None:
    """Draw the coefficients if the most common category were rarer or more common."""
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
    """Draw a Bland–Altman plot of two raters' numbers."""
    figures = stored_figures(pair).values
    if "bland_altman_bias" not in figures:
        return None
    numbers = [(a, b) for _, a, b in most_different(pair).numbers(MAX_DOTS + 1)]
    found = difference_plot(numbers, figures)
    return found and found.named(
        f"{pair.rater_a} − {pair.rater_b}, by the mean of the two",
        about(pair.agreement, f"{count(len(numbers))} items"),
    )
