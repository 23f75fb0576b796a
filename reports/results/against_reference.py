"""Each rater of a question compared with the reference, from the stored confusion matrices of their pairs."""

from collections.abc import Sequence

import numpy as np
from django.db.models import Q

from core.templatetags.shown import count, figure
from raters.models import Rater
from reports.agreement.building import build
from reports.agreement.intervals.hotelling import EqualityTest
from reports.agreement.intervals.pair_equality import kappas_equality
from reports.agreement.results import Reason
from reports.analysis.pairs import reference_figures
from reports.analysis.results import RatersVersusReference, RaterVersusReference
from reports.results.statistic_rows import p_in_sentence
from reports.sources.label_columns import read_columns
from reports.store.agreements import ReportRater, n_cells, scope_of
from reports.store.stored_result import StoredResult

# The most cells read for a page or a response, over all pairs of one rater.
MAX_CELLS = 2_000_000
# The most labels read for a page or a response: the matrices of pairs do not show how errors of raters are correlated.
MAX_LABELS = 200_000


def reference_of(result: StoredResult, key: str = "") -> ReportRater | None:
    """Return the rater with this key, or else the report's reference, or else the first rater declared a reference."""
    raters = result.raters
    wanted = key or result.report.chosen.reference
    if wanted:
        return next((rater for rater in raters if rater.key == wanted), None)
    return next((rater for rater in raters if rater.kind == Rater.Kind.REFERENCE), None)


def against_reference(result: StoredResult, reference: ReportRater | None) -> RatersVersusReference:
    """Compare all raters who share an item with the reference, in the order of their keys."""
    if reference is None:
        return RatersVersusReference(reference=None, reason=Reason.NO_ITEMS)
    if result.row.n_raters * n_cells(result.row) > MAX_CELLS:
        return RatersVersusReference(reference=reference.key, reason=Reason.TOO_LARGE)
    pairs = result.row.pairs.filter(Q(rater_a=reference.id) | Q(rater_b=reference.id), n__gt=0)
    rows = list(pairs.values_list("rater_a_id", "rater_b_id", "counts"))
    if not rows:
        return RatersVersusReference(reference=reference.key, reason=Reason.NO_OVERLAP)
    size = len(result.categories)
    tables = np.array([counts for _, _, counts in rows], dtype=np.int64).reshape(-1, size, size)
    is_row = np.array([a == reference.id for a, _, _ in rows])
    # Rows are the rater's categories, columns the reference's.
    tables = np.where(is_row[:, None, None], tables.transpose(0, 2, 1), tables)
    raters = {rater.id: rater for rater in result.raters}
    others = [raters[b if a == reference.id else a] for a, b, _ in rows]
    figures = reference_figures(
        tables,
        result.scope.scale,
        n_labels=np.array([[other.n_labels, reference.n_labels] for other in others]),
        confidence=result.report.chosen.confidence,
    )
    found = [
        RaterVersusReference.of(each, rater=other.key, reference=reference.key)
        for other, each in zip(others, figures, strict=True)
    ]
    found.sort(key=lambda each: each.rater)
    alike = _equality(result, reference, others) if len(others) > 1 else None
    return RatersVersusReference(reference=reference.key, raters=tuple(found), equality=alike)


def _equality(
    result: StoredResult, reference: ReportRater, others: Sequence[ReportRater]
) -> EqualityTest | None:
    """Test whether all raters agree equally with the reference, from the labels; None if there are too many labels."""
    if result.row.n_labels > MAX_LABELS:
        return None
    scope, labels = scope_of(result.row), read_columns(result.row)
    n_categories = max(1, len(scope.category_ids))
    ratings, _, ids = build(labels.items, labels.raters, labels.values, n_categories=n_categories)
    places = {int(found): place for place, found in enumerate(ids)}
    pairs = [(places[each.id], places[reference.id]) for each in others]
    return kappas_equality(ratings, pairs, scope.scale.weighting)


def equality_sentence(found: RatersVersusReference, *, is_weighted: bool) -> str:
    """Return a sentence on the test that all raters have the same kappa with the reference, or ""."""
    test = found.equality
    if test is None or test.p_value is None:
        return ""
    left_out = f" {count(test.n_left_out)} without a standard error excluded." if test.n_left_out else ""
    return (
        f"Test that all {count(test.n_values)} raters have the same {'weighted ' if is_weighted else ''}kappa with "
        f"{found.reference}:"
        f" T² = {figure(test.t_squared)}, F({test.df1}, {test.df2}) = {figure(test.f)}, {p_in_sentence(test.p_value)}."
        f"{left_out}"
    )
