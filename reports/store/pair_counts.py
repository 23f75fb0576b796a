"""The confusion matrices of stored pairs, and kappa computed from them with any weights."""

from collections.abc import Sequence

import numpy as np

from raters.lettered import order_of_pairs
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import IntArray, PairKappas
from reports.agreement.weights import Weights
from reports.models import PairAgreement, QuestionAgreement
from reports.store.agreements import n_cells, scope_of

# Above these limits, other weights need a report of their own, because a page would take too long.
MAX_RECOMPUTED = 100_000


MAX_CELLS = 4_000_000


def tables_of(agreement: QuestionAgreement) -> tuple[list[tuple[int, int]], IntArray]:
    """Return the raters of every pair and their confusion matrices, with shape (P, K, K)."""
    rows = list(agreement.pairs.order_by(*order_of_pairs()).values_list("rater_a_id", "rater_b_id", "counts"))
    tables = _as_tables(agreement, [counts for _, _, counts in rows])
    # Stored pairs have the lower ID first; with letters in force, the order of the two may differ.
    is_turned = np.array([a > b for a, b, _ in rows], dtype=bool)
    tables[is_turned] = tables[is_turned].transpose(0, 2, 1)
    return [(min(a, b), max(a, b)) for a, b, _ in rows], tables


def tables_of_unstored(
    agreement: QuestionAgreement, pairs: Sequence[PairAgreement]
) -> tuple[list[tuple[int, int]], IntArray]:
    """Like `tables_of`, for pairs that are not in the database."""
    raters = [(pair.rater_a_id, pair.rater_b_id) for pair in pairs]
    return raters, _as_tables(agreement, [pair.counts for pair in pairs])


def may_recompute(agreement: QuestionAgreement) -> bool:
    return agreement.n_pairs <= MAX_RECOMPUTED and agreement.n_pairs * n_cells(agreement) <= MAX_CELLS


def kappas_of(agreement: QuestionAgreement, counts: Sequence[Sequence[int]], weights: str) -> PairKappas:
    """Return Cohen's kappa of these confusion matrices with these weights, and the category values that the report
    used.
    """
    return _kappas(agreement, _as_tables(agreement, counts), weights)


def _as_tables(agreement: QuestionAgreement, counts: Sequence[Sequence[int]]) -> IntArray:
    n_categories = len(agreement.categories)
    return np.array(counts, dtype=np.int64).reshape(-1, n_categories, n_categories)


def _kappas(agreement: QuestionAgreement, tables: IntArray, weights: str) -> PairKappas:
    scope = scope_of(agreement)
    weighting = scope.scale_with(Weights(weights)).weighting
    return cohen_kappa(tables, weighting, confidence=scope.options.confidence)
