"""The pairs of raters whose agreement differs most between two reports."""

from typing import Any

import numpy as np

from projects.models import Question
from reports.agreement.numbers.concordance_difference import concordance_difference
from reports.agreement.ticks import Tick
from reports.analysis.comparable import Comparable
from reports.analysis.comparison import flat_difference
from reports.analysis.labels import LabelColumns
from reports.analysis.steps import each_of
from reports.models import QuestionAgreement
from reports.store.agreements import scope_of
from reports.store.pair_counts import MAX_RECOMPUTED, kappas_of

MOST_PAIRS = 20
# What tells pairs apart, as reports have it for each pair; and the coefficient of all raters that is the same of two.
FIGURES = {
    Question.Kind.SINGLE: ("cohen_kappa", "light_kappa"),
    Question.Kind.NUMBER: ("lin_concordance", ""),
    Question.Kind.MULTIPLE: ("masi", "mean_masi"),
}

Pairs = dict[tuple[int, int], float | None]


def moved_pairs(
    before: QuestionAgreement,
    after: QuestionAgreement,
    kind: Comparable,
    first: LabelColumns,
    second: LabelColumns,
    tick: Tick,
) -> dict[str, Any]:
    """Those of both reports whose values differ, the farthest apart first; JSON.

    first, second: the labels of the reports.
    """
    scope = scope_of(after)
    figure, same = FIGURES[Question.Kind(scope.kind)]
    if max(before.n_pairs, after.n_pairs) > MAX_RECOMPUTED:
        return {"pair_figure": figure, "n_pairs": None, "pairs": []}
    values = _values(before, after, figure), _values(after, after, figure)
    both = values[0].keys() & values[1].keys()
    gaps = {pair: _gap(values[0][pair], values[1][pair]) for pair in both}
    known = sorted((-gap, pair) for pair, gap in gaps.items() if gap)
    weighted = f"{same}_weighted" if scope.options.is_weighted and same == "light_kappa" else same
    return {
        "pair_figure": figure,
        "n_pairs": {
            "both": len(both),
            "only_before": len(values[0]) - len(both),
            "only_after": len(values[1]) - len(both),
        },
        "pairs": [
            {
                "rater_a": a,
                "rater_b": b,
                "difference": _difference(kind, first, second, (a, b), weighted, scope.options.confidence),
            }
            for (_, (a, b)), _ in each_of(known[:MOST_PAIRS], tick)
        ],
    }


def _gap(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else abs(after - before)


def _values(agreement: QuestionAgreement, like: QuestionAgreement, figure: str) -> Pairs:
    """The value of each pair, of kappa with the weights of `like`."""
    rows = agreement.pairs.order_by("rater_a_id", "rater_b_id")
    if figure != "cohen_kappa":
        found = rows.values_list("rater_a_id", "rater_b_id", "figures")
        return {(a, b): (figures or {})[figure]["value"] for a, b, figures in found}
    weights = ("weights", "matrices")
    if all(agreement.report.options.get(name) == like.report.options.get(name) for name in weights):
        return {(a, b): kappa for a, b, kappa in rows.values_list("rater_a_id", "rater_b_id", "kappa")}
    counts = list(rows.values_list("rater_a_id", "rater_b_id", "counts"))
    kappas = kappas_of(like, [each for _, _, each in counts], like.report.options["weights"])
    return {(a, b): found.kappa for (a, b, _), found in zip(counts, kappas, strict=True)}


def _difference(
    kind: Comparable,
    first: LabelColumns,
    second: LabelColumns,
    pair: tuple[int, int],
    name: str,
    confidence: float,
) -> dict[str, Any]:
    """The later report's less the earlier one's, from the labels of the two raters."""
    before, after = (labels.of(np.isin(labels.raters, pair)) for labels in (first, second))
    if name:
        return kind.differences(kind.part(after), kind.part(before), frozenset({name}))[name]
    sides = [_shared(labels, pair) for labels in (after, before)]
    found = concordance_difference(
        sides[0][0], sides[1][0], first_items=sides[0][1], second_items=sides[1][1], confidence=confidence
    )
    return flat_difference(found)


def _shared(labels: LabelColumns, pair: tuple[int, int]) -> tuple[Any, Any]:
    """(N, 2) the numbers of both raters on the items that both have, and (N,) those items."""
    of_each = [labels.of(labels.raters == rater) for rater in pair]
    items, a, b = np.intersect1d(of_each[0].items, of_each[1].items, assume_unique=True, return_indices=True)
    return np.stack((of_each[0].values[a], of_each[1].values[b]), axis=1), items
