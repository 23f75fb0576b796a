"""One rater beside the consensus of the others on a question of any kind, and two series of one rater's answers."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.own.others import others_mean, others_sets, others_shares, others_vote
from reports.agreement.results import FloatArray, IntArray, Reason
from reports.agreement.sets.distances import BitSets
from reports.agreement.sets.members import SetSample
from reports.analysis.kinds.figures import Figures, OfPair, number_pair_figures, set_pair_figures
from reports.analysis.labels import Answers, LabelsBeside
from reports.analysis.options import IntervalMethod
from reports.analysis.pairs import pair_statistics
from reports.analysis.question import Kind, Scope

# Cells of a table of counts that is told in full.
MAX_SHOWN_CELLS = 40_000


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """(n,) answers: places of categories or numbers; of sets (n, K) bool, what each holds."""

    values: NDArray[Any]

    def __len__(self) -> int:
        return len(self.values)

    def at(self, keep: NDArray[Any]) -> "Series":
        return Series(self.values[keep])


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """The rater's labels with the consensus of the others on the same items, one entry for each item.

    is_known: (n,) whether the others have a consensus. is_tied: they have labels and none. n_others: their labels.
    """

    items: IntArray
    own: Series
    others: Series
    is_known: NDArray[np.bool_]
    is_tied: NDArray[np.bool_]
    n_others: NDArray[np.int64]
    times: FloatArray
    seconds: FloatArray

    @property
    def is_same(self) -> NDArray[np.bool_]:
        """(n,) where both are known and the same."""
        found: NDArray[np.bool_] = self.is_known & is_same(self.own, self.others)
        return found

    @property
    def scores(self) -> FloatArray:
        """(n,) how far the rater's label is like the consensus: 1 or 0; of sets |A n B| / |A u B|; of numbers how much
        higher the rater's is.
        """
        own, others = self.own.values, self.others.values
        if own.ndim > 1:
            places = np.arange(len(own))
            return BitSets.of(np.concatenate((own, others))).jaccard(places, len(own) + places)
        return own - others if own.dtype.kind == "f" else self.is_same.astype(np.float64)


def series_of(scope: Scope, answers: Answers) -> Series:
    if scope.kind != Kind.MULTIPLE:
        return Series(answers.values)
    if not len(answers):
        return Series(np.zeros((0, len(scope.category_ids)), dtype=bool))
    return Series(answers.members[answers.values])


def is_same(a: Series, b: Series) -> NDArray[np.bool_]:
    """(n,) where two series have the same answer."""
    equal: NDArray[np.bool_] = a.values == b.values
    same: NDArray[np.bool_] = np.all(equal, axis=1) if equal.ndim > 1 else equal
    return same


def beside_of(scope: Scope, labels: LabelsBeside) -> Beside:
    own, others, places = labels.own, labels.others, labels.places
    n, n_others = len(own), np.bincount(places, minlength=len(own))
    is_tied = np.zeros(n, dtype=bool)
    match Kind(scope.kind):
        case Kind.NUMBER:
            consensus: NDArray[Any] = others_mean(places, others.values, n_items=n)
            is_known = n_others > 0
        case Kind.MULTIPLE:
            consensus = others_sets(others_shares(places, series_of(scope, others).values, n_items=n))
            is_known = n_others > 0
        case _:
            vote = others_vote(places, others.values, n_items=n, n_categories=len(scope.category_ids))
            consensus, is_tied, is_known = vote.codes, vote.is_tied, vote.codes >= 0
    return Beside(
        own.items,
        series_of(scope, own),
        Series(consensus),
        is_known,
        is_tied,
        n_others,
        own.times,
        own.seconds,
    )


def compared(scope: Scope, a: Series, b: Series) -> dict[str, Any]:
    """Two answers to each of n questions against each other: every statistic of two raters, as JSON.

    counts: of single choice, the table with rows a, unless it is large.
    """
    if not len(a):
        return {
            "n": 0,
            "values": {},
            "categories": {},
            "tests": {},
            "counts": None,
            "reason": str(Reason.NO_OVERLAP),
        }
    found = _of_categories(scope, a, b) if scope.kind == Kind.SINGLE else _of_others(scope, a, b)
    return {"n": len(a), **found, "reason": ""}


def _of_categories(scope: Scope, a: Series, b: Series) -> dict[str, Any]:
    [counts] = tables_of(a.values, b.values, np.zeros(len(a), dtype=np.int64), 1, len(scope.category_ids))
    plain = replace(scope.options, interval=IntervalMethod.ANALYTIC)
    found = pair_statistics(counts[None], scope.scale, plain).flat(0)
    return found | {"counts": counts.tolist() if counts.size <= MAX_SHOWN_CELLS else None}


def _of_others(scope: Scope, a: Series, b: Series) -> dict[str, Any]:
    figures = pair_figures(scope, [a, b], [np.arange(len(a))] * 2)[0].figures
    return by_kind(figures) | {"tests": {}, "counts": None}


def by_kind(figures: Figures) -> dict[str, Any]:
    """The stored figures of a pair of numbers or sets: those of all categories, and of each."""
    return {
        "values": {name: each for name, each in figures.items() if not isinstance(each, list)},
        "categories": {name: each for name, each in figures.items() if isinstance(each, list)},
    }


def tables_of(
    a: NDArray[Any], b: NDArray[Any], groups: IntArray, n_groups: int, n_categories: int
) -> NDArray[np.int64]:
    """(G, K, K) for each group the table of counts of two series of categories, rows a."""
    cells = (groups * n_categories + a) * n_categories + b
    counts = np.bincount(cells, minlength=n_groups * n_categories**2)
    return counts.reshape(n_groups, n_categories, n_categories)


def pair_figures(scope: Scope, series: list[Series], items: list[IntArray]) -> list[OfPair]:
    """The figures of the first of several raters with each other one; numbers and sets.

    items: for each of the series which items it is of.
    """
    raters = np.repeat(np.arange(len(series)), [len(each) for each in series])
    values = np.concatenate([each.values for each in series])
    where = np.concatenate(items)
    confidence = scope.options.confidence
    if scope.kind == Kind.NUMBER:
        n_items = int(where.max(initial=-1)) + 1
        sample = NumberSample.from_labels(where, raters, values, n_items=n_items, n_raters=len(series))
        pairs = number_pair_figures(sample, confidence=confidence)
    else:
        pairs = set_pair_figures(SetSample.from_labels(where, raters, values), confidence=confidence)
    found = []
    for pair in pairs:
        # Pairs come in the order of the first of the two.
        if pair.rater_a:
            break
        found.append(pair)
    return found


def turned(figures: Figures) -> Figures:
    """The figures of a pair seen from the other rater."""
    names = {
        "mean_a": "mean_b",
        "mean_b": "mean_a",
        "bland_altman_lower": "bland_altman_upper",
        "bland_altman_upper": "bland_altman_lower",
    }
    return {
        names.get(name, name): _negated(each) if name in NEGATED else each for name, each in figures.items()
    }


NEGATED = ("bland_altman_bias", "bland_altman_lower", "bland_altman_upper")


def _negated(found: Figures) -> Figures:
    low, high = found["ci_high"], found["ci_low"]
    value = found["value"]
    return found | {
        "value": None if value is None else -value,
        "ci_low": None if low is None else -low,
        "ci_high": None if high is None else -high,
    }
