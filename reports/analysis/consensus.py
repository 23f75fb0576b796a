"""The consensus of a question's raters as JSON: the majority, and Dawid & Skene's estimates with all errors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reports.agreement.consensus.dawid_skene import DawidSkene, dawid_skene
from reports.agreement.consensus.majority import MajorityVote, majority_vote
from reports.agreement.results import FloatArray, Reason, number
from reports.agreement.sample import Sample

# Labels x categories beyond which the estimation takes longer than a report may.
MAX_LABEL_CELLS = 10_000_000
# Raters x categories x categories that are stored with a report.
MAX_STORED_CELLS = 40_000


def consensus_of(sample: Sample, raters: Sequence[str], *, smoothing: float = 0.0) -> dict[str, Any]:
    """raters: their names in the order of the columns of the ratings. smoothing: of Dawid & Skene's estimates."""
    vote = majority_vote(sample)
    estimate = _dawid_skene(sample, raters, vote, smoothing)
    return {"majority_vote": _majority(vote, sample), "dawid_skene": estimate}


def consensus_of_items(
    sample: Sample, items: Sequence[str], categories: Sequence[str], *, smoothing: float = 0.0
) -> list[dict[str, Any]]:
    """For each item the category of the majority, None for a tie, and that of Dawid & Skene with its probability.

    items, categories: their names in the order of the rows and codes of the ratings.
    """
    vote = majority_vote(sample)
    is_estimated = sample.ratings.n_labels * sample.ratings.n_categories <= MAX_LABEL_CELLS
    found = dawid_skene(sample, smoothing=smoothing) if is_estimated else None
    codes = np.full(len(items), -1) if found is None else found.codes
    chances = np.full(len(items), np.nan) if found is None else found.posterior.max(axis=1, initial=-np.inf)
    return [
        {
            "item": item,
            "n_labels": n_labels,
            "majority": None if majority < 0 else categories[majority],
            "estimate": None if code < 0 else categories[code],
            "probability": number(chance) if code >= 0 else None,
        }
        for item, n_labels, majority, code, chance in zip(
            items, vote.n_labels.tolist(), vote.codes.tolist(), codes.tolist(), chances.tolist(), strict=True
        )
    ]


def _majority(vote: MajorityVote, sample: Sample) -> dict[str, Any]:
    k = sample.ratings.n_categories
    decided = np.bincount(vote.codes[vote.codes >= 0], minlength=k)
    return {
        "n_items": sample.size.n_items,
        "n_raters": sample.size.n_raters,
        "n_labels": sample.size.n_labels,
        "n_decided": int(decided.sum()),
        "n_tied": int(vote.is_tied.sum()),
        "items": decided.tolist(),
        "reason": "" if sample.size.n_items else str(Reason.NO_ITEMS),
    }


def _dawid_skene(
    sample: Sample, raters: Sequence[str], vote: MajorityVote, smoothing: float
) -> dict[str, Any]:
    ratings = sample.ratings
    if ratings.n_labels * ratings.n_categories > MAX_LABEL_CELLS:
        return {"reason": str(Reason.TOO_LARGE)}
    found = dawid_skene(sample, smoothing=smoothing)
    if found.reason:
        return {"reason": str(found.reason)}
    codes = found.codes
    differs = (vote.codes >= 0) & (codes >= 0) & (vote.codes != codes)
    return {
        "n_items": sample.size.n_items,
        "n_raters": sample.size.n_raters,
        "n_labels": sample.size.n_labels,
        "prevalence": _numbers(found.prevalence),
        "items": np.bincount(codes[codes >= 0], minlength=ratings.n_categories).tolist(),
        "n_unlike_majority": int(differs.sum()),
        "log_likelihood": found.log_likelihood,
        "n_iterations": found.n_iterations,
        "has_converged": found.has_converged,
        "smoothing": found.smoothing,
        "raters": _raters(found, raters),
        "reason": "",
    }


def _raters(found: DawidSkene, raters: Sequence[str]) -> list[dict[str, Any]]:
    """For each rater how often they are estimated to be right, and their table of errors unless there are too many."""
    right = np.einsum("rkk->rk", found.confusion)
    # Of a category that a rater never met nothing is known.
    weights = np.where(np.isnan(right), 0, found.prevalence)
    with np.errstate(invalid="ignore"):
        shares = (np.nan_to_num(right) * weights).sum(axis=1) / weights.sum(axis=1)
    tables: list[Any] = [None] * len(raters)
    if found.confusion.size <= MAX_STORED_CELLS:
        tables = [[_numbers(row) for row in table] for table in found.confusion]
    return [
        {"rater": name, "share_right": number(share), "confusion": table}
        for name, share, table in zip(raters, shares, tables, strict=True)
    ]


def _numbers(values: FloatArray) -> list[float | None]:
    return [number(value) for value in values]
