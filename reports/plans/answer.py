"""How many items a study needs: the plan and its answer, shared by page, API, and command."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from reports.agreement.overall.krippendorff import WEIGHTED_ALPHA
from reports.agreement.planning import kappa as of_kappa
from reports.agreement.planning.checked import shares as checked_shares
from reports.agreement.planning.curve import PrevalenceCurve, prevalence_curve
from reports.agreement.planning.goodness_of_fit import items_for_fit_test, items_for_lower_limit
from reports.agreement.planning.guessing import model_for
from reports.agreement.planning.icc import IccForm, IccStudy, items_for_icc_power, items_for_icc_width
from reports.agreement.planning.items_needed import ItemsNeeded
from reports.agreement.planning.latent_class import (
    LatentClassModel,
    by_accuracy,
    by_sensitivity,
    confusion_of,
)
from reports.agreement.planning.sets import scale_of_sets
from reports.agreement.planning.simulation import Simulation, items_for_power, items_for_width
from reports.agreement.results import FloatArray
from reports.agreement.sample import Scale
from reports.agreement.weights import Level, Weights, weighting

WIDTH, POWER = "width", "power"
AIMS = {WIDTH: "CI with a given half-width", POWER: "CI above a given value"}
COHEN, ICC, ICC_CONSISTENCY, ICC_AGREEMENT = "cohen_kappa", "icc", "icc_consistency", "icc_agreement"
ICCS = {ICC_AGREEMENT: IccForm.ABSOLUTE, ICC_CONSISTENCY: IccForm.CONSISTENCY, ICC: IccForm.ONE_WAY}
OF_SETS = "krippendorff_alpha_masi"
STATISTICS = {
    COHEN: "Cohen’s κ, two raters",
    "fleiss_kappa": "Fleiss’ κ",
    "krippendorff_alpha": "Krippendorff’s α, nominal",
    "krippendorff_alpha_ordinal": "Krippendorff’s α, ordinal",
    "krippendorff_alpha_interval": "Krippendorff’s α, interval (ranks)",
    OF_SETS: "Krippendorff’s α, sets of categories (MASI)",
    "gwet_ac1": "Gwet’s AC1",
    "brennan_prediger": "Brennan–Prediger",
    "percent_agreement": "Percent agreement",
    ICC_AGREEMENT: "ICC(A,1), absolute agreement of the same raters",
    ICC_CONSISTENCY: "ICC(C,1), consistency of the same raters",
    ICC: "ICC(1,1), different raters for each item",
}
ASSUMED = {
    ICC: "For single ratings, with different raters for each item.",
    ICC_CONSISTENCY: "For single ratings, with every rater rating every item.",
    ICC_AGREEMENT: "For single ratings, with every rater rating every item. The raters are a sample of all possible "
    "raters: few raters show little of how much raters differ, however many items they rate.",
    OF_SETS: "Simulated raters know the set of some items and guess the rest in proportion to how often each set is "
    "used, so that they reach the expected value; every rater labels every item. Real raters differ, so add a margin.",
}
ALPHA = "krippendorff_alpha"
# Weights by the ranks of the categories, for coefficients that support them.
WEIGHTS = [weights.value for weights in Weights if weights is not Weights.CUSTOM]
CONFIDENCES = (0.9, 0.95, 0.99)
CURVE_POINTS = tuple(round(0.01 * k, 2) for k in range(1, 100))
TABLE_POINTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """The parameters of a study.

    value: the expected coefficient. weights: of WEIGHTS. shares: of each category or, for alpha of sets, each set.
    rater_share: of the variance, for ICC(A,1). shares_b: of rater B if different, for Cohen's kappa. half_width: for
    the aim width. null, power: for the aim power; n_sides: of the test of Cohen's kappa.

    sensitivity, specificity: error rates for the curve of two categories, both or neither; confusion_a, confusion_b:
    error rates for any number of categories, with rows for true categories, or one number, the accuracy in every
    category; confusion_b if rater B differs. Without either, raters are assumed to guess. max_labels: the most labels
    that a simulation may draw.
    """

    statistic: str = COHEN
    aim: str = WIDTH
    weights: str = "unweighted"
    n_raters: int = 2
    shares: tuple[float, ...] = (0.5, 0.5)
    sets: tuple[tuple[str, ...], ...] = ()
    rater_share: float = 0.05
    shares_b: tuple[float, ...] = ()
    value: float = 0.7
    half_width: float = 0.1
    null: float = 0.4
    power: float = 0.8
    n_sides: int = 2
    confidence: float = 0.95
    sensitivity: float | None = None
    specificity: float | None = None
    confusion_a: tuple[tuple[float, ...], ...] = ()
    confusion_b: tuple[tuple[float, ...], ...] = ()
    n_replicates: int = 1000
    max_labels: int = 500_000_000
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlanAnswer:
    """items: by each method that fits the plan, the recommended one first.

    curve: at CURVE_POINTS; None for an ICC, for sets, and for raters who use the categories differently if their error
    rates are not given. rates: sensitivity and specificity of the curve; None unless there are two categories and
    raters are alike.
    """

    plan: StudyPlan
    items: tuple[ItemsNeeded, ...]
    curve: PrevalenceCurve | None = None
    rates: tuple[float, float] | None = None

    @property
    def assumed(self) -> str:
        """The assumptions, if no curve shows them."""
        return ASSUMED[self.plan.statistic]


@lru_cache(maxsize=128)
def answer(plan: StudyPlan) -> PlanAnswer:
    """Return the answer. Raises ValueError with a sentence for an invalid plan."""
    if plan.statistic not in STATISTICS:
        raise ValueError(f"coefficient must be one of {', '.join(STATISTICS)}, got {plan.statistic!r}")
    if plan.aim not in AIMS:
        raise ValueError(f"aim must be one of {', '.join(AIMS)}, got {plan.aim!r}")
    if plan.weights not in WEIGHTS:
        raise ValueError(f"weights must be one of {', '.join(WEIGHTS)}, got {plan.weights!r}")
    if plan.weights != "unweighted" and not takes_weights(plan.statistic):
        raise ValueError(
            f"{STATISTICS[plan.statistic].partition(', ')[0]} does not support weights, got {plan.weights}"
        )
    _check_of_cohen(plan)
    if plan.sets and plan.statistic != OF_SETS:
        raise ValueError(f"sets of categories are for {STATISTICS[OF_SETS]}")
    if plan.statistic in ICCS:
        return PlanAnswer(plan=plan, items=(_icc_items(plan),))
    if plan.statistic == COHEN and plan.n_raters != 2:
        raise ValueError(f"Cohen’s κ is for two raters, got {plan.n_raters}; Fleiss’ κ is for more")
    if plan.shares_b:
        return _with_curve(plan, _kappa_items(plan), _given_rates(plan))
    simulated, scale = _simulated(plan)
    model = model_for(simulated, plan.value, plan.shares, n_raters=plan.n_raters, scale=scale)
    items = _kappa_items(plan) if plan.statistic == COHEN else (_simulated_items(plan, model),)
    if plan.statistic == OF_SETS:
        return PlanAnswer(plan=plan, items=items)
    return _with_curve(plan, items, _given_rates(plan) or (model.confusion[0], model.confusion[0]))


def takes_weights(statistic: str) -> bool:
    return not statistic.startswith((ALPHA, ICC))


def _check_of_cohen(plan: StudyPlan) -> None:
    """Raise ValueError for options that only Cohen's kappa supports."""
    if plan.n_sides not in (1, 2):
        raise ValueError(f"sides must be 1 or 2, got {plan.n_sides}")
    if plan.statistic != COHEN and plan.shares_b:
        raise ValueError("different category shares for rater B are supported for Cohen’s κ only")
    if plan.n_sides == 1 and (plan.statistic != COHEN or plan.aim != POWER):
        raise ValueError("a one-sided test is available only for the power of Cohen’s κ")


def _with_curve(
    plan: StudyPlan, items: tuple[ItemsNeeded, ...], raters: tuple[FloatArray, FloatArray] | None
) -> PlanAnswer:
    if raters is None:
        return PlanAnswer(plan=plan, items=items)
    a, b = raters
    truth = checked_shares(plan.shares, "shares of categories")
    is_one = len(a) == 2 and np.array_equal(a, b)
    return PlanAnswer(
        plan=plan,
        items=items,
        curve=prevalence_curve(a, b, prevalence=CURVE_POINTS, others=truth),
        rates=(float(a[0, 0]), float(a[1, 1])) if is_one else None,
    )


def _icc_items(plan: StudyPlan) -> ItemsNeeded:
    study = IccStudy(
        icc=plan.value,
        n_raters=plan.n_raters,
        form=ICCS[plan.statistic],
        rater_share=plan.rater_share,
        confidence=plan.confidence,
    )
    if plan.aim == WIDTH:
        return items_for_icc_width(study, half_width=plan.half_width)
    _check_above(plan)
    return items_for_icc_power(study, null=plan.null, power=plan.power)


def _kappa_items(plan: StudyPlan) -> tuple[ItemsNeeded, ...]:
    weights = weighting(plan.weights, n_categories=len(plan.shares))
    if plan.aim == WIDTH:
        found = of_kappa.items_for_kappa_width(
            plan.shares,
            plan.shares_b or plan.shares,
            weights,
            kappa=plan.value,
            half_width=plan.half_width,
            confidence=plan.confidence,
        )
        if not _has_fit(plan):
            return (found,)
        limit = items_for_lower_limit(
            plan.shares, kappa=plan.value, lower=plan.value - plan.half_width, confidence=plan.confidence
        )
        return found, limit
    _check_above(plan)
    test = of_kappa.items_for_kappa_test(
        plan.shares,
        plan.shares_b or plan.shares,
        weights,
        kappa=plan.value,
        null=plan.null,
        power=plan.power,
        confidence=plan.confidence,
        n_sides=plan.n_sides,
    )
    if not _has_fit(plan):
        return (test,)
    fit = items_for_fit_test(
        plan.shares, kappa=plan.value, null=plan.null, power=plan.power, confidence=plan.confidence
    )
    return test, fit


def _has_fit(plan: StudyPlan) -> bool:
    """Return whether goodness of fit applies: without weights, different raters, or a one-sided test."""
    return plan.weights == "unweighted" and not plan.shares_b and plan.n_sides == 2


def _simulated(plan: StudyPlan) -> tuple[str, Scale]:
    """Return the statistic to simulate and its scale."""
    if plan.statistic == OF_SETS:
        if len(plan.sets) != len(plan.shares):
            raise ValueError(f"give as many sets as shares, got {len(plan.sets)} and {len(plan.shares)}")
        return WEIGHTED_ALPHA.name, scale_of_sets(plan.sets)
    name, _, level = plan.statistic.partition(f"{ALPHA}_")
    scale = Scale(len(plan.shares), level=Level(level or "nominal"), weights=Weights(plan.weights))
    if level:
        return ALPHA, scale
    # For two raters with equal margins, Cohen's kappa equals Scott's pi, which is Fleiss' kappa of two raters.
    return "fleiss_kappa" if name == COHEN else name, scale


def _simulated_items(plan: StudyPlan, model: LatentClassModel) -> ItemsNeeded:
    statistic, scale = _simulated(plan)
    simulation = Simulation(
        model=model,
        statistic=statistic,
        scale=scale,
        confidence=plan.confidence,
        n_replicates=plan.n_replicates,
        max_labels=plan.max_labels,
        seed=plan.seed,
    )
    if plan.aim == WIDTH:
        return items_for_width(simulation, half_width=plan.half_width)
    _check_above(plan)
    return items_for_power(simulation, null=plan.null, power=plan.power)


def _check_above(plan: StudyPlan) -> None:
    if not plan.value > plan.null:
        raise ValueError(
            f"the expected value must be above the lower value, got {plan.value:g} and {plan.null:g}"
        )


def _given_rates(plan: StudyPlan) -> tuple[FloatArray, FloatArray] | None:
    """Return the error rates of raters A and B; None if not given. Raises ValueError."""
    if plan.confusion_b and not plan.confusion_a:
        raise ValueError("also give the error rates of rater A")
    given = (plan.sensitivity, plan.specificity)
    if plan.confusion_a:
        if given != (None, None):
            raise ValueError(
                "give either sensitivity and specificity or the error rates of all categories, not both"
            )
        return _rates(plan, plan.confusion_a, "A"), _rates(plan, plan.confusion_b or plan.confusion_a, "B")
    if given == (None, None):
        return None
    if plan.sensitivity is None or plan.specificity is None:
        raise ValueError("give both sensitivity and specificity, or neither")
    if len(plan.shares) != 2:
        raise ValueError("sensitivity and specificity require exactly two categories")
    rater = by_sensitivity(plan.sensitivity, plan.specificity)
    return rater, rater


def _rates(plan: StudyPlan, rows: tuple[tuple[float, ...], ...], rater: str) -> FloatArray:
    q = len(plan.shares)
    if len(rows) == len(rows[0]) == 1:
        return by_accuracy(rows[0][0], n_categories=q)
    if len(rows) != q or any(len(row) != q for row in rows):
        raise ValueError(f"the error rates of rater {rater} must be {q} rows of {q} numbers, or one number")
    return confusion_of(rows, name=f"error rates of rater {rater}")


def at(curve: PrevalenceCurve, prevalence: float) -> int:
    """Return the index of the point of the curve nearest to this prevalence."""
    return int(np.argmin(np.abs(curve.prevalence - prevalence)))
