"""The result of an audit: how many of the given labels are wrong, by group, and the decision by its plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reports.agreement.audits.estimates import (
    AuditSample,
    Share,
    corrected_share,
    design_share,
    exact_share,
    poststratified,
    scaled_confusion,
)
from reports.agreement.audits.sampling_plans import SamplingPlan
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import REASONS, FloatArray, IntArray
from reports.agreement.weights import Weights, weighting

SEVERITIES = ("critical", "major", "minor")
# Beyond this many categories, the confusion is a list that nobody reads.
MOST_CATEGORIES = 50
# A group of fewer labels in a sample from strata has no interval.
FEWEST = 10


@dataclass(frozen=True, slots=True, eq=False)
class AuditLabels:
    """The drawn labels in the order of the draw.

    wrong: (L,) 1 or 0, and -1 for labels that are not judged yet. unit: (L,) ascending from 0, without gaps. stratum:
    (U,) of each unit. sizes, n_labels: (H,) units and labels of each stratum in the population. severity: (L,) "" if
    none. given, audited: (L,) places in `categories`, -1 for none; empty without categories. given_sizes: (K,) labels
    of the population given in each category, empty if unknown. groups: for each division, (L,) the value of each label.
    group_sizes: labels of the population by division and value, as far as they are known.
    raw: (L,) as `wrong`, by the answer of one auditor before decisions and verdicts; -1 if unknown, empty to leave out
    what follows from it. twice: items that two auditors labeled, and on how many of them they differ.
    """

    wrong: IntArray
    unit: IntArray
    stratum: IntArray
    sizes: IntArray
    n_labels: IntArray
    severity: Sequence[str]
    categories: Sequence[str] = ()
    given: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    audited: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    given_sizes: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    group_sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    raw: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    twice: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class GroupShare:
    """The labels of a group. size: in the population, None if unknown. n_wrong: of the audited ones."""

    value: str
    size: int | None
    n_wrong: int
    share: Share


@dataclass(frozen=True, slots=True)
class SeverityShare:
    severity: str
    n: int
    share: Share


@dataclass(frozen=True, slots=True)
class AuditDecision:
    """accepts: None while undecided. n, n_wrong: labels at the decision or, while undecided, audited so far."""

    accepts: bool | None
    n: int
    n_wrong: int


@dataclass(frozen=True, slots=True)
class AuditKappa:
    """Cohen's kappa of given and audited labels in the population; without limits if strata or units are unequal."""

    value: float | None
    low: float | None
    high: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult:
    """The result for the first `n_units` of the draw, all of whose labels are judged.

    n_audited: labels among them; n_further: judged labels beyond them, which do not count until those before them are
    judged. is_exact: whether the interval of `share` is exact. n_expected: wrong labels in the population, and its
    limits. corrected: the rate by one auditor's answers, before decisions and verdicts, corrected for auditors' errors,
    for two categories only. n_without_severity: wrong labels without one. path: (n_audited,) the number of wrong labels
    so far, after each label. given_sizes: labels of the population given in each category; empty if unknown. confusion:
    estimated labels of the population by given (row) and audited category; None for questions without categories. With
    `confusion_unknown`, those whose right category nobody knows, its rows sum to `given_sizes`; they are None if no
    label of the row is audited. n_unknown: judged labels whose right category is unknown.
    """

    n_population: int
    n_population_units: int
    n_drawn: int
    n_units: int
    n_audited: int
    n_further: int
    n_wrong: int
    share: Share
    is_exact: bool
    n_expected: tuple[float, float | None, float | None] | None
    corrected: Share
    n_twice: int
    n_twice_different: int
    severities: Sequence[SeverityShare]
    n_without_severity: int
    groups: Mapping[str, Sequence[GroupShare]]
    categories: Sequence[str]
    given_sizes: Sequence[int]
    confusion: Sequence[Sequence[float | None]] | None
    confusion_unknown: Sequence[float | None]
    n_unknown: int
    kappa: AuditKappa | None
    decision: AuditDecision | None
    path: Sequence[int]


class ShareOf(Protocol):
    def __call__(
        self, wrong: NDArray[np.bool_], among: NDArray[np.bool_] | None, size: int | None, /
    ) -> Share:
        """Return the share of wrong labels in the part of the population that `among` is in; size: of this part."""


def analyze_audit(
    labels: AuditLabels, *, plan: SamplingPlan | None = None, confidence: float = 0.95
) -> AuditResult:
    """Return the result of the audit so far. plan: of acceptance; None for an estimate.

    Only the longest run of judged units from the beginning of the draw counts: auditors might be slower with difficult
    labels, so that those judged first would not be a random sample, but the beginning of the draw is one.
    """
    n_units = _judged_units(labels)
    is_in = labels.unit < n_units
    wrong = labels.wrong[is_in] == 1
    sample = _sample(labels, n_units, is_in)
    is_exact = len(labels.sizes) == 1 and int(labels.n_labels.sum()) == int(labels.sizes.sum())
    n_population = int(labels.n_labels.sum())

    def share_of(wrong: NDArray[np.bool_], among: NDArray[np.bool_] | None, size: int | None) -> Share:
        part = wrong if among is None else wrong[among]
        if is_exact and size is not None and size >= len(part):
            return exact_share(int(part.sum()), len(part), size=size, confidence=confidence)
        found = design_share(_replaced(sample, wrong), among=among, confidence=confidence)
        if among is not None and found.value is not None and found.n < FEWEST and len(labels.sizes) > 1:
            # Strata without labels of such a small group add nothing to its variance.
            return Share(found.value, None, None, found.n, reason="few_labels")
        return found

    share = share_of(wrong, None, n_population)
    severity = np.array(labels.severity, dtype=object)[is_in]
    severities = SEVERITIES if (severity != "").any() else ()
    cells = _confusion(labels, is_in, sample)
    rows = None if cells is None else _rows(cells, labels.given_sizes)
    return AuditResult(
        n_population=n_population,
        n_population_units=int(labels.sizes.sum()),
        n_drawn=len(labels.wrong),
        n_units=n_units,
        n_audited=int(is_in.sum()),
        n_further=int((labels.wrong[~is_in] >= 0).sum()),
        n_wrong=int(wrong.sum()),
        share=share,
        is_exact=is_exact,
        n_expected=_scaled(share, n_population),
        corrected=_corrected(labels, is_in, share_of, confidence),
        n_twice=labels.twice[0],
        n_twice_different=labels.twice[1],
        severities=[
            SeverityShare(name, int(is_so.sum()), share_of(is_so, None, n_population))
            for name in severities
            for is_so in (wrong & (severity == name),)
        ],
        n_without_severity=int((wrong & (severity == "")).sum()),
        groups={
            by: _groups(
                np.array(values, dtype=object)[is_in], labels.group_sizes.get(by, {}), wrong, share_of
            )
            for by, values in labels.groups.items()
        },
        categories=list(labels.categories),
        given_sizes=labels.given_sizes.tolist(),
        confusion=None if rows is None else [row[:-1] for row in rows],
        confusion_unknown=[] if rows is None else [row[-1] for row in rows],
        n_unknown=0 if cells is None else int((labels.audited[is_in] < 0).sum()),
        # Of the sample alone, like its interval.
        kappa=None if cells is None else _kappa(labels, is_in, cells[:, :-1], is_exact, confidence),
        decision=None if plan is None else decided(plan, wrong),
        path=np.cumsum(wrong).tolist(),
    )


def _judged_units(labels: AuditLabels) -> int:
    """Return the number of units before the first one with a label that is not judged."""
    missing = labels.unit[labels.wrong < 0]
    return int(missing.min()) if len(missing) else len(labels.stratum)


def _sample(labels: AuditLabels, n_units: int, is_in: NDArray[np.bool_]) -> AuditSample:
    drawn = np.bincount(labels.stratum[:n_units], minlength=len(labels.sizes))
    return AuditSample(
        labels.wrong[is_in] == 1, labels.unit[is_in], labels.stratum[:n_units], drawn, labels.sizes
    )


def _replaced(sample: AuditSample, wrong: NDArray[np.bool_]) -> AuditSample:
    return AuditSample(wrong, sample.unit, sample.stratum, sample.drawn, sample.size)


def _scaled(share: Share, n: int) -> tuple[float, float | None, float | None] | None:
    if share.value is None:
        return None
    low, high = (None if limit is None else limit * n for limit in (share.low, share.high))
    return share.value * n, low, high


def _corrected(labels: AuditLabels, is_in: NDArray[np.bool_], share_of: ShareOf, confidence: float) -> Share:
    """Correct the rate by single answers, as decisions and verdicts have corrected the others already."""
    n_twice, n_different = labels.twice
    raw = labels.raw[is_in] if len(labels.raw) else labels.raw
    known = raw >= 0
    if not n_twice or not known.any():
        return Share(None, None, None, n_twice, reason="no_labels")
    if len(labels.categories) != 2:
        # With more of them, an auditor who errs about a wrong label does not always find it right.
        return Share(None, None, None, n_twice, reason="not_two_categories")
    share = share_of(raw == 1, None if known.all() else known, None)
    if share.value is None:
        return Share(None, None, None, n_twice, reason=share.reason)
    # No observed error is not certainty: one wrong and one right label more.
    p = (share.value * share.n + 1) / (share.n + 2)
    error = share.error or float(np.sqrt(p * (1 - p) / share.n))
    return corrected_share(share.value, error, n_different, n_twice, confidence=confidence)


def _groups(
    values: NDArray[np.object_], sizes: Mapping[str, int], wrong: NDArray[np.bool_], share_of: ShareOf
) -> list[GroupShare]:
    order = [*sizes, *sorted(set(values.tolist()) - set(sizes))]
    found = []
    for value in order:
        among = values == value
        size = sizes.get(value)
        found.append(GroupShare(value, size, int(wrong[among].sum()), share_of(wrong, among, size)))
    return found


def _confusion(labels: AuditLabels, is_in: NDArray[np.bool_], sample: AuditSample) -> FloatArray | None:
    if not labels.categories or len(labels.categories) > MOST_CATEGORIES or not len(sample.wrong):
        return None
    given, audited = labels.given[is_in], labels.audited[is_in]
    known = given >= 0
    if not (known & (audited >= 0)).any():
        return None
    part = AuditSample(sample.wrong[known], sample.unit[known], sample.stratum, sample.drawn, sample.size)
    return scaled_confusion(part, given[known], audited[known], len(labels.categories))


def _rows(cells: FloatArray, given_sizes: IntArray) -> list[list[float | None]]:
    """Return the rows that sum to the known numbers of given labels; those of the sample if these are unknown."""
    scaled = poststratified(cells, given_sizes) if len(given_sizes) else cells
    return [[None if np.isnan(cell) else cell for cell in row] for row in scaled.tolist()]


def _kappa(
    labels: AuditLabels, is_in: NDArray[np.bool_], scaled: FloatArray, is_exact: bool, confidence: float
) -> AuditKappa:
    total = float(scaled.sum())
    chance = float((scaled.sum(axis=0) * scaled.sum(axis=1)).sum()) / total**2
    if chance >= 1:
        return AuditKappa(None, None, None, "no_variation")
    value = (float(np.trace(scaled)) / total - chance) / (1 - chance)
    if not is_exact:
        return AuditKappa(value, None, None, "design")
    n = len(labels.categories)
    given, audited = labels.given[is_in], labels.audited[is_in]
    known = (given >= 0) & (audited >= 0)
    table = np.bincount(given[known] * n + audited[known], minlength=n * n).reshape(1, n, n)
    found = cohen_kappa(table, weighting(Weights.UNWEIGHTED, n_categories=n), confidence=confidence)
    low, high = float(found.ci_low[0]), float(found.ci_high[0])
    reason = REASONS[found.reason[0]]
    if np.isnan(low):
        return AuditKappa(value, None, None, str(reason) or "no_interval")
    return AuditKappa(value, low, high)


def decided(plan: SamplingPlan, wrong: NDArray[np.bool_]) -> AuditDecision:
    """Return the decision after the first labels that decide, in the order of the draw.

    wrong: (n,) whether each label audited so far is wrong; those beyond the plan are ignored.
    """
    counts = np.cumsum(wrong)[: plan.n_most]
    ns = np.array([look.n for look in plan.looks])
    n = np.arange(1, len(counts) + 1)
    # The next look that is not over decides when to reject at once; only at a look is accepted.
    look = np.searchsorted(ns, n)
    reject = np.array([each.reject for each in plan.looks])[look]
    accept = np.where(ns[look] == n, np.array([each.accept for each in plan.looks])[look], -1)
    ends = np.flatnonzero((counts >= reject) | (counts <= accept))
    if not len(ends):
        return AuditDecision(None, len(counts), int(counts[-1]) if len(counts) else 0)
    at = int(ends[0])
    return AuditDecision(bool(counts[at] <= accept[at]), at + 1, int(counts[at]))
