"""Every rater of a question against the one that is taken as right, out of the stored tables of their pairs."""

import numpy as np
from django.db.models import Q

from raters.models import Rater
from reports.agreement.results import Reason
from reports.analysis.pairs import reference_figures
from reports.analysis.results import AgainstReference, AllAgainstReference
from reports.store.agreements import ReportRater, n_cells
from reports.store.stored_result import StoredResult

# Counts of all pairs of one rater that are read for a page or an answer.
MAX_CELLS = 2_000_000


def reference_of(result: StoredResult, key: str = "") -> ReportRater | None:
    """The rater of this key, or else the one that the report names, or else the first that is declared a reference."""
    raters = result.raters
    wanted = key or result.report.chosen.reference
    if wanted:
        return next((rater for rater in raters if rater.key == wanted), None)
    return next((rater for rater in raters if rater.kind == Rater.Kind.REFERENCE), None)


def against_reference(result: StoredResult, reference: ReportRater | None) -> AllAgainstReference:
    """All raters who share an item with this one, in the order of their keys."""
    if reference is None:
        return AllAgainstReference(reference=None, reason=Reason.NO_ITEMS)
    if result.row.n_raters * n_cells(result.row) > MAX_CELLS:
        return AllAgainstReference(reference=reference.key, reason=Reason.TOO_LARGE)
    pairs = result.row.pairs.filter(Q(rater_a=reference.id) | Q(rater_b=reference.id), n__gt=0)
    rows = list(pairs.values_list("rater_a_id", "rater_b_id", "counts"))
    if not rows:
        return AllAgainstReference(reference=reference.key, reason=Reason.NO_OVERLAP)
    size = len(result.categories)
    tables = np.array([counts for _, _, counts in rows], dtype=np.int64).reshape(-1, size, size)
    is_row = np.array([a == reference.id for a, _, _ in rows])
    # Rows the rater, columns the reference.
    tables = np.where(is_row[:, None, None], tables.transpose(0, 2, 1), tables)
    raters = {rater.id: rater for rater in result.raters}
    others = [raters[b if a == reference.id else a] for a, b, _ in rows]
    figures = reference_figures(
        tables,
        n_labels=np.array([[other.n_labels, reference.n_labels] for other in others]),
        confidence=result.report.chosen.confidence,
    )
    found = [
        AgainstReference.of(each, rater=other.key, reference=reference.key)
        for other, each in zip(others, figures, strict=True)
    ]
    found.sort(key=lambda each: each.rater)
    return AllAgainstReference(reference=reference.key, raters=tuple(found))
