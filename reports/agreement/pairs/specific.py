"""Specific agreement: how often two raters agree when one of them chose a category."""

import numpy as np

from reports.agreement.pairs.estimates import reasons, symmetric_estimates
from reports.agreement.pairs.tables import check_tables
from reports.agreement.results import Estimates, IntArray, Reason


def specific_agreement(counts: IntArray, *, confidence: float = 0.95) -> Estimates:
    """(P, K) 2 n_kk / (n_k. + n_.k) in [0, 1]; of two categories, positive and negative agreement.

    counts: (P, K, K). n of an estimate: items that one of the raters put in the category. Over items the value is a
    ratio of means; linearised, with a items on which both chose the category and m on which one did,
    var = 4 a m (a + m) / (2a + m)^4 n / (n - 1), which the delete-1 jackknife comes close to. The interval is normal,
    clipped to [0, 1].
    Undefined if no item is shared (`no_overlap`) or neither rater used the category (`category_unused`).
    Sources: Dice 1945; Cicchetti & Feinstein 1990, Journal of Clinical Epidemiology 43, 551-558.
    """
    check_tables(counts)
    both = np.einsum("pkk->pk", counts).astype(np.float64)
    labels = (counts.sum(axis=1) + counts.sum(axis=2)).astype(np.float64)
    one = labels - 2 * both
    n = counts.sum(axis=(1, 2), dtype=np.float64)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = 2 * both / labels
        se = np.sqrt(4 * both * one * (both + one) / labels**4 * (n / (n - 1)))
    return symmetric_estimates(
        value,
        se,
        n=both + one,
        undefined=reasons(value.shape, (n == 0, Reason.NO_OVERLAP), (labels == 0, Reason.CATEGORY_UNUSED)),
        confidence=confidence,
        lowest=0.0,
    )
