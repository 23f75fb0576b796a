"""Test whether a coefficient is the same in all parts of a question's labels, such as its rounds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.agreement.counting import all_pairs
from reports.agreement.intervals.strata import Homogeneity, fitted_homogeneity, homogeneity
from reports.analysis.kinds.kind import QuestionKind
from reports.analysis.label_arrays import LabelSubset
from reports.analysis.results import Figure

# For two raters, the coefficients that the goodness-of-fit test applies to.
FITTED = frozenset({"light_kappa", "fleiss_kappa", "conger_kappa"})


@dataclass(frozen=True, slots=True)
class StrataTests:
    """None where the parts share items, or there is only one; by_fit: None unless two raters used two categories."""

    by_precision: Homogeneity | None = None
    by_fit: Homogeneity | None = None


def strata_of(
    kind: QuestionKind,
    parts: Sequence[LabelSubset],
    figures: Sequence[Figure],
    coefficient: str,
    *,
    least: int,
) -> StrataTests:
    """figures: the coefficient in each part. least: parts with fewer items are left out: their error is unreliable."""
    items = np.concatenate([part.item_ids for part in parts]) if parts else np.empty(0)
    if len(parts) < 2 or len(np.unique(items)) < len(items):
        return StrataTests()
    is_known = [(each.n_items or 0) >= least for each in figures]
    by_precision = homogeneity(
        [each.value if known else None for each, known in zip(figures, is_known, strict=True)],
        [each.se for each in figures],
        confidence=kind.scope.options.confidence,
    )
    has_tables = kind.pairs_have_counts and len(kind.scope.category_ids) == 2 and coefficient in FITTED
    if not has_tables or any(part.size.n_raters != 2 for part in parts):
        return StrataTests(by_precision)
    tables = [all_pairs(part.sample.ratings).tables for part in parts]
    if any(len(each) != 1 for each in tables):
        return StrataTests(by_precision)
    return StrataTests(by_precision, fitted_homogeneity(np.concatenate(tables)))
