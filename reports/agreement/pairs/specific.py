"""Specific agreement: how often two raters agree, given that one of them chose a category."""

from dataclasses import replace

import numpy as np

from reports.agreement.pairs.confusion_matrices import check_tables
from reports.agreement.pairs.estimates import reasons, wilson_estimates
from reports.agreement.results import Estimates, IntArray, Reason


def specific_agreement(counts: IntArray, *, confidence: float = 0.95) -> Estimates:
    """(P, K) S = 2 n_kk / (n_k. + n_.k) in [0, 1]; for two categories, positive and negative agreement; also F1.

    counts: (P, K, K). n of an estimate: items that at least one rater put in the category. The value is a ratio of
    means over items; linearized, with a items on which both chose the category and m on which one did,
    var = 4 a m (a + m) / (2a + m)^4 n / (n - 1), which is close to the delete-1 jackknife. S = 2 J / (1 + J) increases
    with J = a / (a + m), the share of items chosen by both among those chosen by either; the limits are 2 J / (1 + J)
    at the Wilson limits of J.
    Undefined if no item is shared (`no_overlap`) or neither rater used the category (`category_unused`). One item that
    either put in the category: no interval (`n<2`).
    Sources: Dice 1945; Cicchetti & Feinstein 1990, Journal of Clinical Epidemiology 43, 551-558; Wilson 1927, Journal
    of the American Statistical Association 22, 209-212.
    """
    check_tables(counts)
    both = np.einsum("pkk->pk", counts).astype(np.float64)
    labels = (counts.sum(axis=1) + counts.sum(axis=2)).astype(np.float64)
    one = labels - 2 * both
    n = counts.sum(axis=(1, 2), dtype=np.float64)[:, None]
    undefined = reasons(both.shape, (n == 0, Reason.NO_OVERLAP), (labels == 0, Reason.CATEGORY_UNUSED))
    share = wilson_estimates(both, both + one, undefined=undefined, confidence=confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.sqrt(4 * both * one * (both + one) / labels**4 * (n / (n - 1)))
    return replace(
        share,
        value=2 * share.value / (1 + share.value),
        se=np.where(share.reason == 0, se, np.nan),
        ci_low=2 * share.ci_low / (1 + share.ci_low),
        ci_high=2 * share.ci_high / (1 + share.ci_high),
    )
