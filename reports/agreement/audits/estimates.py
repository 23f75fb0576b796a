"""Estimates from a random sample of audited labels: the share and number of wrong labels, with intervals."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from reports.agreement.audits.wrong_labels import check, hypergeometric
from reports.agreement.intervals.wilson import wilson_limits
from reports.agreement.results import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its interval, dimensionless; None with a reason where undefined.

    n: audited labels that it is based on. error: its standard error, None if the interval is exact or there is none.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    error: float | None = None
    reason: str = ""


def exact_share(n_wrong: int, n: int, *, size: int | None, confidence: float = 0.95) -> Share:
    """Return the share of wrong labels in the population, from a simple random sample without replacement.

    Uses the exact interval of Clopper and Pearson or, for a finite population, the inversion of both one-sided
    hypergeometric tests; its coverage is at least the stated confidence. Undefined: no label was audited (`no_labels`).
    Raises ValueError if n_wrong is not within 0 to n, or n is larger than the population.
    Sources: Clopper & Pearson 1934, Biometrika 26(4), 404-413; Buonaccorsi 1987, The American Statistician 41(3),
    215-218.
    """
    check(n, np.array([0.0]), size)
    if not 0 <= n_wrong <= n:
        raise ValueError(f"wrong labels must be 0 to {n}, got {n_wrong}")
    if n == 0:
        return Share(None, None, None, 0, reason="no_labels")
    tail = (1 - confidence) / 2
    if size is None:
        low = 0.0 if n_wrong == 0 else float(betaincinv(n_wrong, n - n_wrong + 1, tail))
        high = 1.0 if n_wrong == n else float(betaincinv(n_wrong + 1, n - n_wrong, 1 - tail))
        return Share(n_wrong / n, low, high, n)
    # The numbers of wrong labels that are possible given the sample.
    wrong = (n_wrong, size - (n - n_wrong))
    fewest = _first(lambda d: _at_least(n_wrong, n, d, size) > tail, *wrong)
    most = _last(lambda d: _at_most(n_wrong, n, d, size) > tail, *wrong)
    return Share(n_wrong / n, fewest / size, most / size, n)


def _at_most(k: int, n: int, wrong: int, size: int) -> float:
    return float(hypergeometric(np.arange(k + 1), n, np.array(wrong), size).sum())


def _at_least(k: int, n: int, wrong: int, size: int) -> float:
    return float(hypergeometric(np.arange(k, n + 1), n, np.array(wrong), size).sum())


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _last(holds: Callable[[int], bool], low: int, high: int) -> int:
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


@dataclass(frozen=True, slots=True)
class AuditSample:
    """A stratified random sample of units (items, or single labels), audited label by label.

    wrong: (L,) whether each audited label is wrong. unit: (L,) the unit it belongs to, 0 to U - 1. stratum: (U,) the
    stratum of each unit, 0 to H - 1. drawn, size: (H,) units drawn from each stratum, and units in it; a unit without
    labels counts as drawn. Raises ValueError if shapes or numbers are inconsistent.
    """

    wrong: NDArray[np.bool_]
    unit: IntArray
    stratum: IntArray
    drawn: IntArray
    size: IntArray

    def __post_init__(self) -> None:
        if self.wrong.shape != self.unit.shape or self.drawn.shape != self.size.shape:
            raise ValueError("wrong and unit, and drawn and size, must have equal shapes")
        if (self.drawn > self.size).any():
            raise ValueError(f"a stratum can't give more units than it has: {self.drawn} of {self.size}")
        if (np.bincount(self.stratum, minlength=len(self.size)) > self.drawn).any():
            raise ValueError("more units are audited than were drawn")

    @property
    def weights(self) -> FloatArray:
        """(L,) the number of labels in the population that each audited one represents: 1 / sampling probability."""
        with np.errstate(divide="ignore", invalid="ignore"):
            of_stratum = self.size / self.drawn
        return of_stratum[self.stratum][self.unit]


def design_share(
    sample: AuditSample, *, among: NDArray[np.bool_] | None = None, confidence: float = 0.95
) -> Share:
    """Return the share of wrong labels in the population, or in the part given by `among`, from a stratified sample.

    The Horvitz-Thompson estimate of the number of wrong labels over that of all labels (a ratio, since a unit's number
    of labels is random too), with the linearized variance of stratified sampling of units without replacement. The
    interval combines Wilson's intervals of the strata, each for the effective number of independent labels, so that a
    stratum without observed errors still contributes its uncertainty, and the variance of the strata's numbers of
    labels, where units have different numbers of them in the part. Its limits are within [0, 1].
    among: (L,) audited labels that belong to the part. Undefined: no audited label is in it (`no_labels`); nothing was
    drawn from a stratum, so that nothing is known about it (`stratum_not_drawn`); a stratum of more than one unit has
    only one drawn unit in it (`single_unit`): value without an interval.
    Sources: Cochran 1977, Sampling Techniques, chapters 5, 6 and 11; Zou, Huang & Zhang 2009, Computational Statistics
    & Data Analysis 53(4), 1080-1085 (MOVER); Yan & Su 2010, Statistics in Biopharmaceutical Research 2(3), 329-335.
    """
    part = np.ones(len(sample.wrong), dtype=bool) if among is None else among
    n = int(part.sum())
    if n == 0:
        return Share(None, None, None, 0, reason="no_labels")
    if ((sample.drawn == 0) & (sample.size > 0)).any():
        return Share(None, None, None, n, reason="stratum_not_drawn")
    weight = sample.weights * part
    of_label = sample.stratum[sample.unit]
    total = np.bincount(of_label, weights=weight, minlength=len(sample.size))
    wrong = np.bincount(of_label, weights=weight * sample.wrong, minlength=len(sample.size))
    value = float(wrong.sum() / total.sum())
    open_ = sample.drawn < sample.size
    if (sample.drawn[open_ & (total > 0)] == 1).any():
        return Share(value, None, None, n, reason="single_unit")
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(total > 0, wrong / total, 0.0)
    # Each stratum around its own share for its interval, and around the common share for the error.
    own = _errors(sample, weight, share)
    independent = np.where(
        own > 0, share * (1 - share) / np.where(own > 0, own, 1.0) ** 2, _independent(sample, weight)
    )
    low, high = wilson_limits(share, independent, confidence=confidence)
    part_of = np.where(open_, total / total.sum(), 0.0)
    error = float(
        np.sqrt(np.nansum((_errors(sample, weight, np.full(len(total), value)) * total) ** 2)) / total.sum()
    )
    # Strata that differ, of sizes that are estimated: variance around the common share beyond that around their own.
    sizes = (
        max(error**2 - float(np.nansum((part_of * own) ** 2)), 0.0) * float(ndtri((1 + confidence) / 2)) ** 2
    )
    below, above = (
        float(np.sqrt(np.nansum((part_of * (limit - share)) ** 2) + sizes)) for limit in (low, high)
    )
    return Share(value, max(value - below, 0.0), min(value + above, 1.0), n, error)


def _errors(sample: AuditSample, weight: FloatArray, share: FloatArray) -> FloatArray:
    """(H,) standard error of each stratum's share around `share`, from the weighted residuals summed by unit.

    Drawn units without labels have a residual of 0; a completely drawn stratum has no error.
    """
    of_label = sample.stratum[sample.unit]
    residual = np.bincount(
        sample.unit, weights=weight * (sample.wrong - share[of_label]), minlength=len(sample.stratum)
    )
    n_strata = len(sample.size)
    total = np.bincount(sample.stratum, weights=residual, minlength=n_strata)
    squares = np.bincount(sample.stratum, weights=residual**2, minlength=n_strata)
    labels = np.bincount(of_label, weights=weight, minlength=n_strata)
    n = np.maximum(sample.drawn, 2)
    left = 1 - np.minimum(n / np.maximum(sample.size, 1), 1.0)
    variance = left * n / (n - 1) * np.maximum(squares - total**2 / n, 0.0)
    return np.sqrt(variance) / np.where(labels > 0, labels, 1.0)


def _independent(sample: AuditSample, weight: FloatArray) -> FloatArray:
    """(H,) effective number of independent units for a share of 0 or 1: Kish's number, for a finite population."""
    n_strata = len(sample.size)
    of_unit = np.bincount(sample.unit, weights=weight, minlength=len(sample.stratum))
    total = np.bincount(sample.stratum, weights=of_unit, minlength=n_strata)
    squares = np.bincount(sample.stratum, weights=of_unit**2, minlength=n_strata)
    left = 1 - np.minimum(sample.drawn / np.maximum(sample.size, 1), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(left * squares > 0, total**2 / (left * squares), np.inf)


def corrected_share(
    share: float, share_error: float, n_different: int, n_twice: int, *, confidence: float = 0.95
) -> Share:
    """Return the share of wrong labels if two equally good auditors both misjudge labels with the same probability e.

    From the share d of twice-audited labels on which they differ: d = 2 e (1 - e), so that e = (1 - sqrt(1 - 2 d)) / 2
    and the corrected share is (share - e) / (1 - 2 e), clipped to [0, 1]. The interval is by the delta method,
    symmetric before clipping. n is the number of labels audited twice. Right for two categories only: with more, an
    auditor who errs about a wrong label does not always find it right.
    Undefined: no label was audited twice (`no_labels`); they differ on half of the labels or more (`auditors_differ`);
    even the upper limit is below 0, as the errors of auditors explain more than all wrong labels (`errors_exceed`).
    Raises ValueError if n_different is not within 0 to n_twice.
    Source: Rogan & Gladen 1978, American Journal of Epidemiology 107(1), 71-76, with equal error rates.
    """
    if not 0 <= n_different <= n_twice:
        raise ValueError(f"labels that differ must be 0 to {n_twice}, got {n_different}")
    if n_twice == 0:
        return Share(None, None, None, 0, reason="no_labels")
    d = n_different / n_twice
    if d >= 0.5:
        return Share(None, None, None, n_twice, reason="auditors_differ")
    root = float(np.sqrt(1 - 2 * d))
    e = (1 - root) / 2
    value = (share - e) / root
    # root = 1 - 2 e; the derivative by e is (2 share - 1) / root^2, and that of e by d is 1 / (2 root).
    of_d = (2 * share - 1) / root**2 / (2 * root)
    error = float(np.hypot(share_error / root, of_d * np.sqrt(d * (1 - d) / n_twice)))
    z = float(ndtri((1 + confidence) / 2))
    if value + z * error < 0:
        return Share(None, None, None, n_twice, reason="errors_exceed")
    low, high = (float(np.clip(value + sign * z * error, 0.0, 1.0)) for sign in (-1, 1))
    return Share(float(np.clip(value, 0.0, 1.0)), low, high, n_twice, error)


def scaled_confusion(
    sample: AuditSample, given: IntArray, audited: IntArray, n_categories: int
) -> FloatArray:
    """(K, K + 1) estimated number of labels in the population by given category (row) and audited category (column).

    audited: (L,) -1 for labels whose right category is unknown, which are in the last column.
    """
    n_columns = n_categories + 1
    columns = np.where(audited < 0, n_categories, audited)
    cells = np.bincount(
        given * n_columns + columns, weights=sample.weights, minlength=n_categories * n_columns
    ).astype(np.float64)
    return cells.reshape(n_categories, n_columns)


def poststratified(cells: FloatArray, sizes: IntArray) -> FloatArray:
    """(K, K + 1) the estimated numbers of `scaled_confusion`, with each row scaled to the known number of its labels.

    sizes: (K,) labels of the population given in each category. Undefined: NaN in rows without any audited label,
    unless no label was given in that category.
    Sources: Card 1982, Photogrammetric Engineering and Remote Sensing 48(3), 431-439; Cochran 1977, section 5A.9.
    """
    total = cells.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = cells / total * sizes[:, None]
    return np.where(sizes[:, None] == 0, 0.0, scaled)
