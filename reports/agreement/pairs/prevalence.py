"""Two raters' coefficients as a function of the prevalence of one category, all else being equal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from reports.agreement.chance import by_hard_items, by_number_of_categories, by_prevalence, corrected
from reports.agreement.planning.curve import PrevalenceCurve
from reports.agreement.results import FloatArray, IntArray

POINTS = 99


def against_the_rest(counts: IntArray, category: int) -> IntArray:
    """(2, 2) the table of one category against all others together; counts: (K, K)."""
    both = counts[category, category]
    one, other = counts[category].sum() - both, counts[:, category].sum() - both
    return np.array([[both, one], [other, counts.sum() - both - one - other]])


def at_other_prevalence(counts: IntArray, *, prevalence: ArrayLike | None = None) -> PrevalenceCurve:
    """Coefficients of two raters by prevalence of the first category, with disagreements held constant.

    counts: (2, 2). prevalence: (M,) shares of the first category among the labels of both; by default 99 points over
    the range that the disagreements leave possible. Both cells of disagreement keep their share of the items; the items
    on which the two agree are split between the categories to give the prevalence. NaN where expected agreement is 1.
    Raises ValueError unless counts is (2, 2) with an item, and every prevalence is possible.
    Source of the idea: Feinstein & Cicchetti 1990, Journal of Clinical Epidemiology 43, 543-549.
    """
    n = int(counts.sum())
    if counts.shape != (2, 2) or not n:
        raise ValueError(f"counts must be 2 by 2 with an item, got shape {counts.shape} and {n} items")
    b, c = counts[0, 1] / n, counts[1, 0] / n
    least = (b + c) / 2
    given = np.linspace(least, 1 - least, POINTS) if prevalence is None else prevalence
    shares = np.asarray(given, dtype=np.float64)
    if not ((shares >= least - 1e-12) & (shares <= 1 - least + 1e-12)).all():
        raise ValueError(f"with this disagreement the prevalence lies from {least:g} to {1 - least:g}")
    both = np.clip(shares - least, 0, 1)
    return _curve(shares, both + b, both + c, float(np.trace(counts)) / n)


class CategoryCurveJson(TypedDict):
    """The curve as JSON; None where a coefficient is undefined."""

    category: str
    share: float
    points: list[dict[str, float | None]]


@dataclass(frozen=True, slots=True, eq=False)
class CommonestCategoryCurve:
    """The curve of the category that two raters use most. category: its position; share: of the labels of both."""

    category: int
    share: float
    curve: PrevalenceCurve

    def flat(self, categories: Sequence[str]) -> CategoryCurveJson:
        """categories: their names."""
        return {"category": categories[self.category], "share": self.share, "points": self.curve.points()}


def commonest_of(counts: IntArray) -> tuple[int, float]:
    """The position of the category that both use most, and its share of their labels; counts: (K, K)."""
    used = counts.sum(axis=0) + counts.sum(axis=1)
    place = int(used.argmax())
    return place, float(used[place] / max(1, used.sum()))


def of_commonest(counts: IntArray) -> CommonestCategoryCurve | None:
    """The coefficients by prevalence of the most common category against the rest.

    counts: (K, K). None where nothing can vary: one category, or no item on which the two agree about it.
    """
    place, share = commonest_of(counts)
    two = against_the_rest(counts, place)
    if len(counts) < 2 or not two[0, 0] + two[1, 1]:
        return None
    return CommonestCategoryCurve(place, share, at_other_prevalence(two))


def _curve(shares: FloatArray, rows: FloatArray, columns: FloatArray, agreeing: float) -> PrevalenceCurve:
    """rows, columns: (M,) each rater's share of the first category."""
    observed = np.full(len(shares), agreeing)
    used, same = np.stack((shares, 1 - shares), axis=1), np.eye(2)

    def by(chance: FloatArray) -> FloatArray:
        return corrected(observed, np.einsum("mk,mk->m", used, chance))

    return PrevalenceCurve(
        prevalence=shares,
        percent_agreement=observed,
        cohen_kappa=corrected(observed, rows * columns + (1 - rows) * (1 - columns)),
        scott_pi=by(by_prevalence(used, same)),
        gwet_ac1=by(by_hard_items(used, same)),
        brennan_prediger=by(by_number_of_categories(used, same)),
    )
