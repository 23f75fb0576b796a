"""A plan's answer as sentences and a table for the page, and as JSON for the API."""

import math
from dataclasses import asdict, dataclass

from core.templatetags.shown import count, figure, in_percent
from reports.agreement.planning.curve import PrevalenceCurve
from reports.agreement.planning.goodness_of_fit import LOWER_LIMIT
from reports.agreement.planning.items_needed import ItemsNeeded
from reports.agreement.results import number
from reports.analysis.results import Json
from reports.plans.answer import ICC_AGREEMENT, STATISTICS, TABLE_POINTS, WIDTH, PlanAnswer, at

LINES = {
    "percent_agreement": "Percent agreement",
    "gwet_ac1": "Gwet’s AC1",
    "brennan_prediger": "Brennan–Prediger",
    "cohen_kappa": "Cohen’s κ",
}


def sentence(found: PlanAnswer, needed: ItemsNeeded) -> str:
    """Return what to expect from a study with this number of items."""
    plan = found.plan
    name, percent = STATISTICS[plan.statistic].partition(", ")[0], in_percent(f"{100 * plan.confidence:.0f}")
    study = f"With {count(needed.n_items)} items and {plan.n_raters} raters"
    if plan.statistic == ICC_AGREEMENT and plan.rater_share:
        study += f" who account for {in_percent(f'{100 * plan.rater_share:g}')} of the variance"
    if plan.aim == WIDTH and needed.method == LOWER_LIMIT:
        return (
            f"{study}, the one-sided {percent} lower limit for {name} = {figure(plan.value)} is expected to be "
            f"{figure(plan.value - needed.reached)}."
        )
    if plan.aim == WIDTH:
        reach = figure(needed.reached, 3)
        return f"{study}, the {percent} CI for {name} = {figure(plan.value)} has an expected half-width of {reach}."
    share = in_percent(f"{100 * needed.reached:.1f}")
    return (
        f"{study}, if the true {name} is {figure(plan.value)}, {share} of studies will distinguish it from "
        f"{figure(plan.null)} at the {percent} confidence level{' (one-sided)' if plan.n_sides == 1 else ''}."
    )


def uncertainty(needed: ItemsNeeded) -> str:
    """Return the error of a simulation; "" for a formula."""
    if not needed.se:
        return ""
    n = max(1, math.ceil(needed.se))
    text = f"Simulation error: ± {count(n)} item{'' if n == 1 else 's'}"
    if needed.undefined:
        text += f"; {in_percent(f'{100 * needed.undefined:.1f}')} of the simulated studies had no CI"
    return f"{text}."


@dataclass(frozen=True, slots=True)
class Row:
    share: str
    values: list[str]


def rows_of(curve: PrevalenceCurve) -> list[Row]:
    """Return the curve at some shares, in the order of LINES."""
    return [_row(curve, share) for share in TABLE_POINTS]


def _row(curve: PrevalenceCurve, share: float) -> Row:
    place = at(curve, share)
    values = [number(getattr(curve, name)[place]) for name in LINES]
    return Row(figure(share), [figure(value, 3) for value in values])


def as_json(found: PlanAnswer) -> Json:
    plan = asdict(found.plan)
    for name in ("n_replicates", "max_labels"):
        del plan[name]
    return {
        "plan": plan,
        "items": [asdict(needed) for needed in found.items],
        "curve": None if found.curve is None else _curve_as_json(found.curve, found.rates),
    }


def _curve_as_json(curve: PrevalenceCurve, rates: tuple[float, float] | None) -> Json:
    names = ("prevalence", "percent_agreement", "cohen_kappa", "scott_pi", "gwet_ac1", "brennan_prediger")
    columns = [[number(value) for value in getattr(curve, name)] for name in names]
    return {
        "sensitivity": rates[0] if rates else None,
        "specificity": rates[1] if rates else None,
        "points": [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)],
    }
