"""The primary coefficient of a question in a file and whether it meets the default criterion, as text."""

from textwrap import wrap

from reports.agreement.results import Reason
from reports.analysis.catalog import PLAIN, title_among
from reports.analysis.measure import ALPHA, COHEN, FITTING, MeasureJson, RatingDesign, measure_for
from reports.analysis.results import Figure
from reports.command.agreement import FileResult
from reports.command.text_tables import WIDTH, shown_figure, shown_interval
from reports.results.kinds import named_with_weights
from reports.results.primary import judged

NOTHING = Figure(value=None)


def verdict_as_text(result: FileResult) -> str:
    """Return the verdict as in a report with default coefficient and criterion; "" if nothing can be judged."""
    scope, found = result.kind.scope, result.result.coefficients
    measure = measure_for(
        scope.kind,
        str(scope.level),
        _design(result),
        MeasureJson(coefficient=FITTING, weights=str(scope.weights), criterion=None),
    )
    name = named_with_weights(measure, found)
    figure = _of_two(result) if name.startswith(COHEN) else found.get(name, NOTHING)
    primary = judged(
        name,
        measure,
        figure,
        confidence=scope.options.confidence,
        consistency=found.get("icc_c_1", NOTHING).value,
    )
    if figure.value is None:
        return ""
    percent = f"{100 * scope.options.confidence:.4g}"
    interval = shown_interval(figure.ci_low, figure.ci_high)
    ci = "" if figure.ci_low is None else f", {percent}% CI {interval}"
    title = title_among(name, figure.n_raters or 0)
    lead = f"{primary.lead}: " if primary.lead else ""
    lines = f"{lead}{title} = {shown_figure(figure.value)}{ci}.", primary.words(percent)
    return "\n".join(part for line in lines for part in wrap(line.translate(PLAIN), WIDTH))


def _of_two(result: FileResult) -> Figure:
    """Return Cohen's kappa of the two raters who count."""
    pair = next((pair for pair in result.pairs if pair.n), None)
    if pair is None or len(result.pairs) > 1:
        return result.result.coefficients.get("light_kappa", NOTHING)
    return Figure(
        value=pair.kappa,
        se=pair.se,
        ci_low=pair.ci_low,
        ci_high=pair.ci_high,
        reason=Reason(pair.reason),
        n_items=pair.n,
        n_raters=2,
    )


def _design(result: FileResult) -> RatingDesign:
    found = result.result.coefficients
    alpha, two_way = found.get(ALPHA, NOTHING), found.get("icc_a_1", NOTHING)
    n_items = alpha.n_items or 0
    return RatingDesign(
        n_raters=alpha.n_raters or len(result.question.raters),
        crossed=(two_way.n_items or 0) / n_items if n_items else 1.0,
        has_components=found.get("icc_a_1_reml", NOTHING).value is not None,
    )
