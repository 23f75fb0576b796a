"""The matrix of pairs: every rater against every other, in both triangles."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from projects.templatetags.shown import figure
from reports.models import QuestionAgreement
from reports.pages.pair_figures import NO_MEAN, Mean, Pair, Pairs
from reports.wording import short_reason

# Up to this many raters are shown whole; of more, those with most labels.
MAX_RATERS = 60
MOST_LABELS = 40
MANY = 12
FEW = 7
STRONG_BELOW = -0.2
N_STEPS = 10

ORDERS = {"name": "By name", "mean": "By mean κ"}


@dataclass(frozen=True, slots=True)
class Rater:
    """A rater as the report knew them."""

    id: int
    key: str
    kind: str
    n_labels: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as it is shown; kind is a class of the style sheet."""

    kind: str
    address: str = ""
    value: str = ""
    interval: str = ""
    n: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    rater: Rater
    cells: list[Cell]
    mean: Mean


@dataclass(frozen=True, slots=True)
class Matrix:
    raters: list[Rater]
    rows: list[Row]
    n_raters: int

    @property
    def is_part(self) -> bool:
        return len(self.raters) < self.n_raters

    @property
    def is_small(self) -> bool:
        """Small enough to leave room beside it."""
        return len(self.raters) <= FEW

    @property
    def has_many(self) -> bool:
        return len(self.raters) > MANY


SELF = Cell("self")
ABSENT = Cell("absent")


def raters_of(agreement: QuestionAgreement) -> list[Rater]:
    return [Rater(r["id"], r["key"], r["kind"], r["n_labels"]) for r in agreement.raters]


def matrix_of(agreement: QuestionAgreement, pairs: Pairs, *, order: str, query: str = "") -> Matrix:
    """The matrix of all raters, or of the MOST_LABELS busiest of more than MAX_RATERS."""
    everyone = raters_of(agreement)
    raters = shown_raters(everyone)
    ids = [rater.id for rater in raters]
    means = pairs.means(ids)
    if order == "mean":
        raters.sort(key=lambda rater: _by_mean(means.get(rater.id, NO_MEAN)))
    cells = _cells(pairs.among(ids), query)
    rows = [Row(rater, _row(rater, raters, cells), means.get(rater.id, NO_MEAN)) for rater in raters]
    return Matrix(raters, rows, len(everyone))


def shown_raters(raters: Sequence[Rater]) -> list[Rater]:
    if len(raters) <= MAX_RATERS:
        return list(raters)
    busiest = sorted(raters, key=lambda rater: (-rater.n_labels, rater.key))[:MOST_LABELS]
    return sorted(busiest, key=lambda rater: rater.key)


def _by_mean(mean: Mean) -> tuple[bool, float]:
    return mean.value is None, -(mean.value or 0.0)


def _cells(pairs: Any, query: str) -> dict[tuple[int, int], Cell]:
    return {(pair.rater_a, pair.rater_b): _cell(pair, query) for pair in pairs}


def _cell(pair: Pair, query: str) -> Cell:
    address = f"{pair.rater_a}/{pair.rater_b}/{query}"
    if pair.kappa is None:
        return Cell("undefined", address, "–", short_reason(pair.reason), pair.n)
    interval = shown_interval(pair.ci_low, pair.ci_high) or short_reason(pair.reason)
    return Cell(step(pair.kappa), address, figure(pair.kappa), interval, pair.n)


def _row(rater: Rater, others: Sequence[Rater], cells: dict[tuple[int, int], Cell]) -> list[Cell]:
    return [
        SELF if other.id == rater.id else cells.get(_ordered(rater.id, other.id), ABSENT) for other in others
    ]


def _ordered(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def step(kappa: float) -> str:
    """The colour step of a value, as a class: two below chance, ten from chance to perfect."""
    if kappa < 0:
        return "below-2" if kappa < STRONG_BELOW else "below-1"
    return f"step-{min(int(kappa * N_STEPS), N_STEPS - 1)}"


def shown_interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """0.27–0.34; with negative limits, “to” keeps dash and minus apart."""
    if low is None or high is None:
        return ""
    join = " to " if low < 0 or high < 0 else "–"
    return figure(low, digits) + join + figure(high, digits)
