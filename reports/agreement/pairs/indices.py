"""Indices that accompany kappa for two categories: prevalence index, bias index, and kappa adjusted for both."""

import numpy as np

from reports.agreement.intervals.full_agreement import with_full_agreement
from reports.agreement.pairs.confusion_matrices import check_tables
from reports.agreement.pairs.estimates import reasons, symmetric_estimates
from reports.agreement.results import Estimates, FloatArray, IntArray, Reason


def prevalence_index(counts: IntArray, *, confidence: float = 0.95) -> Estimates:
    """(P,) (a - d) / n in [-1, 1]: the difference in agreement on the first and on the second category."""
    return _index(counts, np.array([[1.0, 0.0], [0.0, -1.0]]), confidence)


def bias_index(counts: IntArray, *, confidence: float = 0.95) -> Estimates:
    """(P,) (b - c) / n in [-1, 1]: how much more often rater A chose the first category than rater B."""
    return _index(counts, np.array([[0.0, 1.0], [-1.0, 0.0]]), confidence)


def pabak(counts: IntArray, *, confidence: float = 0.95) -> Estimates:
    """(P,) prevalence-adjusted bias-adjusted kappa, 2 po - 1 in [-1, 1].

    Brennan and Prediger's kappa is the same for two categories, and generalizes it to more. In full agreement, see
    `with_full_agreement` for the interval.
    """
    found = _index(counts, np.array([[1.0, -1.0], [-1.0, 1.0]]), confidence)
    return with_full_agreement(found, 0.5, confidence=confidence)


def _index(counts: IntArray, scores: FloatArray, confidence: float) -> Estimates:
    """(P,) the mean score of an item, with the normal interval; var = {sum p s^2 - value^2} / n.

    counts: (P, 2, 2), [[a, b], [c, d]]. scores: (2, 2).
    Undefined if there are not two categories (`not_two_categories`) or no item is shared (`no_overlap`). No error:
    each rater used one category, but not the same (`degenerate_margins`).
    Source: Byrt, Bishop & Carlin 1993, Journal of Clinical Epidemiology 46, 423-429.
    """
    check_tables(counts)
    n = counts.sum(axis=(1, 2), dtype=np.float64)
    is_two = np.full(n.shape, counts.shape[1] == 2)
    value = se = np.full(n.shape, np.nan)
    if counts.shape[1] == 2:
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.einsum("pkl,kl->p", counts, scores) / n
            squares = np.einsum("pkl,pkl->p", counts, (scores - value[:, None, None]) ** 2)
            se = np.sqrt(squares) / n
    undefined = reasons(n.shape, (~is_two, Reason.NOT_TWO_CATEGORIES), (n == 0, Reason.NO_OVERLAP))
    return symmetric_estimates(
        value,
        se,
        n=n,
        undefined=undefined,
        confidence=confidence,
        off_margins=(counts.max(axis=(1, 2), initial=0) == n) & (np.einsum("pkk->p", counts) == 0),
    )
