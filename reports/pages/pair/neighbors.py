"""The other pairs of two raters, for comparison with their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from core.templatetags.shown import figure
from raters.lettered import order_of_pairs
from reports.agreement.intervals.difference import Difference
from reports.agreement.intervals.holm import holm
from reports.analysis.reasons import words_of
from reports.models import PairAgreement
from reports.pages.contexts import PageSection
from reports.results.statistic_rows import shown_p
from reports.results.wording import clipped_words, shown_interval
from reports.store.pair_counts import kappas_of
from reports.store.pair_neighbors import differences_of, may_compare
from reports.store.pairs_in_order import lower_first
from reports.store.stored_result import StoredResult

# The most pairs shown; those with most items come first.
MOST = 12


@dataclass(frozen=True, slots=True)
class Neighbor:
    """Another pair with one of the two raters. clipped: where its interval was truncated. difference: its kappa minus
    that of this pair, "" if not requested. p_value: of the difference, with Holm's correction over the pairs shown.
    """

    name: str
    address: str
    value: str
    interval: str
    n: int
    clipped: str
    difference: str = ""
    difference_interval: str = ""
    p_value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighborList(PageSection):
    """may_compare: whether differences can be requested; has_differences: whether they are included."""

    neighbors: Sequence[Neighbor]
    may_compare: bool
    has_differences: bool


def neighbors_of(
    result: StoredResult, pair: PairAgreement, weights: str, *, with_differences: bool
) -> NeighborList:
    two = [pair.rater_a_id, pair.rater_b_id]
    others = pair.agreement.pairs.filter(Q(rater_a__in=two) | Q(rater_b__in=two)).exclude(pk=pair.pk)
    largest = others.order_by("-n", *order_of_pairs()).only("rater_a_id", "rater_b_id", "counts")[:MOST]
    rows = [(each.rater_a_id, each.rater_b_id, each.counts) for each in map(lower_first, largest)]
    may = may_compare(pair)
    found = _differences(pair, rows, weights) if with_differences and may and rows else []
    return NeighborList(
        neighbors=_rows(result, rows, weights, found),
        may_compare=may,
        has_differences=bool(found),
    )


def _differences(pair: PairAgreement, rows: list[Any], weights: str) -> list[Difference]:
    return differences_of(pair, [(a, b) for a, b, _ in rows], weights)


def _rows(
    result: StoredResult, rows: list[Any], weights: str, differences: list[Difference]
) -> list[Neighbor]:
    names = {rater.id: rater.key for rater in result.raters}
    corrected = holm([each.p_value for each in differences])
    kappas = list(kappas_of(result.row, [counts for _, _, counts in rows], weights)) if rows else []
    return [
        Neighbor(
            f"{names[a]} × {names[b]}",
            f"../../{a}/{b}/",
            figure(k.kappa, 3),
            shown_interval(k.ci_low, k.ci_high, 3) or words_of(str(k.reason)).short,
            k.n,
            clipped_words(k),
            *(_difference_cells(differences[place], corrected[place]) if differences else ()),
        )
        for place, ((a, b, _), k) in enumerate(zip(rows, kappas, strict=True))
    ]


def _difference_cells(found: Difference, p_value: float | None) -> tuple[str, str, str]:
    """Return second − first, as everywhere; the other pair is the second."""
    if found.value is None:
        return figure(None, 3), words_of(str(found.reason)).short, shown_p(None)
    low, high = (None if limit is None else -limit for limit in (found.ci_high, found.ci_low))
    interval = shown_interval(low, high, 3) or words_of(str(found.reason)).short
    return figure(-found.value, 3), interval, shown_p(p_value)
