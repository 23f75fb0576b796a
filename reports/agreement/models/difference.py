"""Agreement of a model with people compared with that of people with each other, on the same resamples of items."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.models.pair_agreement import PairwiseAgreement
from reports.agreement.models.resampled_units import UnitWeights
from reports.agreement.progress_callbacks import ReportProgress, part_of
from reports.agreement.results import FloatArray, IntArray

# Columns of sums resampled at a time: 32 MB for 2,000 resamples.
BLOCK_SUMS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class LabelMatrix:
    """values: (N, R) labels of N items, arbitrary where missing. has: (N, R) bool, where there is a label."""

    values: NDArray[Any]
    has: NDArray[np.bool_]

    def of(self, items: NDArray[Any]) -> "LabelMatrix":
        return LabelMatrix(self.values[items], self.has[items])


@dataclass(frozen=True, slots=True, eq=False)
class ReplicatedValues:
    """P values, (P,), and their values on B resamples, (P, B); NaN where undefined. n_items: (P,) of both raters."""

    value: FloatArray
    replicates: FloatArray
    n_items: IntArray

    def mean(self, places: Sequence[int] | NDArray[Any]) -> "ReplicatedValues":
        """Return the mean over some of the values, leaving out undefined ones; n_items: the largest of them."""
        chosen = np.asarray(places, dtype=np.int64)
        both = np.concatenate((self.value[chosen, None], self.replicates[chosen]), axis=1)
        is_known = ~np.isnan(both)
        with np.errstate(invalid="ignore"):
            mean = np.where(is_known, both, 0).sum(axis=0) / is_known.sum(axis=0)
        n = self.n_items[chosen].max(initial=0)
        return ReplicatedValues(mean[:1], mean[None, 1:], np.array([n]))

    def less(self, other: "ReplicatedValues") -> "ReplicatedValues":
        """Return the difference, resample by resample."""
        return ReplicatedValues(
            self.value - other.value,
            self.replicates - other.replicates,
            np.minimum(self.n_items, other.n_items),
        )


def pairs_resampled(
    labels: LabelMatrix,
    pairs: Sequence[tuple[int, int]],
    agreement: PairwiseAgreement,
    weights: UnitWeights,
    *,
    report_progress: ReportProgress | None = None,
) -> ReplicatedValues:
    """Return the agreement of each pair of columns, and its values on each resample of the items.

    pairs: P of them. weights: of the N items of the labels. All pairs share the resamples, so that means over
    pairs, and differences of these, vary as they would on other items.
    Undefined, NaN: a pair without an item, or where `agreement` is undefined.
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapter 10.
    """
    report_pairs, step = part_of(report_progress, 0, 1), max(1, BLOCK_SUMS // agreement.n_sums)
    value, n_items = np.empty(len(pairs)), np.zeros(len(pairs), dtype=np.int64)
    replicates = np.empty((len(pairs), len(weights.weights)))
    for start in range(0, len(pairs), step):
        some = pairs[start : start + step]
        sums = np.stack([_sums(labels, pair, agreement, weights) for pair in some], axis=1)
        whole = sums.sum(axis=0)
        rows = slice(start, start + len(some))
        value[rows], n_items[rows] = agreement.value(whole), whole[:, 0]
        drawn = weights.sums(sums.reshape(len(sums), -1)).reshape(-1, len(some), agreement.n_sums)
        replicates[rows] = agreement.value(drawn).T
        report_pairs((start + len(some)) / len(pairs))
    return ReplicatedValues(value, replicates, n_items)


def _sums(
    labels: LabelMatrix, pair: tuple[int, int], agreement: PairwiseAgreement, weights: UnitWeights
) -> FloatArray:
    """(U, S) sums of one pair."""
    a, b = pair
    both = labels.has[:, a] & labels.has[:, b]
    return weights.grouped(agreement.sums(labels.values[:, a], labels.values[:, b], both))
