"""The alternative-annotator test: whether a model may replace a person."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from reports.agreement.intervals.benjamini_yekutieli import rejected_by_rate
from reports.agreement.intervals.replicates import ReplicatedEstimates
from reports.agreement.intervals.resampling import bootstrap_limits
from reports.agreement.models.label_similarity import Similarity
from reports.agreement.models.resampled_units import UnitWeights
from reports.agreement.models.signed_ranks import signed_rank_below
from reports.agreement.results import FloatArray, IntArray

# The minimum number of people on an item, including the person who is compared with the others.
MIN_PEOPLE = 2
# A person with fewer than MIN_ITEMS items is not tested; with fewer than T_ITEMS, the test is Wilcoxon's.
MIN_ITEMS = T_ITEMS = 30
# A model that wins against at least this share of people may replace a person.
PASSES = 0.5
RATE = 0.05
STEP = 0.005
# From 0 to 1: a model that is always closer has an advantage of 1.
EPSILONS: FloatArray = np.round(np.arange(0, 1 + STEP / 2, STEP), 3)
# Scores with a smaller relative difference are tied.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LabelComparisons:
    """(L,) labels of people, each with the closeness of it and the model's label to the other people's labels.

    items: positions. people: columns. own, model: scores, higher is closer. beats: int8, -1 where only the model wins,
    1 where only the person does, 0 for ties. n_items: number of items, with or without a contest.
    """

    items: IntArray
    people: IntArray
    own: FloatArray
    model: FloatArray
    beats: NDArray[np.int8]
    n_items: int

    def __len__(self) -> int:
        return len(self.items)


def contests(
    likeness: Similarity,
    items: IntArray,
    people: IntArray,
    values: NDArray[Any],
    model: NDArray[Any],
    *,
    min_people: int = MIN_PEOPLE,
) -> LabelComparisons:
    """Compare each person's label and the model's with the labels of the other people on the item.

    items, people, values: (L,) the people's labels, ordered by item; items: positions 0..N-1. model: (N,) the model's
    label of every item. Items with fewer than min_people labels are left out: with two labels, both are compared with
    the label of a single other person.
    Raises ValueError if min_people is below 2.
    Source: Calderon, Reichart & Dror 2025, The Alternative Annotator Test (ACL), section 3.
    """
    if min_people < MIN_PEOPLE:
        raise ValueError(f"min_people must be at least 2, got {min_people}")
    n_labels = np.bincount(items, minlength=len(model))
    keep = n_labels[items] >= min_people
    items, people, values = items[keep], people[keep], values[keep]
    others = np.maximum(n_labels[items] - 1, 1)
    own = (likeness.totals(items, values, items, values) - likeness.similarity(values, values)) / others
    theirs = model[items]
    mean = (likeness.totals(items, values, items, theirs) - likeness.similarity(theirs, values)) / others
    tied = np.abs(own - mean) <= ROUNDING * np.maximum(np.abs(own), np.abs(mean))
    beats = np.where(tied, 0, np.sign(own - mean)).astype(np.int8)
    return LabelComparisons(items, people, likeness.score(own), likeness.score(mean), beats, len(model))


@dataclass(frozen=True, slots=True, eq=False)
class AlternativeTest:
    """The model against m people with enough items, by ascending columns, (m,) each.

    n: items. own, model: mean scores. own_wins, model_wins: share of items on which the person, or the model, is at
    least as close to the others; counts: (m, 3) items on which the model alone, neither, or the person alone is closer.
    p_values: (E, m) at each of EPSILONS; rejected: (E, m). winning: (E,) the share of people whose hypothesis is
    rejected, ω. advantage: the mean of model_wins, ρ, NaN without people.
    too_few: columns of people with contests on too few items; too_few_n: (…,) their numbers of items.
    """

    people: IntArray
    n: IntArray
    own: FloatArray
    model: FloatArray
    own_wins: FloatArray
    model_wins: FloatArray
    counts: IntArray
    p_values: FloatArray
    rejected: NDArray[np.bool_]
    winning: FloatArray
    advantage: float
    too_few: IntArray
    too_few_n: IntArray

    def at(self, epsilon: float) -> int:
        """Return the position of a value of ε in EPSILONS. Raises ValueError if it is not among them."""
        place = int(np.argmin(np.abs(EPSILONS - epsilon)))
        if abs(EPSILONS[place] - epsilon) > ROUNDING:
            raise ValueError(f"epsilon must be a multiple of {STEP} from 0 to 1, got {epsilon}")
        return place

    @property
    def smallest(self) -> float | None:
        """The smallest of EPSILONS at which the model passes; None if it never does."""
        passing = np.flatnonzero(self.winning >= PASSES)
        return float(EPSILONS[passing[0]]) if len(passing) else None

    @property
    def difference(self) -> FloatArray:
        """(m,) the mean of own wins minus model wins, which is tested against ε."""
        found: FloatArray = (self.counts[:, 2] - self.counts[:, 0]) / self.n
        return found


def alternative_test(
    found: LabelComparisons, *, min_items: int = MIN_ITEMS, rate: float = RATE
) -> AlternativeTest:
    """For each person with enough items, test H0: the person's wins minus the model's are ε or more on average.

    With d = 1[person at least as close] - 1[model at least as close], in {-1, 0, 1}: the one-sided t test of mean d
    against ε or, below 30 items, the exact Wilcoxon signed-rank test of d - ε. A constant d is rejected (p = 0) if it
    is below ε, and otherwise not (p = 1). Rejections are by Benjamini and Yekutieli at this rate over the people;
    ω is the share of people with a rejection, and the model passes if ω >= .5. ρ does not depend on ε.
    Undefined: ω and ρ are NaN if nobody has min_items items.
    Raises ValueError if min_items is below 2.
    Source: Calderon, Reichart & Dror 2025, The Alternative Annotator Test (ACL); their limits are 30 items a person.
    """
    if min_items < 2:
        raise ValueError(f"min_items must be at least 2, got {min_items}")
    every = np.unique(found.people)
    places = np.searchsorted(every, found.people)
    n_all = np.bincount(places, minlength=len(every))
    is_tested = n_all >= min_items
    counts = np.bincount(places * 3 + found.beats + 1, minlength=3 * len(every)).reshape(-1, 3)[is_tested]
    n = n_all[is_tested]

    def means(values: FloatArray) -> FloatArray:
        return np.bincount(places, weights=values, minlength=len(every))[is_tested] / n

    p_values = p_values_of(counts, EPSILONS)
    rejected = rejected_by_rate(p_values, rate=rate)
    with np.errstate(invalid="ignore"):
        winning = rejected.sum(axis=1) / np.float64(len(n))
    model_wins = (n - counts[:, 2]) / n
    return AlternativeTest(
        people=every[is_tested],
        n=n,
        own=means(found.own),
        model=means(found.model),
        own_wins=(n - counts[:, 0]) / n,
        model_wins=model_wins,
        counts=counts,
        p_values=p_values,
        rejected=rejected,
        winning=winning,
        advantage=float(model_wins.mean()) if len(n) else np.nan,
        too_few=every[~is_tested],
        too_few_n=n_all[~is_tested],
    )


def p_values_of(counts: IntArray, epsilons: FloatArray) -> FloatArray:
    """(E, m) one-sided p-values of mean d >= ε. counts: (m, 3) items with d = -1, 0, and 1."""
    n = counts.sum(axis=1)
    mean = (counts[:, 2] - counts[:, 0]) / n
    squares = counts[:, 0] + counts[:, 2] - n * mean**2
    is_constant = counts.max(axis=1, initial=0) == n
    gaps = mean - epsilons[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        t = gaps / np.sqrt(squares / (n - 1) / n)
        found = np.where(is_constant, (gaps >= 0).astype(np.float64), stdtr(n - 1.0, t))
    for place in np.flatnonzero((n < T_ITEMS) & ~is_constant).tolist():
        d = np.repeat([-1.0, 0.0, 1.0], counts[place])
        found[:, place] = [signed_rank_below(d - epsilon) for epsilon in epsilons]
    return np.asarray(found)


def advantage_replicates(found: LabelComparisons, people: IntArray, weights: UnitWeights) -> FloatArray:
    """(B,) ρ on resamples of items; NaN where one of the people has no item.

    people: (m,) ascending columns of those who are tested. The interval is our addition: the paper has none.
    """
    tested = np.isin(found.people, people)
    places = np.searchsorted(people, found.people[tested])
    cells = weights.unit_of[found.items[tested]] * len(people) + places
    size = weights.n_units * len(people)
    is_won = (found.beats[tested] <= 0).astype(np.float64)
    wins, n = (
        np.bincount(cells, weights=each, minlength=size).astype(np.float64)
        for each in (is_won, np.ones(len(cells)))
    )
    shape = (weights.n_units, len(people))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = weights.sums(wins.reshape(shape)) / weights.sums(n.reshape(shape))
    return np.asarray(share.mean(axis=1) if len(people) else np.full(len(share), np.nan))


def advantage_interval(
    test: AlternativeTest, replicates: FloatArray, *, n_items: int, confidence: float = 0.95
) -> ReplicatedEstimates:
    """(1,) ρ with its percentile interval, if there is one."""
    return bootstrap_limits(np.array([test.advantage]), replicates[None, :], n=n_items, confidence=confidence)
