"""The pairs of raters whose agreement differs most between two reports."""

import numpy as np

from reports.agreement.progress_callbacks import ReportProgress
from reports.analysis.kinds import kind_of
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import LabelColumns
from reports.analysis.results import PairChanges, PairDifference
from reports.analysis.steps import each_of
from reports.models import QuestionAgreement
from reports.store.agreements import scope_of
from reports.store.pair_counts import MAX_RECOMPUTED, kappas_of

MOST_PAIRS = 20

Pairs = dict[tuple[int, int], float | None]


def moved_pairs(
    before: QuestionAgreement,
    after: QuestionAgreement,
    kind: QuestionKind,
    first: LabelColumns,
    second: LabelColumns,
    report_progress: ReportProgress,
) -> tuple[PairChanges | None, tuple[PairDifference, ...]]:
    """Return the number of pairs (None if too many), and the pairs in both reports that differ, largest difference
    first.

    first, second: the labels of the reports.
    """
    figure = kind.pair_figure
    if max(before.n_pairs, after.n_pairs) > MAX_RECOMPUTED:
        return None, ()
    values = _values(before, after, figure), _values(after, after, figure)
    both = values[0].keys() & values[1].keys()
    gaps = {pair: _gap(values[0][pair], values[1][pair]) for pair in both}
    known = sorted((-gap, pair) for pair, gap in gaps.items() if gap)
    n_pairs = PairChanges(
        both=len(both), only_before=len(values[0]) - len(both), only_after=len(values[1]) - len(both)
    )
    return n_pairs, tuple(
        PairDifference(
            rater_a=a,
            rater_b=b,
            difference=kind.pair_difference(
                *(kind.part(labels.of(np.isin(labels.raters, (a, b)))) for labels in (second, first))
            ),
        )
        for (_, (a, b)), _ in each_of(known[:MOST_PAIRS], report_progress)
    )


def _gap(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else abs(after - before)


def _values(agreement: QuestionAgreement, like: QuestionAgreement, figure: str) -> Pairs:
    """Return the value of each pair, lower ID first; kappa uses the weights of `like`."""
    return {
        (min(a, b), max(a, b)): value for (a, b), value in _stored_values(agreement, like, figure).items()
    }


def _stored_values(agreement: QuestionAgreement, like: QuestionAgreement, figure: str) -> Pairs:
    rows = agreement.pairs.order_by("rater_a_id", "rater_b_id")
    if not kind_of(scope_of(like)).pairs_have_counts:
        found = rows.values_list("rater_a_id", "rater_b_id", "figures")
        return {(a, b): (figures or {})[figure]["value"] for a, b, figures in found}
    is_alike = agreement.report.options.get("matrices") == like.report.options.get("matrices")
    weights = scope_of(like).weights
    if is_alike and scope_of(agreement).weights == weights:
        return {(a, b): kappa for a, b, kappa in rows.values_list("rater_a_id", "rater_b_id", "kappa")}
    counts = list(rows.values_list("rater_a_id", "rater_b_id", "counts"))
    kappas = kappas_of(like, [each for _, _, each in counts], str(weights))
    return {(a, b): found.kappa for (a, b, _), found in zip(counts, kappas, strict=True)}
