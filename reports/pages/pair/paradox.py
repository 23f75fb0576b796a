"""Why coefficients of the same two raters differ: how each defines chance, as figures and in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.templatetags.shown import figure, percent
from projects.models import Question
from reports.agreement.pairs.prevalence import commonest_of, of_commonest
from reports.agreement.planning.curve import PrevalenceCurve
from reports.agreement.results import IntArray
from reports.analysis.results import Figure
from reports.drawing.picture import Picture
from reports.models import PairAgreement
from reports.pictures.prevalence_plot import curve_picture
from reports.plans.presentation import LINES, Row
from reports.results.confusion import TableCategory, categories_of, table_of
from reports.results.statistic_rows import StatisticRow, statistic_row

SIDE_BY_SIDE = (
    "percent_agreement",
    "cohen_kappa",
    "scott_pi",
    "krippendorff_alpha",
    "gwet_ac1",
    "brennan_prediger",
)
# Coefficients this close are considered equal.
TOLERANCE = 0.05
COMMON = 0.7
# The points of the curve that are listed in the table.
TABLE_SHARES = np.linspace(0, 98, 9).astype(int)


@dataclass(frozen=True, slots=True)
class CoefficientSide:
    """One coefficient: its figures, and the agreement it expects by chance."""

    row: StatisticRow
    chance: str


@dataclass(frozen=True, slots=True)
class Curve:
    category: str
    picture: Picture
    lines: list[str]
    rows: list[Row]
    share: str


@dataclass(frozen=True, slots=True)
class Paradox:
    sides: list[CoefficientSide]
    sentences: list[str]
    common: str
    curve: Curve | None


def paradox_of(pair: PairAgreement, values: Mapping[str, Figure]) -> Paradox:
    """Return the comparison of coefficients. values: all statistics of the pair, from `statistics_of_pair`."""
    table, categories = table_of(pair), categories_of(pair)
    place, share = commonest_of(table)
    name = str(categories[place]) if categories else ""
    is_nominal = pair.agreement.asked["level"] == Question.Level.NOMINAL
    return Paradox(
        sides=[
            CoefficientSide(statistic_row(each, values[each]), _chance(each, values, is_nominal))
            for each in SIDE_BY_SIDE
        ],
        sentences=_sentences(values, name, share, table),
        common=f"{percent(share)} “{name}”",
        curve=curve_of(table, categories),
    )


def _chance(name: str, values: Mapping[str, Figure], is_nominal: bool) -> str:
    """Return pe in (po - pe) / (1 - pe); alpha of an ordered scale corrects another observed agreement."""
    if name == "percent_agreement":
        return "none"
    if name == "krippendorff_alpha" and not is_nominal:
        return "by distance"
    return percent(chance_of(values[name].value, values["percent_agreement"].value), 1)


def chance_of(value: float | None, observed: float | None) -> float | None:
    if value is None or observed is None or value == 1:
        return None
    return (observed - value) / (1 - value)


def _sentences(values: Mapping[str, Figure], name: str, share: float, table: IntArray) -> list[str]:
    kappa, pi, ac1 = (values[each].value for each in ("cohen_kappa", "scott_pi", "gwet_ac1"))
    observed = values["percent_agreement"].value
    if kappa is None or ac1 is None or pi is None or observed is None:
        return ["Some coefficients are undefined, so they cannot be compared."]
    found = [_about_chance(values, name, share, kappa, ac1, observed)]
    if kappa - pi >= TOLERANCE / 2:
        found.append(
            f"κ is higher than π ({figure(kappa)} vs. {figure(pi)}) because the two raters use the categories with "
            "different frequencies: κ uses each rater’s own marginals, π assumes that both have the same."
        )
    ceiling = values["kappa_max"].value
    if ceiling is not None and ceiling < 0.9:
        found.append(f"Given these marginal totals, κ cannot exceed {figure(ceiling)}.")
    return found


def _about_chance(
    values: Mapping[str, Figure],
    name: str,
    share: float,
    kappa: float,
    ac1: float,
    observed: float,
) -> str:
    if abs(ac1 - kappa) < TOLERANCE:
        return (
            f"κ and AC1 agree here ({figure(kappa)} and {figure(ac1)}): no category is so common that the definition "
            "of chance agreement matters."
        )
    chances = {each: chance_of(values[each].value, observed) for each in ("cohen_kappa", "gwet_ac1")}
    why = (
        f"{percent(share)} of the labels are “{name}”, so two raters guessing with these marginals would agree on "
        f"{percent(chances['cohen_kappa'])} of the items"
        if share >= COMMON
        else f"Two raters guessing with these marginals would agree on {percent(chances['cohen_kappa'])} of the items"
    )
    return (
        f"{why}. κ counts all of that as chance agreement, AC1 {percent(chances['gwet_ac1'])}, and Brennan–Prediger "
        f"{percent(chance_of(values['brennan_prediger'].value, observed))}. The same observed "
        f"agreement of {percent(observed)} therefore gives κ = {figure(kappa)} and AC1 = {figure(ac1)}."
    )


def curve_of(table: IntArray, categories: Sequence[TableCategory]) -> Curve | None:
    """Return coefficients for other shares of the most common category; None if its share cannot vary."""
    found = of_commonest(table)
    if found is None:
        return None
    return Curve(
        category=str(categories[found.category]),
        picture=curve_picture(found.curve, category=str(categories[found.category]), here=float(found.share)),
        lines=list(LINES.values()),
        rows=[_row(found.curve, int(point)) for point in TABLE_SHARES],
        share=percent(found.share),
    )


def _row(curve: PrevalenceCurve, point: int) -> Row:
    values = [float(getattr(curve, name)[point]) for name in LINES]
    shown = [figure(None if np.isnan(value) else value, 3) for value in values]
    return Row(figure(float(curve.prevalence[point])), shown)
