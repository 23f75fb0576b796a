"""A plan's answer as sentences, a curve and a table for the page, and as JSON for programs."""

import math
from dataclasses import asdict, dataclass
from typing import Any

from projects.templatetags.shown import count, figure, in_percent
from reports.agreement.planning.curve import PrevalenceCurve
from reports.agreement.planning.goodness_of_fit import LOWER_LIMIT
from reports.agreement.planning.needed import ItemsNeeded
from reports.agreement.results import FloatArray, number
from reports.plans.answer import STATISTICS, TABLE_POINTS, WIDTH, Answer, at

LINES = {
    "percent_agreement": "Agreement",
    "gwet_ac1": "Gwet’s AC1",
    "brennan_prediger": "Brennan–Prediger",
    "cohen_kappa": "Cohen’s κ",
}
LEFT, RIGHT, TOP, BOTTOM = 44, 466, 12, 262


def sentence(found: Answer, needed: ItemsNeeded) -> str:
    """What is to be expected of a study of so many items."""
    plan = found.plan
    name, percent = STATISTICS[plan.statistic].partition(", ")[0], in_percent(f"{100 * plan.confidence:.0f}")
    study = f"With {count(needed.n_items)} items and {plan.n_raters} raters"
    if plan.aim == WIDTH and needed.method == LOWER_LIMIT:
        return (
            f"{study}, the one-sided {percent} lower limit of {name} = {figure(plan.value)} is expected at "
            f"{figure(plan.value - needed.reached)}."
        )
    if plan.aim == WIDTH:
        reach = figure(needed.reached, 3)
        return (
            f"{study}, the {percent} interval around {name} = {figure(plan.value)} is expected to reach "
            f"{reach} to either side."
        )
    share = in_percent(f"{100 * needed.reached:.1f}")
    return (
        f"{study}, if {name} truly is {figure(plan.value)}, {share} of studies can tell it from "
        f"{figure(plan.null)} with {percent} confidence{', one-sided' if plan.n_sides == 1 else ''}."
    )


def uncertainty(needed: ItemsNeeded) -> str:
    """What a simulation leaves open; nothing for a formula."""
    if not needed.se:
        return ""
    text = f"Simulation leaves ± {max(1, math.ceil(needed.se)):,} items open"
    if needed.undefined:
        text += f"; {in_percent(f'{100 * needed.undefined:.1f}')} of the studies had no interval"
    return f"{text}."


@dataclass(frozen=True, slots=True)
class Line:
    """One coefficient: its points as SVG wants them, one string for each stretch where it is defined."""

    name: str
    title: str
    stretches: list[str]


@dataclass(frozen=True, slots=True)
class Tick:
    place: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The curve of a plan in units of the drawing."""

    lines: list[Line]
    across: list[Tick]
    up: list[Tick]
    left: int = LEFT
    right: int = RIGHT
    top: int = TOP
    bottom: int = BOTTOM


def drawing_of(curve: PrevalenceCurve) -> Drawing:
    values = {name: getattr(curve, name) for name in LINES}
    start = _start(min((float(v) for row in values.values() for v in row if not math.isnan(v)), default=0))
    n_ticks = round((1 - start) / 0.2) + 1
    return Drawing(
        lines=[
            Line(name, LINES[name], _stretches(curve.prevalence, row, start)) for name, row in values.items()
        ],
        across=[Tick(_x(share), figure(share, 1)) for share in (0, 0.2, 0.4, 0.6, 0.8, 1)],
        up=[Tick(_y(start + 0.2 * k, start), figure(start + 0.2 * k, 1)) for k in range(n_ticks)],
    )


def _start(lowest: float) -> float:
    """The fifth at or below the lowest value, 0 at most."""
    return min(0.0, math.floor(lowest * 5) / 5)


def _x(share: float) -> float:
    return round(LEFT + share * (RIGHT - LEFT), 1)


def _y(value: float, start: float) -> float:
    return round(BOTTOM - (value - start) / (1 - start) * (BOTTOM - TOP), 1)


def _stretches(prevalence: FloatArray, values: FloatArray, start: float) -> list[str]:
    found: list[list[str]] = [[]]
    for share, value in zip(prevalence.tolist(), values.tolist(), strict=True):
        if math.isnan(value):
            found.append([])
        else:
            found[-1].append(f"{_x(share)},{_y(value, start)}")
    return [" ".join(points) for points in found if points]


@dataclass(frozen=True, slots=True)
class Row:
    share: str
    values: list[str]


def rows_of(curve: PrevalenceCurve) -> list[Row]:
    """The curve at some shares, in the order of LINES."""
    return [_row(curve, share) for share in TABLE_POINTS]


def _row(curve: PrevalenceCurve, share: float) -> Row:
    place = at(curve, share)
    values = [number(getattr(curve, name)[place]) for name in LINES]
    return Row(figure(share), [figure(value, 3) for value in values])


def as_json(found: Answer) -> dict[str, Any]:
    plan = asdict(found.plan)
    for name in ("n_replicates", "max_labels"):
        del plan[name]
    return {
        "plan": plan,
        "items": [asdict(needed) for needed in found.items],
        "curve": None if found.curve is None else _curve_as_json(found.curve, found.rates),
    }


def _curve_as_json(curve: PrevalenceCurve, rates: tuple[float, float] | None) -> dict[str, Any]:
    names = ("prevalence", "percent_agreement", "cohen_kappa", "scott_pi", "gwet_ac1", "brennan_prediger")
    columns = [[number(value) for value in getattr(curve, name)] for name in names]
    return {
        "sensitivity": rates[0] if rates else None,
        "specificity": rates[1] if rates else None,
        "points": [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)],
    }
