"""The matrix of pairs: every rater with every other, in both triangles."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from django.http import HttpRequest
from django.utils.safestring import SafeString

from core.numbers import whole_number
from raters.models import Rater
from reports.analysis.options import RaterKind
from reports.pages.address_choices import chosen
from reports.pages.question.matrix_cells import full_rows, heat_rows
from reports.results.question_pairs import NO_MEAN, MatrixPairs, Pair, RaterMean, means_of
from reports.store.agreements import ReportRater
from reports.store.stored_result import StoredResult

# Up to this many raters are all shown; otherwise, those with most labels.
MAX_RATERS = 200
MOST_LABELS = 40
# Up to FEW raters, the matrix fits next to other figures; with more than MANY, cells are only colored, in these sizes.
FEW, WITH_N = 7, 5
MANY = 12
HEAT = {24: "large", 40: "medium", 80: "small", MAX_RATERS: "tiny"}
# With more raters, cells have only their values, or the page would take megabytes.
MAX_RATERS_WITH_TITLES = 80

ORDERS = {"name": "By name", "mean": "By mean", "cluster": "Cluster similar raters"}
# Models and references come after people.
KINDS = list(RaterKind)


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """cells: as HTML, because a template takes seconds for the 40,000 cells of 200 raters."""

    rater: ReportRater
    cells: SafeString
    mean: RaterMean


@dataclass(frozen=True, slots=True)
class MatrixOptions:
    """Which pairs to show, and in which order.

    order: "" for the one that fits their number. kinds: of raters; empty for all. named: a part of their names; "" for
    all. least: shared items.
    """

    order: str = ""
    kinds: frozenset[str] = frozenset()
    least: int = 1
    named: str = ""

    @property
    def is_filter(self) -> bool:
        return bool(self.kinds) or self.least > 1 or bool(self.named)

    def is_for(self, rater: ReportRater) -> bool:
        return (not self.kinds or rater.kind in self.kinds) and self.named.casefold() in rater.key.casefold()


@dataclass(frozen=True, slots=True)
class PairMatrix:
    """n_raters: those requested, shown or not. has_cut: whether an interval was truncated at a bound. has_intervals:
    whether a pair has one. n_shared: by every pair, if all share equally many items. order: of the raters, one of
    ORDERS.
    """

    raters: list[ReportRater]
    rows: list[MatrixRow]
    n_raters: int
    n_hidden: int = 0
    has_cut: bool = False
    has_intervals: bool = True
    n_shared: int | None = None
    order: str = "name"

    @property
    def is_part(self) -> bool:
        return len(self.raters) < self.n_raters

    @property
    def is_small(self) -> bool:
        """Whether it is small enough to leave room next to it."""
        return len(self.raters) <= FEW or self.heat == "large"

    @property
    def has_n(self) -> bool:
        """Whether cells have room for the number of items, and need it."""
        return len(self.raters) <= WITH_N and self.n_shared is None

    @property
    def heat(self) -> str:
        """The cell size of a heat map; "" for a matrix of values."""
        if len(self.raters) <= MANY:
            return ""
        return next(size for most, size in HEAT.items() if len(self.raters) <= most)

    @property
    def has_names(self) -> bool:
        """Whether there is room for names next to the cells."""
        return self.heat not in ("small", "tiny")


def matrix_of(
    result: StoredResult,
    pairs: MatrixPairs,
    matrix_options: MatrixOptions,
    *,
    show: Callable[[float | None], str],
    query: str,
    items: str = "items/",
) -> PairMatrix:
    """Return the matrix of the requested raters or, if over MAX_RATERS, of the MOST_LABELS raters with most labels.

    show: formats a value. query: appended to the URL of a pair. items: the URL of a pair's items, relative to the pair.
    """
    wanted = [rater for rater in result.raters if matrix_options.is_for(rater)]
    raters = shown_raters(wanted)
    found = list(pairs.between([rater.id for rater in raters]))
    kept = [pair for pair in found if pair.n >= matrix_options.least]
    means = (
        means_of(kept, pairs.left_out)
        if matrix_options.is_filter
        else pairs.means([rater.id for rater in raters])
    )
    order = matrix_options.order or ("name" if len(raters) <= MANY else "cluster")
    raters = ordered(raters, kept, means, order)
    hidden = [(pair.rater_a, pair.rater_b) for pair in found if pair.n < matrix_options.least]
    shared = {pair.n for pair in found}
    matrix = PairMatrix(
        raters,
        [],
        len(wanted),
        len(hidden),
        any(pair.is_clipped for pair in kept),
        any(pair.ci_low is not None for pair in kept),
        shared.pop() if len(shared) == 1 else None,
        order,
    )
    ids = [rater.id for rater in raters]
    cells = (
        heat_rows(ids, kept, hidden, show, query, has_titles=len(raters) <= MAX_RATERS_WITH_TITLES)
        if matrix.heat
        else full_rows(ids, kept, hidden, show, query, has_n=matrix.has_n, items=items)
    )
    rows = [
        MatrixRow(rater, row, means.get(rater.id, NO_MEAN)) for rater, row in zip(raters, cells, strict=True)
    ]
    return replace(matrix, rows=rows)


def shown_raters(raters: Sequence[ReportRater]) -> list[ReportRater]:
    if len(raters) <= MAX_RATERS:
        return list(raters)
    busiest = sorted(raters, key=lambda rater: (-rater.n_labels, rater.key))[:MOST_LABELS]
    return sorted(busiest, key=lambda rater: rater.key)


def ordered(
    raters: Sequence[ReportRater], pairs: Sequence[Pair], means: Mapping[int, RaterMean], order: str
) -> list[ReportRater]:
    """Return people first, then models, then references, in the requested order within each."""
    found = _ordered(raters, pairs, means, order)
    return sorted(found, key=lambda rater: KINDS.index(RaterKind(rater.kind)))


def _ordered(
    raters: Sequence[ReportRater], pairs: Sequence[Pair], means: Mapping[int, RaterMean], order: str
) -> list[ReportRater]:
    if order == "mean":
        values = {rater.id: means.get(rater.id, NO_MEAN).value for rater in raters}
        return sorted(raters, key=lambda rater: (values[rater.id] is None, -(values[rater.id] or 0.0)))
    if order == "cluster":
        return [raters[place] for place in cluster_order([rater.id for rater in raters], pairs)]
    return list(raters)


def cluster_order(raters: Sequence[int], pairs: Sequence[Pair]) -> list[int]:
    """Return the positions of the raters in an order in which similar ones are adjacent.

    Average linkage on 1 - value, with the optimal leaf order of Bar-Joseph, Gifford & Jaakkola 2001. A pair without a
    value is assigned the mean distance.
    """
    # Imported here because it would delay the start of every process by a quarter of a second.
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

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


def requested_matrix_options(request: HttpRequest) -> MatrixOptions:
    kinds = frozenset(request.GET.getlist("kind")) & frozenset(Rater.Kind.values)
    n = whole_number(request.GET.get("least", ""), least=1, most=10**9 - 1) or 1
    named = request.GET.get("named", "").strip()[:200]
    return MatrixOptions(chosen(request, "order", ORDERS, ""), kinds, n, named)


def kinds_of(result: StoredResult) -> dict[str, str]:
    """Return the kinds of raters in the report with their names; {} if there is only one kind."""
    found = {rater.kind for rater in result.raters}
    return {value: name for value, name in Rater.Kind.choices if value in found} if len(found) > 1 else {}
