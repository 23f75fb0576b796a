"""Moments of two raters' numbers on the same items: means, squares, and products, for all pairs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.shared_items import LabelsByRater, SharedLabels
from reports.agreement.results import FloatArray
from reports.agreement.weights import far_exponent, times_power

# A root mean square below this share of the underlying numbers is rounding error.
ROUNDING = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class NumberPairs:
    """Pairs of raters x and y who share an item, each once; all fields (P,).

    rater_a, rater_b: positions of x and y, rater_a < rater_b. n: items that both labeled; all else is over these.
    mean_a, mean_b: means. square_a, square_b: mean (x - mean)^2, and the same for y; product: mean (x - mean)(y -
    mean). difference: mean x - y. difference_square: mean (x - y - difference)^2. Pure rounding error is set to 0.
    exponent: int64; squares and products are of numbers / 2^exponent, which is nonzero only where they would exceed the
    range of floats.
    """

    rater_a: NDArray[np.int64]
    rater_b: NDArray[np.int64]
    n: NDArray[np.int64]
    mean_a: FloatArray
    mean_b: FloatArray
    square_a: FloatArray
    square_b: FloatArray
    product: FloatArray
    difference: FloatArray
    difference_square: FloatArray
    exponent: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.n)

    @property
    def correlation(self) -> FloatArray:
        """(P,) Pearson's r; NaN where one of the raters always gave the same number."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.clip(self.product / np.sqrt(self.square_a) / np.sqrt(self.square_b), -1, 1)


def number_pairs(sample: NumberSample) -> Iterator[NumberPairs]:
    """Yield all pairs that share an item, in blocks of one rater_a and many rater_b, in ascending order."""
    of = number_pairs_of(sample)
    return chain.from_iterable(map(of, range(sample.n_raters - 1)))


def number_pairs_of(sample: NumberSample) -> Callable[[int], Iterator[NumberPairs]]:
    """Return a function that yields the pairs of a rater with later ones."""
    by_rater = LabelsByRater(sample.items, sample.raters, n_items=sample.n_items, n_raters=sample.n_raters)
    exponent = far_exponent(sample.values)
    values = times_power(sample.values, -exponent)
    return lambda rater: (_pairs(shared, values, exponent) for shared in by_rater.shared(rater))


def all_number_pairs(sample: NumberSample) -> NumberPairs:
    """Return all blocks as one."""
    blocks = list(number_pairs(sample))
    names = [field.name for field in fields(NumberPairs)]
    if not blocks:
        none = np.empty(0, dtype=np.int64)
        nothing = dict.fromkeys(names[3:-1], np.empty(0))
        return NumberPairs(none, none, none, exponent=none, **nothing)
    return NumberPairs(*(np.concatenate([getattr(block, name) for block in blocks]) for name in names))


def _pairs(shared: SharedLabels, values: FloatArray, exponent: int) -> NumberPairs:
    n = shared.n.astype(np.float64)
    pairs = shared.pairs
    x, y = values[shared.first], values[shared.second]
    mean_a, mean_b, difference = (shared.sums(of) / n for of in (x, y, x - y))
    gap_a, gap_b = x - mean_a[pairs], y - mean_b[pairs]
    square_a, square_b = shared.sums(gap_a**2) / n, shared.sums(gap_b**2) / n
    scale = np.maximum(np.abs(mean_a), np.abs(mean_b)) + np.sqrt(square_a + square_b)
    square_a, square_b = (_variation(square, scale) for square in (square_a, square_b))
    product = shared.sums(gap_a * gap_b) / n
    is_rounding = np.abs(product) <= ROUNDING * np.maximum(
        np.sqrt(square_a) * np.sqrt(square_b), ROUNDING * scale**2
    )
    return NumberPairs(
        rater_a=np.full(len(n), shared.rater_a),
        rater_b=shared.rater_b,
        n=shared.n,
        mean_a=times_power(mean_a, exponent),
        mean_b=times_power(mean_b, exponent),
        square_a=square_a,
        square_b=square_b,
        product=np.where(is_rounding | (square_a == 0) | (square_b == 0), 0, product),
        difference=times_power(difference, exponent),
        difference_square=_variation(shared.sums((x - y - difference[pairs]) ** 2) / n, scale),
        exponent=np.full(len(n), exponent),
    )


def _variation(squares: FloatArray, scale: FloatArray) -> FloatArray:
    return np.where(squares <= (ROUNDING * scale) ** 2, 0, squares)
