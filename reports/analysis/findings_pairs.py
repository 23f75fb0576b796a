"""Pairs of raters that are searched for findings: mistakes, and limits set by the margins."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass

import numpy as np

from reports.agreement.pair_counts import PairCounts
from reports.agreement.pairs.cohen import kappa_null_se
from reports.agreement.pairs.homogeneity import stuart_maxwell
from reports.agreement.results import FloatArray, IntArray, PairKappas
from reports.agreement.weights import Weighting
from reports.analysis.pair_blocks import Arrays
from reports.analysis.results import Finding, FindingKind, LowPair, PairCheckResults
from reports.analysis.results.raters import SIGNIFICANT
from reports.analysis.suspicious_pairs import LEAST_ITEMS, OFFSETS

# With fewer shared items, large-sample tests give too many false positives.
LEAST_SHARED = 20
# With more categories, there are too many margins to test in every pair.
MAX_CATEGORIES = 20


@dataclass(frozen=True, slots=True)
class LimitedPair:
    """Two raters, by their columns, whose margins keep them from reaching the criterion."""

    rater_a: int
    rater_b: int
    n: int
    kappa: float
    kappa_max: float
    p_value: float


class PairFindings:
    """Findings from all pairs together, independent of the order of the blocks.

    n_pairs: pairs with enough items to be checked. n_margins: pairs whose margins are tested.
    """

    def __init__(self, counted: Sequence[int], n_raters: int, *, criterion: float) -> None:
        self._counts = np.zeros(n_raters, dtype=bool)
        self._counts[list(counted)] = True
        self._criterion = criterion
        self.n_pairs, self.n_margins = 0, 0
        self.limited: list[LimitedPair] = []

    def add(self, counts: PairCounts, kappas: PairKappas) -> None:
        is_enough = counts.n >= LEAST_ITEMS
        self.n_pairs += int(np.count_nonzero(is_enough))
        if counts.tables.shape[1] > MAX_CATEGORIES:
            return
        of_counted = self._counts[counts.rater_a] & self._counts[counts.rater_b] & (counts.n >= LEAST_SHARED)
        self.n_margins += int(np.count_nonzero(of_counted))
        # Comparisons with NaN are False.
        places = np.flatnonzero(of_counted & (kappas.kappa_max < self._criterion))
        if not len(places):
            return
        tests = stuart_maxwell(counts.tables[places])
        for place, p_value in zip(places.tolist(), tests.p_value.tolist(), strict=True):
            if p_value < SIGNIFICANT:
                found = (int(counts.rater_a[place]), int(counts.rater_b[place]), int(counts.n[place]))
                values = float(kappas.kappa[place]), float(kappas.kappa_max[place])
                self.limited.append(LimitedPair(*found, *values, p_value))

    @property
    def arrays(self) -> Arrays:
        """What `merge` adds to the findings of other blocks."""
        limited = np.array([astuple(pair) for pair in self.limited], dtype=np.float64).reshape(-1, 6)
        return {
            "n_checked": np.array(self.n_pairs),
            "n_margins": np.array(self.n_margins),
            "limited": limited,
        }

    def merge(self, found: Arrays) -> None:
        self.n_pairs += int(found["n_checked"])
        self.n_margins += int(found["n_margins"])
        for a, b, n, *values in found["limited"].tolist():
            self.limited.append(LimitedPair(int(a), int(b), int(n), *values))

    @property
    def n_tests(self) -> int:
        # Each pair may be below chance, swapped, or shifted.
        return 3 * self.n_pairs + self.n_margins


def below_chance(
    checks: PairCheckResults, tables: dict[tuple[str, str], IntArray], plain: Weighting
) -> Iterator[Finding]:
    """Yield pairs with a kappa below 0. tables: confusion matrices of the pairs, by their raters."""
    for pair in checks.low:
        se = _null_se(tables[pair.rater_a, pair.rater_b], plain)
        if pair.kappa < 0 and se > 0 and pair.n_items >= LEAST_SHARED:
            yield Finding(
                kind=str(FindingKind.BELOW),
                raters=(pair.rater_a, pair.rater_b),
                p_value=upper_tail(-pair.kappa / se),
                n_items=pair.n_items,
                kappa=pair.kappa,
            )


def swapped_p(pair: LowPair, table: IntArray, plain: Weighting) -> float:
    """Return the p-value of kappa with renamed categories, corrected for taking the best of all renamings."""
    if pair.relabelled is None or pair.relabelled.kappa is None:
        return 1.0
    renamed = table[:, list(pair.relabelled.categories)]
    return _of_several(pair.relabelled.kappa, _null_se(renamed, plain), math.factorial(min(len(table), 20)))


def shifted_p(pair: LowPair, table: IntArray, plain: Weighting) -> float:
    """Return the p-value of kappa with shifted labels, corrected for taking the best of the offsets tried."""
    if pair.shifted is None:
        return 1.0
    # With fewer items than both labeled, the error is larger by the square root of the ratio.
    se = _null_se(table, plain) * math.sqrt(pair.n_items / pair.shifted.n_items)
    return _of_several(pair.shifted.kappa, se, len(OFFSETS))


def _null_se(table: IntArray, plain: Weighting) -> float:
    found: FloatArray = kappa_null_se(table[None], plain)
    return float(np.nan_to_num(found[0]))


def _of_several(kappa: float, se: float, n: int) -> float:
    return min(1.0, n * upper_tail(kappa / se)) if se > 0 else 1.0


def upper_tail(z: float) -> float:
    """Return the probability that a standard normal variable exceeds z."""
    return math.erfc(z / math.sqrt(2)) / 2
