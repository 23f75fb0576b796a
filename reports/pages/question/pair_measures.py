"""What the matrix of pairs can show: kappa with each weighting, and the other coefficients of two raters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.http import HttpRequest

from core.templatetags.shown import figure, percent
from reports.agreement.pairs.chance_corrected import brennan_prediger, gwet_ac, percent_agreement, scott_pi
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.krippendorff import krippendorff_alpha
from reports.agreement.results import Estimates, IntArray
from reports.agreement.weights import Weights
from reports.analysis.catalog import title_of
from reports.pages.address_choices import chosen
from reports.results import wording
from reports.results.kinds import main_coefficient
from reports.results.question_pairs import (
    QuestionPairs,
    RecomputedPairs,
    pairs_of,
    pairs_of_estimates,
    weights_of,
)
from reports.store.pair_counts import may_recompute, tables_of, tables_of_unstored
from reports.store.stored_result import StoredResult

OTHERS = ("krippendorff_alpha", "gwet_ac1", "scott_pi", "brennan_prediger", "percent_agreement")
SYMBOLS = {
    "krippendorff_alpha": "α",
    "gwet_ac1": "AC1",
    "scott_pi": "π",
    "brennan_prediger": "B–P",
    "percent_agreement": "agreement",
}


@dataclass(frozen=True, slots=True)
class PairMeasure:
    """key: its name in URLs; for kappa, the weights. title: in full. symbol: for column heads."""

    key: str
    title: str
    symbol: str

    @property
    def is_kappa(self) -> bool:
        return self.key in wording.WEIGHTS

    @property
    def has_counts(self) -> bool:
        """Whether its pairs have a confusion matrix."""
        return self.is_kappa or self.key in SYMBOLS

    def shown(self, value: float | None) -> str:
        return percent(value) if self.key == "percent_agreement" else figure(value)


def measures_of(result: StoredResult) -> dict[str, PairMeasure]:
    """Return the measures that the page can show; others than the report's own only if there are few pairs."""
    own = str(result.scope.weights)
    if not may_recompute(result.row):
        return {own: _kappa(own)}
    kappas = [_kappa(weights) for weights in weights_of(result)]
    others = [PairMeasure(name, title_of(name), SYMBOLS[name]) for name in OTHERS]
    return {measure.key: measure for measure in (*kappas, *others)}


def _kappa(weights: str) -> PairMeasure:
    return PairMeasure(weights, f"Cohen’s κ, {wording.WEIGHTS[weights].lower()}", "κ")


def pairs_by(result: StoredResult, measure: PairMeasure) -> QuestionPairs:
    """Return every pair with its value of the measure, stored or from its stored confusion matrix."""
    if measure.is_kappa:
        return pairs_of(result, measure.key)
    if not result.n_pairs:
        return RecomputedPairs([], result.counted)
    raters, tables = (
        tables_of(result.row) if result.unstored is None else tables_of_unstored(result.row, result.unstored)
    )
    estimates = estimates_of(result, measure.key, tables)
    return RecomputedPairs(pairs_of_estimates(raters, tables, estimates), result.counted)


def estimates_of(result: StoredResult, name: str, tables: IntArray) -> Estimates:
    """Return (P,) estimates of one of OTHERS, unweighted; alpha by the level of the question."""
    scope = result.scope
    confidence = scope.options.confidence
    plain = scope.scale_with(Weights.UNWEIGHTED)
    if name == "krippendorff_alpha":
        return krippendorff_alpha(tables, plain, confidence=confidence)
    return STATISTICS[name](PairTables(tables, plain.weighting), confidence=confidence)


STATISTICS: dict[str, Callable[..., Estimates]] = {
    "gwet_ac1": gwet_ac,
    "scott_pi": scott_pi,
    "brennan_prediger": brennan_prediger,
    "percent_agreement": percent_agreement,
}


def measure_of(
    request: HttpRequest, result: StoredResult, measures: Mapping[str, PairMeasure]
) -> PairMeasure:
    """Return the measure in the query string: a coefficient or, in old links, weights of kappa."""
    weights = chosen(request, "weights", measures, default_measure(result, measures).key)
    return measures[chosen(request, "coefficient", measures, weights)]


def default_measure(result: StoredResult, measures: Mapping[str, PairMeasure]) -> PairMeasure:
    """Return the primary coefficient if two raters have it, unless the report has weights of its own; else kappa."""
    primary = main_coefficient(result.row)
    is_judged = primary in measures and result.scope.options.weights_by_question
    return measures[primary if is_judged else str(result.scope.weights)]
