"""How many items a study needs: what is asked, what is answered, for the page, the API and the command alike."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from reports.agreement.planning import kappa as of_kappa
from reports.agreement.planning.curve import PrevalenceCurve, prevalence_curve
from reports.agreement.planning.goodness_of_fit import items_for_fit_test, items_for_lower_limit
from reports.agreement.planning.guessing import model_for
from reports.agreement.planning.icc import items_for_icc_width
from reports.agreement.planning.latent_class import LatentClasses, by_sensitivity
from reports.agreement.planning.needed import ItemsNeeded
from reports.agreement.planning.simulation import Simulation, items_for_power, items_for_width
from reports.agreement.results import FloatArray
from reports.agreement.sample import Scale
from reports.agreement.weights import Level, Weights, weighting

WIDTH, POWER = "width", "power"
AIMS = {WIDTH: "an interval of this half width", POWER: "an interval above a lower value"}
COHEN, ICC = "cohen_kappa", "icc"
STATISTICS = {
    COHEN: "Cohen’s κ, two raters",
    "fleiss_kappa": "Fleiss’ κ",
    "krippendorff_alpha": "Krippendorff’s α, nominal",
    "krippendorff_alpha_ordinal": "Krippendorff’s α, ordinal",
    "krippendorff_alpha_interval": "Krippendorff’s α, interval of ranks",
    "gwet_ac1": "Gwet’s AC1",
    "brennan_prediger": "Brennan–Prediger",
    "percent_agreement": "Agreement",
    ICC: "ICC(1,1)",
}
ALPHA = "krippendorff_alpha"
# Weights over the ranks of the categories, for the coefficients that take some.
WEIGHTS = [weights.value for weights in Weights if weights is not Weights.CUSTOM]
CONFIDENCES = (0.9, 0.95, 0.99)
CURVE_POINTS = tuple(round(0.01 * k, 2) for k in range(1, 100))
TABLE_POINTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a study wants to know.

    value: the coefficient that is expected. weights: of WEIGHTS. shares: how often each category is used.
    half_width: for the aim width. null, power: for the aim power. sensitivity, specificity: error rates for the curve
    of two categories, both or none; without them they are those of raters who guess. max_labels: how much a simulation
    may draw.
    """

    statistic: str = COHEN
    aim: str = WIDTH
    weights: str = "unweighted"
    n_raters: int = 2
    shares: tuple[float, ...] = (0.5, 0.5)
    value: float = 0.7
    half_width: float = 0.1
    null: float = 0.4
    power: float = 0.8
    confidence: float = 0.95
    sensitivity: float | None = None
    specificity: float | None = None
    n_replicates: int = 1000
    max_labels: int = 500_000_000
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Answer:
    """items: by each way that suits the plan, the recommended one first. curve: at CURVE_POINTS, None for an ICC.

    rates: sensitivity and specificity of the curve, None for other than two categories.
    """

    plan: Plan
    items: tuple[ItemsNeeded, ...]
    curve: PrevalenceCurve | None = None
    rates: tuple[float, float] | None = None


@lru_cache(maxsize=128)
def answer(plan: Plan) -> Answer:
    """Raises ValueError with a sentence for a plan that cannot be."""
    if plan.statistic not in STATISTICS:
        raise ValueError(f"coefficient must be one of {', '.join(STATISTICS)}, got {plan.statistic!r}")
    if plan.aim not in AIMS:
        raise ValueError(f"aim must be one of {', '.join(AIMS)}, got {plan.aim!r}")
    if plan.weights not in WEIGHTS:
        raise ValueError(f"weights must be one of {', '.join(WEIGHTS)}, got {plan.weights!r}")
    if plan.weights != "unweighted" and plan.statistic.startswith((ALPHA, ICC)):
        raise ValueError(
            f"{STATISTICS[plan.statistic].partition(', ')[0]} takes no weights, got {plan.weights}"
        )
    if plan.statistic == ICC:
        return Answer(plan=plan, items=(_icc_items(plan),))
    if plan.statistic == COHEN and plan.n_raters != 2:
        raise ValueError(f"Cohen’s κ is for two raters, got {plan.n_raters}; Fleiss’ κ is for more")
    simulated, scale = _simulated(plan)
    model = model_for(simulated, plan.value, plan.shares, n_raters=plan.n_raters, scale=scale)
    items = _kappa_items(plan) if plan.statistic == COHEN else (_simulated_items(plan, model),)
    rater = _rater_of_curve(plan, model)
    return Answer(
        plan=plan,
        items=items,
        curve=prevalence_curve(rater, rater, prevalence=CURVE_POINTS, others=model.prevalence),
        rates=(float(rater[0, 0]), float(rater[1, 1])) if len(rater) == 2 else None,
    )


def _icc_items(plan: Plan) -> ItemsNeeded:
    if plan.aim != WIDTH:
        raise ValueError("for an ICC only the width of the interval can be planned")
    return items_for_icc_width(
        icc=plan.value, n_raters=plan.n_raters, half_width=plan.half_width, confidence=plan.confidence
    )


def _kappa_items(plan: Plan) -> tuple[ItemsNeeded, ...]:
    weights = weighting(plan.weights, n_categories=len(plan.shares))
    if plan.aim == WIDTH:
        found = of_kappa.items_for_kappa_width(
            plan.shares,
            plan.shares,
            weights,
            kappa=plan.value,
            half_width=plan.half_width,
            confidence=plan.confidence,
        )
        limit = items_for_lower_limit(
            plan.shares, kappa=plan.value, lower=plan.value - plan.half_width, confidence=plan.confidence
        )
        return _by_fit_too(plan, found, limit)
    _check_above(plan)
    test = of_kappa.items_for_kappa_test(
        plan.shares,
        plan.shares,
        weights,
        kappa=plan.value,
        null=plan.null,
        power=plan.power,
        confidence=plan.confidence,
    )
    fit = items_for_fit_test(
        plan.shares, kappa=plan.value, null=plan.null, power=plan.power, confidence=plan.confidence
    )
    return _by_fit_too(plan, test, fit)


def _by_fit_too(plan: Plan, found: ItemsNeeded, by_fit: ItemsNeeded) -> tuple[ItemsNeeded, ...]:
    """Goodness of fit knows no weights."""
    return (found, by_fit) if plan.weights == "unweighted" else (found,)


def _simulated(plan: Plan) -> tuple[str, Scale]:
    """The statistic to simulate and its scale."""
    name, _, level = plan.statistic.partition(f"{ALPHA}_")
    scale = Scale(len(plan.shares), level=Level(level or "nominal"), weights=Weights(plan.weights))
    if level:
        return ALPHA, scale
    # Of two raters alike, Scott's pi is Cohen's kappa, and Fleiss' kappa is Scott's pi.
    return "fleiss_kappa" if name == COHEN else name, scale


def _simulated_items(plan: Plan, model: LatentClasses) -> ItemsNeeded:
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


def _check_above(plan: Plan) -> None:
    if not plan.value > plan.null:
        raise ValueError(
            f"the expected value must be above the value to exceed, got {plan.value:g} and {plan.null:g}"
        )


def _rater_of_curve(plan: Plan, model: LatentClasses) -> FloatArray:
    given = (plan.sensitivity, plan.specificity)
    if given == (None, None):
        return model.confusion[0]
    if plan.sensitivity is None or plan.specificity is None:
        raise ValueError("give sensitivity and specificity both, or neither")
    if model.n_categories != 2:
        raise ValueError("sensitivity and specificity are for two categories")
    return by_sensitivity(plan.sensitivity, plan.specificity)


def at(curve: PrevalenceCurve, prevalence: float) -> int:
    """The place of the point of the curve next to this prevalence."""
    return int(np.argmin(np.abs(curve.prevalence - prevalence)))
