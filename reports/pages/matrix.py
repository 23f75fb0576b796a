"""The matrix of pairs: every rater against every other, in both triangles."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from projects.templatetags.shown import figure
from reports.models import QuestionAgreement
from reports.pages.pair_figures import NO_MEAN, Mean, Pair, Pairs, means_of
from reports.wording import short_reason

# Up to this many raters are shown whole; of more, those with most labels.
MAX_RATERS = 200
MOST_LABELS = 40
# With more than this many, cells are smaller, and with more than that they hold the value alone.
MANY = 12
BARE = 60
FEW = 7
STRONG_BELOW = -0.2
N_STEPS = 10

ORDERS = {"name": "by name", "mean": "by mean", "cluster": "alike together"}


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


FULL = '<td class="{}"><a href="{}"><b>{}</b><small>{}</small><small>n {}</small></a></td>'
ALONE = '<td class="{}"><a href="{}" title="{}; n {}">{}</a></td>'


@dataclass(frozen=True, slots=True)
class Row:
    rater: Rater
    cells: list[Cell]
    mean: Mean

    # A template takes seconds for the 40,000 cells of 200 raters.
    def full(self) -> SafeString:
        """Cells with value, interval and n."""
        return format_html_join("", "{}", ((_whole(cell),) for cell in self.cells))

    def bare(self) -> SafeString:
        """Cells with the value alone; the rest is told by a title."""
        return format_html_join("", "{}", ((_value(cell),) for cell in self.cells))


def _whole(cell: Cell) -> SafeString:
    if not cell.address:
        return EMPTY[cell.kind]
    return format_html(FULL, cell.kind, cell.address, cell.value, cell.interval, f"{cell.n:,}")


def _value(cell: Cell) -> SafeString:
    if not cell.address:
        return EMPTY[cell.kind]
    return format_html(ALONE, cell.kind, cell.address, cell.interval, f"{cell.n:,}", cell.value)


EMPTY = {
    "self": format_html('<td class="self">{}</td>', ""),
    "absent": format_html('<td class="absent">{}</td>', "none"),
    "hidden": format_html('<td class="absent">{}</td>', "few"),
}


@dataclass(frozen=True, slots=True)
class Wish:
    """Which pairs are to be seen, and in which order. kinds: of raters, empty for all. least: shared items."""

    order: str = "name"
    kinds: frozenset[str] = frozenset()
    least: int = 1

    @property
    def is_filter(self) -> bool:
        return bool(self.kinds) or self.least > 1


@dataclass(frozen=True, slots=True)
class Matrix:
    """n_raters: of those wished for, shown or not."""

    raters: list[Rater]
    rows: list[Row]
    n_raters: int
    n_hidden: int = 0

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

    @property
    def is_bare(self) -> bool:
        return len(self.raters) > BARE


SELF = Cell("self")
ABSENT = Cell("absent")
HIDDEN = Cell("hidden")


def raters_of(agreement: QuestionAgreement) -> list[Rater]:
    return [Rater(r["id"], r["key"], r["kind"], r["n_labels"]) for r in agreement.raters]


def matrix_of(
    agreement: QuestionAgreement, pairs: Pairs, wish: Wish, *, show: Callable[[float | None], str], query: str
) -> Matrix:
    """The matrix of the raters that are wished for, or of the MOST_LABELS busiest of more than MAX_RATERS.

    show: how a value is written. query: what the address of a pair ends with.
    """
    wanted = [rater for rater in raters_of(agreement) if not wish.kinds or rater.kind in wish.kinds]
    raters = shown_raters(wanted)
    found = list(pairs.among([rater.id for rater in raters]))
    kept = [pair for pair in found if pair.n >= wish.least]
    means = means_of(kept) if wish.is_filter else pairs.means([rater.id for rater in raters])
    raters = ordered(raters, kept, means, wish.order)
    cells = {(pair.rater_a, pair.rater_b): HIDDEN for pair in found}
    cells |= {(pair.rater_a, pair.rater_b): _cell(pair, show, query) for pair in kept}
    rows = [Row(rater, _row(rater, raters, cells), means.get(rater.id, NO_MEAN)) for rater in raters]
    return Matrix(raters, rows, len(wanted), len(found) - len(kept))


def shown_raters(raters: Sequence[Rater]) -> list[Rater]:
    if len(raters) <= MAX_RATERS:
        return list(raters)
    busiest = sorted(raters, key=lambda rater: (-rater.n_labels, rater.key))[:MOST_LABELS]
    return sorted(busiest, key=lambda rater: rater.key)


def ordered(
    raters: Sequence[Rater], pairs: Sequence[Pair], means: Mapping[int, Mean], order: str
) -> list[Rater]:
    if order == "mean":
        return sorted(raters, key=lambda rater: _by_mean(means.get(rater.id, NO_MEAN)))
    if order == "cluster":
        return [raters[place] for place in alike_together([rater.id for rater in raters], pairs)]
    return list(raters)


def alike_together(raters: Sequence[int], pairs: Sequence[Pair]) -> list[int]:
    """The places of the raters in an order in which those who agree stand side by side.

    Average linkage on 1 less the value, its leaves in the optimal order of Bar-Joseph, Gifford & Jaakkola 2001. A pair
    without a value is taken to be as far apart as the mean pair.
    """
    if len(raters) < 3:
        return list(range(len(raters)))
    places = {rater: place for place, rater in enumerate(raters)}
    known = [pair for pair in pairs if pair.kappa is not None]
    gaps = [1 - (pair.kappa or 0.0) for pair in known]
    apart = np.full((len(raters), len(raters)), float(np.mean(gaps)) if gaps else 1.0)
    for pair, gap in zip(known, gaps, strict=True):
        a, b = places[pair.rater_a], places[pair.rater_b]
        apart[a, b] = apart[b, a] = gap
    np.fill_diagonal(apart, 0)
    tree = linkage(squareform(apart, checks=False), method="average", optimal_ordering=True)
    return [int(place) for place in leaves_list(tree)]


def _by_mean(mean: Mean) -> tuple[bool, float]:
    return mean.value is None, -(mean.value or 0.0)


def _cell(pair: Pair, show: Callable[[float | None], str], query: str) -> Cell:
    address = f"{pair.rater_a}/{pair.rater_b}/{query}"
    if pair.kappa is None:
        return Cell("undefined", address, "–", short_reason(pair.reason), pair.n)
    interval = shown_interval(pair.ci_low, pair.ci_high) or short_reason(pair.reason)
    return Cell(step(pair.kappa), address, show(pair.kappa), interval, pair.n)


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
