"""The consensus of a question's raters: the majority, and Dawid & Skene's estimates with all error rates."""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from reports.agreement.consensus.dawid_skene import DawidSkene, dawid_skene
from reports.agreement.consensus.majority import MajorityConsensus as Votes
from reports.agreement.consensus.majority import majority_vote
from reports.agreement.results import FloatArray, Reason, number
from reports.agreement.sample import Sample
from reports.analysis.results import (
    Consensus,
    ItemConsensus,
    LatentClassEstimates,
    MajorityVote,
    NotComputable,
    RaterErrors,
)

# Limit on labels x categories; beyond it the estimation takes too long for a report.
MAX_LABEL_CELLS = 10_000_000
# Limit on raters x categories x categories that are stored with a report.
MAX_STORED_CELLS = 40_000


def consensus_of(sample: Sample, raters: Sequence[str], *, smoothing: float = 0.0) -> Consensus:
    """raters: their names in the order of the columns of the ratings. smoothing: for Dawid & Skene's estimates."""
    vote = majority_vote(sample)
    estimate = _dawid_skene(sample, raters, vote, smoothing)
    return Consensus(majority_vote=_majority(vote, sample), dawid_skene=estimate)


def consensus_of_items(
    sample: Sample, items: Sequence[str], categories: Sequence[str], *, smoothing: float = 0.0
) -> list[ItemConsensus]:
    """items, categories: their names in the order of the rows and codes of the ratings."""
    vote = majority_vote(sample)
    is_estimated = sample.ratings.n_labels * sample.ratings.n_categories <= MAX_LABEL_CELLS
    found = dawid_skene(sample, smoothing=smoothing) if is_estimated else None
    codes = np.full(len(items), -1) if found is None else found.codes
    chances = np.full(len(items), np.nan) if found is None else found.posterior.max(axis=1, initial=-np.inf)
    return [
        ItemConsensus(
            item=item,
            n_labels=n_labels,
            majority=None if majority < 0 else categories[majority],
            estimate=None if code < 0 else categories[code],
            probability=number(chance) if code >= 0 else None,
        )
        for item, n_labels, majority, code, chance in zip(
            items, vote.n_labels.tolist(), vote.codes.tolist(), codes.tolist(), chances.tolist(), strict=True
        )
    ]


def _majority(vote: Votes, sample: Sample) -> MajorityVote:
    k = sample.ratings.n_categories
    decided = np.bincount(vote.codes[vote.codes >= 0], minlength=k)
    return MajorityVote(
        **asdict(sample.size),
        n_decided=int(decided.sum()),
        n_tied=int(vote.is_tied.sum()),
        items=tuple(decided.tolist()),
        reason=Reason.NONE if sample.size.n_items else Reason.NO_ITEMS,
    )


def _dawid_skene(
    sample: Sample, raters: Sequence[str], vote: Votes, smoothing: float
) -> LatentClassEstimates | NotComputable:
    ratings = sample.ratings
    if ratings.n_labels * ratings.n_categories > MAX_LABEL_CELLS:
        return NotComputable(reason=Reason.TOO_LARGE)
    found = dawid_skene(sample, smoothing=smoothing)
    if found.reason:
        return NotComputable(reason=found.reason)
    codes = found.codes
    differs = (vote.codes >= 0) & (codes >= 0) & (vote.codes != codes)
    return LatentClassEstimates(
        **asdict(sample.size),
        prevalence=_numbers(found.prevalence),
        items=tuple(np.bincount(codes[codes >= 0], minlength=ratings.n_categories).tolist()),
        n_unlike_majority=int(differs.sum()),
        log_likelihood=found.log_likelihood,
        n_iterations=found.n_iterations,
        has_converged=found.has_converged,
        smoothing=found.smoothing,
        raters=_raters(found, raters),
    )


def _raters(found: DawidSkene, raters: Sequence[str]) -> tuple[RaterErrors, ...]:
    """Return each rater's estimated accuracy, and their confusion matrix unless there are too many."""
    right = np.einsum("rkk->rk", found.confusion)
    # Nothing is known about a category that a rater never encountered.
    weights = np.where(np.isnan(right), 0, found.prevalence)
    with np.errstate(invalid="ignore"):
        shares = (np.nan_to_num(right) * weights).sum(axis=1) / weights.sum(axis=1)
    is_stored = found.confusion.size <= MAX_STORED_CELLS
    return tuple(
        RaterErrors(
            rater=name,
            share_right=number(share),
            confusion=tuple(_numbers(row) for row in table) if is_stored else None,
        )
        for name, share, table in zip(raters, shares, found.confusion, strict=True)
    )


def _numbers(values: FloatArray) -> tuple[float | None, ...]:
    return tuple(number(value) for value in values)
