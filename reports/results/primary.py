"""The primary coefficient of a question, and whether its interval meets the criterion; the same everywhere."""

from dataclasses import dataclass
from typing import TypedDict

from core.templatetags.shown import count, figure, in_percent, percent
from projects.models import Project
from projects.thresholds import ReadingScaleChoice
from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.intervals.design import BY_T as BY_UNITS
from reports.agreement.numbers.icc import INTERVAL_METHOD as BY_F
from reports.agreement.numbers.incomplete import INTERVAL_METHOD as GENERALIZED
from reports.agreement.overall.linearised import METHOD as BY_ITEMS
from reports.agreement.overall.linearised import WILSON
from reports.agreement.planning import extrapolation
from reports.agreement.planning.criterion_decision import CriterionDecision, CriterionOutcome, decide
from reports.agreement.planning.extrapolation import Limits
from reports.agreement.results import Reason
from reports.analysis.measure import COHEN, Measure
from reports.analysis.results import Figure
from reports.models import PairAgreement
from reports.results.kinds import main_coefficient, measure_of
from reports.store.stored_result import StoredResult

STATES = {
    CriterionOutcome.MET: "reached",
    CriterionOutcome.NOT_MET: "missed",
    CriterionOutcome.UNDECIDED: "between",
}
LEADS = {
    CriterionOutcome.MET: "Agreement meets the criterion",
    CriterionOutcome.NOT_MET: "Agreement is below the criterion",
    CriterionOutcome.UNDECIDED: "Undecided whether agreement meets the criterion",
}

# Labeling more items than this, and this many times those labeled so far, is no advice: the estimate is too close to
# the criterion.
MOST_ADVISED, TIMES_ADVISED = 500, 3
# The planner's formulas for intervals with more items, by interval method.
BY_SE = {BY_ITEMS: extrapolation.over_items, WILSON: extrapolation.of_share}
# Intervals that are wide for lack of raters, too, which more items do not change.
OVER_RATERS = {GENERALIZED, BY_UNITS}
BY_RATIO = {"icc_1_1": extrapolation.of_one_way, "icc_c_1": extrapolation.of_consistency}


class PrimaryJson(TypedDict):
    coefficient: str
    weights: str
    value: float | None
    ci_low: float | None
    ci_high: float | None
    criterion: float
    outcome: str | None
    n_more_items: int | None
    has_few_items: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Primary:
    """name: of the figure, in its weighted form if it is weighted."""

    name: str
    measure: Measure
    figure: Figure
    decision: CriterionDecision

    @property
    def is_share(self) -> bool:
        return self.name.startswith("percent_agreement")

    @property
    def criterion(self) -> str:
        """The criterion, formatted."""
        return percent(self.measure.criterion) if self.is_share else _digits(self.measure.criterion)

    @property
    def lead(self) -> str:
        """The beginning of a sentence about the value; "" without an interval."""
        if self.decision.has_few_items:
            return "Too few items to decide whether agreement meets the criterion"
        return LEADS[self.decision.outcome] if self.decision.outcome else ""

    @property
    def state(self) -> str:
        """A CSS class."""
        return STATES[self.decision.outcome] if self.decision.outcome else "between"

    def words(self, confidence: str) -> str:
        """Return the result of the comparison with the criterion. confidence: in percent."""
        ci = f"{in_percent(confidence)} CI"
        if self.decision.has_few_items:
            return f"Criterion {self.criterion}: cannot be decided yet. {few_items_words(self.figure, ci)}"
        if self.decision.outcome is CriterionOutcome.MET:
            return f"Criterion {self.criterion}: met. The whole {ci} lies at or above it."
        if self.decision.outcome is CriterionOutcome.NOT_MET:
            return f"Criterion {self.criterion}: not met. The whole {ci} lies below it."
        if self.decision.outcome is None:
            return (
                "" if self.figure.value is None else f"Criterion {self.criterion}: not compared without a CI."
            )
        return f"Criterion {self.criterion}: undecided. The {ci} includes it. {self._more}".strip()

    @property
    def _more(self) -> str:
        n = self.decision.n_more
        if self.decision.needs_raters:
            return "More items alone would not decide it: with so few raters, how much raters differ stays uncertain."
        if n is None and not self.decision.is_close:
            return ""
        if n is None or n > max(MOST_ADVISED, TIMES_ADVISED * (self.figure.n_items or 0)):
            return "The estimate is so close to the criterion that deciding it would take impractically many items."
        # The plan is not accurate beyond two digits.
        about = round(n, min(0, 2 - len(str(n))))
        outcome = "would be met" if (self.figure.value or 0) >= self.measure.criterion else "would not be met"
        return f"With about {count(about)} more item{'' if n == 1 else 's'} and the same value, it {outcome}."

    def as_json(self) -> PrimaryJson:
        return PrimaryJson(
            coefficient=self.name,
            weights=str(self.measure.weights),
            value=self.figure.value,
            ci_low=self.figure.ci_low,
            ci_high=self.figure.ci_high,
            criterion=self.measure.criterion,
            outcome=None if self.decision.outcome is None else str(self.decision.outcome),
            n_more_items=self.decision.n_more,
            has_few_items=self.decision.has_few_items,
        )


def few_items_words(found: Figure, ci: str) -> str:
    """Return why an interval from too few items decides nothing, and how many more are needed."""
    n = found.n_items or 0
    missing = LEAST_ITEMS - n
    return (
        f"The {ci} is based on {count(n)} item{'' if n == 1 else 's'}; with fewer than {LEAST_ITEMS}, it is too narrow "
        f"to be trusted. At least {count(missing)} more {'is' if missing == 1 else 'are'} needed."
    )


def _digits(value: float) -> str:
    """Format a criterion: 0.60; 0.667 if two digits would change it."""
    return figure(value) if round(value, 2) == value else f"{value:.3g}".replace("-", "−")


def primary_of(result: StoredResult) -> Primary:
    name, measure = main_coefficient(result.row), measure_of(result.row)
    consistency = result.figure("icc_c_1").value
    confidence = result.report.chosen.confidence
    return judged(name, measure, figure_named(result, name), confidence=confidence, consistency=consistency)


def judged(
    name: str, measure: Measure, found: Figure, *, confidence: float, consistency: float | None = None
) -> Primary:
    """Judge a figure. consistency: the ICC(C,1) of the same numbers, which shows how much raters lower the ICC(A,1)."""
    decision = decide(
        value=found.value,
        low=found.ci_low,
        high=found.ci_high,
        criterion=measure.criterion,
        n_items=found.n_items,
        limits=_limits_of(name, found, confidence, consistency),
    )
    return Primary(name=name, measure=measure, figure=found, decision=decision)


def _limits_of(name: str, found: Figure, confidence: float, consistency: float | None) -> Limits | None:
    """Return the limits for a study with more items and the same agreement; None if there is no rule for them."""
    value, n_items = found.value, found.n_items or 0
    if value is None or found.ci_low is None or found.ci_high is None or n_items < 1:
        return None
    if found.interval_method in OVER_RATERS:
        return None
    is_inside = 0 < value < 1 and n_items >= 2
    if is_inside and found.se and (by_se := BY_SE.get(found.interval_method or "")):
        return by_se(value, se=found.se, n_items=n_items, confidence=confidence)
    if found.interval_method == BY_F:
        return _of_icc(name, found, value, confidence, consistency) if is_inside else None
    return extrapolation.by_square_root(value, low=found.ci_low, high=found.ci_high, n_items=n_items)


def _of_icc(
    name: str, found: Figure, value: float, confidence: float, consistency: float | None
) -> Limits | None:
    n_items = found.n_items or 0
    n_raters = round((found.n_labels or 0) / n_items)
    if n_raters < 2:
        return None
    if by_ratio := BY_RATIO.get(name):
        return by_ratio(value, n_raters=n_raters, confidence=confidence)
    if name != "icc_a_1" or consistency is None or not 0 < consistency < 1:
        return None
    return extrapolation.of_agreement(
        value, consistency=consistency, n_raters=n_raters, n_items=n_items, confidence=confidence
    )


def figure_named(result: StoredResult, name: str) -> Figure:
    """Return an overall coefficient; Cohen's kappa is that of the two raters who count, as in the matrix."""
    if not name.startswith(COHEN):
        return result.figure(name)
    pair = result.pair_of(result.counted.ids) if result.n_pairs else None
    return result.figure(name.replace(COHEN, "light_kappa")) if pair is None else figure_of_pair(pair)


def figure_of_pair(pair: PairAgreement) -> Figure:
    return Figure(
        value=pair.kappa,
        se=pair.se,
        ci_low=pair.ci_low,
        ci_high=pair.ci_high,
        reason=Reason(pair.reason),
        n_items=pair.n,
    )


def is_left_to_thresholds(project: Project, result: StoredResult) -> bool:
    """Return whether the project has its own thresholds and the question has no criterion."""
    is_own = project.reading_scale == ReadingScaleChoice.OWN and bool(project.thresholds)
    return is_own and result.scope.measure["criterion"] is None
