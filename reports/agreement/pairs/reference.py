"""A rater against a reference: labels, or another rater, taken as correct."""

from dataclasses import dataclass

import numpy as np

from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.pairs.confusion_matrices import check_tables
from reports.agreement.pairs.estimates import reasons, symmetric_estimates, wilson_estimates
from reports.agreement.pairs.specific import specific_agreement
from reports.agreement.results import Estimates, FloatArray, IntArray, PairKappas, Reason
from reports.agreement.weights import weighting


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ReferenceAgreement:
    """Figures of P raters against their references.

    Per category, (P, K): recall (sensitivity), specificity, precision, negative_predictive_value, f1.
    Over all categories, (P,): accuracy, balanced_accuracy, matthews, kappa.
    """

    recall: Estimates
    specificity: Estimates
    precision: Estimates
    negative_predictive_value: Estimates
    f1: Estimates
    accuracy: Estimates
    balanced_accuracy: Estimates
    matthews: Estimates
    kappa: PairKappas

    @property
    def expected_accuracy(self) -> FloatArray:
        """(P,) expected accuracy pe; kappa is the share of the distance from it to 1: pe + kappa (1 - pe)."""
        return self.kappa.expected


def against_reference(counts: IntArray, *, confidence: float = 0.95) -> ReferenceAgreement:
    """Return all figures of raters against their references.

    counts: (P, K, K), rows the rater's category and columns the reference's.
    For each category against the rest, with Wilson intervals: recall TP / (TP + FN), specificity TN / (TN + FP),
    precision TP / (TP + FP), negative predictive value TN / (TN + FN); F1 = 2 TP / (2 TP + FP + FN), which
    is specific agreement.
    Accuracy: the share of items with equal labels, with its Wilson interval.
    Undefined: all if no item is shared (`no_overlap`); ratios with a denominator of 0, because the rater or the
    reference did not use the category (`category_unused`), or used no other (`no_variation`).
    """
    check_tables(counts)
    both = np.einsum("pkk->pk", counts).astype(np.float64)
    chosen, true = counts.sum(axis=2).astype(np.float64), counts.sum(axis=1).astype(np.float64)
    n = chosen.sum(axis=1)
    neither = n[:, None] - chosen - true + both

    def share(successes: FloatArray, trials: FloatArray, reason: Reason) -> Estimates:
        undefined = reasons(trials.shape, (n[:, None] == 0, Reason.NO_OVERLAP), (trials == 0, reason))
        return wilson_estimates(successes, trials, undefined=undefined, confidence=confidence)

    return ReferenceAgreement(
        recall=share(both, true, Reason.CATEGORY_UNUSED),
        specificity=share(neither, n[:, None] - true, Reason.NO_VARIATION),
        precision=share(both, chosen, Reason.CATEGORY_UNUSED),
        negative_predictive_value=share(neither, n[:, None] - chosen, Reason.NO_VARIATION),
        f1=specific_agreement(counts, confidence=confidence),
        accuracy=wilson_estimates(
            both.sum(axis=1),
            n,
            undefined=reasons(n.shape, (n == 0, Reason.NO_OVERLAP)),
            confidence=confidence,
        ),
        balanced_accuracy=balanced_accuracy(counts, confidence=confidence),
        matthews=matthews(counts, confidence=confidence),
        kappa=cohen_kappa(
            counts, weighting("unweighted", n_categories=counts.shape[1]), confidence=confidence
        ),
    )


def balanced_accuracy(counts: IntArray, *, confidence: float = 0.95) -> Estimates:
    """(P,) the mean recall of the categories that the reference uses, in [0, 1].

    counts: as for `against_reference`. var = sum h_k (1 - h_k) / n_k / m^2 over those m categories, with the
    reference held fixed; the interval is normal, clipped to [0, 1].
    Undefined if no item is shared (`no_overlap`) or the reference uses only one category (`no_variation`).
    """
    check_tables(counts)
    true = counts.sum(axis=1).astype(np.float64)
    n, n_used = true.sum(axis=1), np.count_nonzero(true, axis=1)
    recall = np.einsum("pkk->pk", counts) / np.maximum(true, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = recall.sum(axis=1) / n_used
        se = np.sqrt((recall * (1 - recall) / np.maximum(true, 1)).sum(axis=1)) / n_used
    undefined = reasons(n.shape, (n == 0, Reason.NO_OVERLAP), (n_used < 2, Reason.NO_VARIATION))
    return symmetric_estimates(value, se, n=n, undefined=undefined, confidence=confidence, lowest=0.0)


def matthews(counts: IntArray, *, confidence: float = 0.95) -> Estimates:
    """(P,) Matthews' correlation, for any number of categories: (po - pe) / sqrt(A B), in [-1, 1].

    A = 1 - sum_k p_k.^2 and B = 1 - sum_k p_.k^2; pe = sum_k p_k. p_.k. Its error is by the delta method on the cells:
    u_kl = (1[k = l] - p_.k - p_l.) / sqrt(A B) + value (p_k. / A + p_.l / B), var = {sum p u^2 - (sum p u)^2} / n.
    Undefined if no item is shared (`no_overlap`) or the rater or the reference uses only one category (`no_variation`).
    Sources: Matthews 1975, Biochimica et Biophysica Acta 405, 442-451; Gorodkin 2004, Computational Biology and
    Chemistry 28, 367-374.
    """
    check_tables(counts)
    n = counts.sum(axis=(1, 2), dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = counts / n[:, None, None]
        rows, columns = p.sum(axis=2), p.sum(axis=1)
        of_rows, of_columns = (1 - np.einsum("pk,pk->p", each, each) for each in (rows, columns))
        root = np.sqrt(of_rows * of_columns)
        value = (np.einsum("pkk->p", p) - np.einsum("pk,pk->p", rows, columns)) / root
        by_row = -columns / root[:, None] + rows * (value / of_rows)[:, None]
        by_column = -rows / root[:, None] + columns * (value / of_columns)[:, None]
        u = np.eye(counts.shape[1]) / root[:, None, None] + by_row[:, :, None] + by_column[:, None, :]
        u -= np.einsum("pkl,pkl->p", p, u)[:, None, None]
        se = np.sqrt(np.einsum("pkl,pkl,pkl->p", p, u, u) / n)
    is_constant = [np.count_nonzero(counts.sum(axis=axis), axis=1) < 2 for axis in (1, 2)]
    undefined = reasons(
        n.shape, (n == 0, Reason.NO_OVERLAP), (is_constant[0] | is_constant[1], Reason.NO_VARIATION)
    )
    return symmetric_estimates(value, se, n=n, undefined=undefined, confidence=confidence)
