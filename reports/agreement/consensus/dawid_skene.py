"""Dawid & Skene's consensus: the most probable category of each item, and each rater's error rates."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.agreement.consensus.item_labels import ItemLabels, LabelSets, label_sets, labels_of
from reports.agreement.results import FloatArray, IntArray, Reason
from reports.agreement.sample import Sample

# Estimation stops when the relative change of the log-likelihood is below this.
TOLERANCE = 1e-10
MOST_ITERATIONS = 5000
# Limit on raters x categories x categories; the numbers must fit into the memory of a small machine.
MOST_CELLS = 1 << 24


# Number of starting points, the first of which has equal votes.
N_STARTS, SEED = 10, 1979
# The amount by which another start's log-likelihood must be higher: less does not distinguish two estimates.
MARGIN = 0.5
# With more labels x categories, only one start is used.
MOST_LABEL_CELLS = 50_000


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DawidSkene:
    """Estimates for K categories, R raters, and n items; all NaN, with a reason, where there are none.

    prevalence: (K,) share of items of each true category. confusion: (R, K, K) how often a rater says l where k is
    true, rows summing to 1; NaN for rows of categories that, by the estimates, the rater did not encounter. posterior:
    (n, K) the probability of each category; NaN for items without a label. log_likelihood: of the labels, with natural
    logarithms. smoothing: the amount added to each count.
    """

    prevalence: FloatArray
    confusion: FloatArray
    posterior: FloatArray
    log_likelihood: float | None = None
    n_iterations: int = 0
    has_converged: bool = False
    smoothing: float = 0.0
    reason: Reason = Reason.NONE

    @property
    def codes(self) -> NDArray[np.int64]:
        """(n,) the most probable category of each item, the first in case of ties; -1 where there is none."""
        is_known = ~np.isnan(self.posterior).any(axis=1)
        return np.where(is_known, np.argmax(self.posterior, axis=1), -1)


@dataclass(frozen=True, slots=True, eq=False)
class EmFit:
    """An estimate, and the maximized log-likelihood, including the priors."""

    estimate: DawidSkene
    objective: float


def dawid_skene(sample: Sample, *, smoothing: float = 0.0) -> DawidSkene:
    """Return Dawid & Skene's estimates from the labels of a question; see `dawid_skene_of_labels`."""
    return dawid_skene_of_labels(labels_of(sample.ratings), smoothing=smoothing)


def dawid_skene_of_labels(labels: ItemLabels, *, smoothing: float = 0.0) -> DawidSkene:
    """Return Dawid & Skene's estimates by the EM algorithm, from labels with any number per rater and item.

    n_gil is how often rater g says l on item i. E step: T_ij ~ p_j prod_gl pi_gjl^n_gil; M step: p_j = mean_i T_ij,
    pi_gjl = sum_i T_ij n_gil / sum_l sum_i T_ij n_gil. It starts with T = shares of the labels and stops when the
    log-likelihood of the labels changes by less than 1e-10 of itself. This is a local maximum; up to 50,000 labels x
    categories, nine more starts with random rater weights, from a fixed seed, are tried, and the first of the best
    is used if its log-likelihood is higher by more than .5: smaller differences are negligible, and the published
    estimates are those of the first start. smoothing: added to each count of the M step, as under a Dirichlet prior
    with parameters 1 + smoothing; the maximized function, and the stopping rule, then include the prior.
    Undefined: no labels (`no_items`); no item with two (`no_overlap`); too many raters x categories (`too_large`).
    Raises ValueError if smoothing is negative.
    Source: Dawid & Skene 1979, Applied Statistics 28, 20-28.
    """
    if smoothing < 0:
        raise ValueError(f"smoothing must be 0 or more, got {smoothing:g}")
    sets = label_sets(labels)
    if reason := _why_undefined(labels, sets):
        return _undefined(labels, smoothing, reason)
    return _estimated(labels, sets, smoothing)


def _why_undefined(labels: ItemLabels, sets: LabelSets) -> Reason:
    if not len(sets.starts):
        return Reason.NO_ITEMS
    if (sets.n_labels < 2).all():
        return Reason.NO_OVERLAP
    if labels.n_raters * labels.n_categories**2 > MOST_CELLS:
        return Reason.TOO_LARGE
    return Reason.NONE


def _undefined(labels: ItemLabels, smoothing: float, reason: Reason) -> DawidSkene:
    k = labels.n_categories
    # One row represents all raters: there may be too many for a table of each.
    nothing = np.broadcast_to(np.nan, (labels.n_raters, k, k))
    return DawidSkene(
        prevalence=np.full(k, np.nan),
        confusion=nothing,
        posterior=np.full((labels.n_items, k), np.nan),
        smoothing=smoothing,
        reason=reason,
    )


def _estimated(labels: ItemLabels, sets: LabelSets, smoothing: float) -> DawidSkene:
    """Return the best estimate of several starts: that from the vote shares unless another is better by a margin."""
    starts = [_vote_shares(sets, labels.n_categories)]
    if len(sets.codes) * labels.n_categories <= MOST_LABEL_CELLS:
        starts += _other_starts(sets, labels)
    best, *others = _from_starts(labels, sets, smoothing, np.stack(starts))
    for found in others:
        if found.objective > best.objective + MARGIN:
            best = found
    return best.estimate


def _other_starts(sets: LabelSets, labels: ItemLabels) -> Iterator[FloatArray]:
    """Yield (U, K) vote shares with random numbers of votes per rater, always the same ones.

    Categories keep their identity: from a start unrelated to the votes, they could come out permuted.
    """
    random = np.random.default_rng(SEED)
    for _ in range(N_STARTS - 1):
        # Some raters count almost nothing, some several times.
        n_votes = random.gamma(0.5, size=labels.n_raters) + 1e-3
        yield _vote_shares(sets, labels.n_categories, n_votes)


def _from_starts(labels: ItemLabels, sets: LabelSets, smoothing: float, posterior: FloatArray) -> list[EmFit]:
    """Return the estimate from each of S starts (S, U, K): ten of them together take hardly longer than one."""
    steps = EmSteps.of(labels, sets, smoothing, n_starts=len(posterior))
    found: dict[int, EmFit] = {}
    left, objective, n_iterations = np.arange(len(posterior)), np.full(len(posterior), -np.inf), 0
    while len(left):
        n_iterations += 1
        prevalence, confusion = steps.maximized(posterior)
        posterior, log_likelihood = steps.expected(prevalence, confusion)
        before, objective = objective, log_likelihood + steps.log_prior(prevalence, confusion)
        has_converged = np.abs(objective - before) <= TOLERANCE * np.abs(objective)
        ends = has_converged | (n_iterations >= MOST_ITERATIONS)
        for place in np.flatnonzero(ends):
            estimate = DawidSkene(
                prevalence=prevalence[place],
                confusion=_shares(confusion[place]),
                posterior=np.where(sets.kinds[:, None] >= 0, posterior[place][sets.kinds], np.nan),
                log_likelihood=float(log_likelihood[place]),
                n_iterations=n_iterations,
                has_converged=bool(has_converged[place]),
                smoothing=smoothing,
            )
            found[left[place]] = EmFit(estimate, float(objective[place]))
        left, posterior, objective = left[~ends], posterior[~ends], objective[~ends]
    return [found[place] for place in range(len(found))]


def _shares(confusion: FloatArray) -> FloatArray:
    """Return rows that sum to exactly 1; NaN in rows about which nothing is known."""
    with np.errstate(invalid="ignore"):
        return confusion / confusion.sum(axis=2, keepdims=True)


def _vote_shares(sets: LabelSets, n_categories: int, n_votes: FloatArray | None = None) -> FloatArray:
    """Return (U, K) the share of each category in the votes on each kind of item.

    n_votes: (R,) votes per rater; one each if None.
    """
    owners = np.repeat(np.arange(len(sets.starts)), sets.n_labels)
    of_labels = None if n_votes is None else n_votes[sets.raters]
    cells = owners * n_categories + sets.codes
    votes = np.bincount(cells, weights=of_labels, minlength=len(sets.starts) * n_categories)
    votes = votes.reshape(-1, n_categories).astype(np.float64)
    return votes / votes.sum(axis=1, keepdims=True)


@dataclass(frozen=True, slots=True, eq=False)
class EmSteps:
    """The two steps of the EM algorithm, for the labels of one question and any number of starts at once.

    cells: (M,) rater and category of each label, as one number. bins: (S, M, K) the position at which a label counts in
    a start, given its item's true category. n_labels: (U,) number in each set. n_cells: raters x categories.
    """

    sets: LabelSets
    n_labels: NDArray[np.int64]
    cells: IntArray
    bins: IntArray
    n_cells: int
    n_categories: int
    smoothing: float

    @classmethod
    def of(cls, labels: ItemLabels, sets: LabelSets, smoothing: float, *, n_starts: int) -> "EmSteps":
        k, n_cells = labels.n_categories, labels.n_raters * labels.n_categories
        cells = sets.raters * k + sets.codes
        of_starts = np.arange(n_starts)[:, None] * n_cells + cells
        bins = of_starts[:, :, None] * k + np.arange(k)
        return cls(sets, sets.n_labels, cells, bins, n_cells, k, smoothing)

    def maximized(self, posterior: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The M step: prevalence (S, K) and confusion (S, R, K, K), all 0 in rows about which nothing is known."""
        n_starts, k = len(posterior), self.n_categories
        expected = posterior * self.sets.n_items[:, None]
        prevalence = expected.sum(axis=1) + self.smoothing
        of_labels = np.repeat(expected, self.n_labels, axis=1)
        n_bins = n_starts * self.n_cells * k
        by_label = np.bincount(self.bins[:n_starts].ravel(), weights=of_labels.ravel(), minlength=n_bins)
        # The axis of raters' choices precedes that of true categories, and must become the last.
        counts = by_label.reshape(n_starts, -1, k, k).transpose(0, 1, 3, 2) + self.smoothing
        totals = counts.sum(axis=3, keepdims=True)
        confusion = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
        return prevalence / prevalence.sum(axis=1, keepdims=True), confusion

    def expected(self, prevalence: FloatArray, confusion: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The E step: posterior (S, U, K) and the log-likelihood of the labels (S,)."""
        with np.errstate(divide="ignore"):
            by_cell = np.log(confusion).transpose(0, 1, 3, 2).reshape(len(confusion), self.n_cells, -1)
            of_sets = np.add.reduceat(by_cell.take(self.cells, axis=1), self.sets.starts, axis=1)
            joint = of_sets + np.log(prevalence)[:, None]
        largest = joint.max(axis=2, keepdims=True)
        shares = np.exp(joint - largest)
        totals = shares.sum(axis=2, keepdims=True)
        log_likelihoods = np.log(totals[:, :, 0]) + largest[:, :, 0]
        return shares / totals, (log_likelihoods * self.sets.n_items).sum(axis=1)

    def log_prior(self, prevalence: FloatArray, confusion: FloatArray) -> FloatArray:
        """The logarithm of the Dirichlet priors (S,), up to a constant."""
        if self.smoothing == 0:
            return np.zeros(len(prevalence))
        return self.smoothing * (np.log(prevalence).sum(axis=1) + np.log(confusion).sum(axis=(1, 2, 3)))
