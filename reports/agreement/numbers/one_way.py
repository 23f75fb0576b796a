"""One-way intraclass correlations: any raters, who may differ from item to item."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.results import Coefficient, FloatArray, Interval, Reason, Size, Undefined
from reports.agreement.sample import Scale
from reports.agreement.statistic import Statistic

METHOD = "items with two or more labels"
INTERVAL_METHOD = "F"
# A sum of squares below this share of the total is rounding error.
ROUNDING = 1e-24


@dataclass(frozen=True, slots=True, eq=False)
class RatedItems:
    """Items with two or more labels, as `ItemKinds` of a statistic: one kind for each.

    All (U,). means: of an item's numbers; squares: the sums of their squared deviations. far: the rounding error in a
    sum of squares.
    """

    n_labels: NDArray[np.int64]
    means: FloatArray
    squares: FloatArray
    far: float

    @property
    def n_items(self) -> NDArray[np.int64]:
        return np.ones(len(self.means), dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class OneWayMeanSquares:
    """One-way analysis of variance: mean squares between and within items, and k0 labels per item.

    For B samples, (B,) each. With k_i labels on item i, N in all: k0 = (N - sum k_i^2 / N) / (n - 1), which is k where
    every item has k.
    """

    between: FloatArray
    within: FloatArray
    k0: FloatArray


def one_way_correlations(sample: NumberSample, *, confidence: float = 0.95) -> dict[str, Coefficient]:
    """ICC(1,1), icc_1_1, and ICC(1,k), icc_1_k: that of the mean of an item's raters, k0 on average.

    Over the items with two or more labels, by any raters. MSB and MSW between and within items:
    ICC(1,1) = (MSB - MSW) / (MSB + (k0 - 1) MSW), ICC(1,k) = (MSB - MSW) / MSB. Intervals from F distributions, exact
    where each item has k labels; otherwise those of Thomas and Hultquist, from the unweighted means of items.
    Undefined: `no_items`; `no_overlap`, no item with two labels; `n<2`, one such item; `no_variation`, all numbers
    equal; `no_item_variation`, 0 or less in the denominator.
    No interval: `degenerate_se`, a value of 1; `degenerate_margins`, no variation between items, or limits of
    ICC(1,k) that are impossible for a mean.
    Sources: Shrout & Fleiss 1979, Psychological Bulletin 86, 420-428; Donner 1986, International Statistical Review 54,
    67-82, for k0; Thomas & Hultquist 1978, Annals of Statistics 6, 582-587.
    """
    return {name: _coefficient(sample, name, confidence) for name in VALUES}


def one_way_statistics(sample: NumberSample) -> list[Statistic]:
    """Return both as statistics, for intervals other than those from F; raises Undefined like `rated_items`."""
    items = rated_items(sample)
    return [
        Statistic(
            name=name, units=lambda of: items, values=partial(_values, of=value), method=lambda scale: METHOD
        )
        for name, value in VALUES.items()
    ]


def rated_items(sample: NumberSample) -> RatedItems:
    """Return the items with two or more labels; raises Undefined if fewer than two, or all numbers are equal."""
    if not sample.size.n_items:
        raise Undefined(Reason.NO_ITEMS)
    if not sample.pairable_size.n_items:
        raise Undefined(Reason.NO_OVERLAP)
    if sample.pairable_size.n_items < 2:
        raise Undefined(Reason.ONE_ITEM)
    is_rated = sample.labels_per_item >= 2
    values = sample.values[is_rated[sample.items]]
    if (values == values[0]).all():
        raise Undefined(Reason.NO_VARIATION)
    # Correlations do not depend on unit or origin; scaled to about 1, even squares of the largest numbers are finite.
    values = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))
    far = len(values) * (float(np.abs(values).max()) * 4e-16) ** 2
    values = values - values.mean()
    n_labels = sample.labels_per_item[is_rated]
    starts = np.concatenate(([0], np.cumsum(n_labels)[:-1]))
    means = np.add.reduceat(values, starts) / n_labels
    squares = np.add.reduceat((values - np.repeat(means, n_labels)) ** 2, starts)
    return RatedItems(n_labels, means, squares, far)


def mean_squares(items: RatedItems, weights: FloatArray) -> OneWayMeanSquares:
    """Mean squares of B samples with weights[b, i] copies of item i; weights: (B, U). NaN for a sample of one item."""
    k = items.n_labels.astype(np.float64)
    n, total = weights.sum(axis=1), np.einsum("bi,i->b", weights, k)
    mean = np.einsum("bi,i->b", weights, k * items.means) / total
    between = np.einsum("bi,i,bi->b", weights, k, (items.means - mean[:, None]) ** 2)
    within = np.einsum("bi,i->b", weights, items.squares)
    rounding = np.maximum(ROUNDING * (between + within), items.far)
    between, within = (np.where(square > rounding, square, 0) for square in (between, within))
    with np.errstate(invalid="ignore", divide="ignore"):
        k0 = (total - np.einsum("bi,i->b", weights, k**2) / total) / (n - 1)
        return OneWayMeanSquares(between / (n - 1), within / (total - n), k0)


def _of_one(m: OneWayMeanSquares) -> FloatArray:
    return _share(m.between - m.within, m.between + (m.k0 - 1) * m.within)


def _of_mean(m: OneWayMeanSquares) -> FloatArray:
    return _share(m.between - m.within, m.between)


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


VALUES: dict[str, Callable[[OneWayMeanSquares], FloatArray]] = {"icc_1_1": _of_one, "icc_1_k": _of_mean}


def _values(
    items: RatedItems, scale: Scale, weights: FloatArray, *, of: Callable[[OneWayMeanSquares], FloatArray]
) -> FloatArray:
    return of(mean_squares(items, weights))


def _coefficient(sample: NumberSample, name: str, confidence: float) -> Coefficient:
    used = sample.pairable_size
    value = None
    try:
        items = rated_items(sample)
        squares = mean_squares(items, np.ones((1, len(items.means))))
        found = float(VALUES[name](squares)[0])
        if math.isnan(found):
            raise Undefined(Reason.NO_ITEM_VARIATION)
        value = found
        interval = _interval(name, items, squares, value, (1 + confidence) / 2)
    except Undefined as undefined:
        interval = Interval(reason=undefined.reason, method="" if value is None else INTERVAL_METHOD)
    return with_interval(value, interval, sample, used=used, method=METHOD)


def with_interval(
    value: float | None, interval: Interval, sample: NumberSample, *, used: Size, method: str
) -> Coefficient:
    return Coefficient(
        value=value,
        ci_low=interval.low,
        ci_high=interval.high,
        reason=interval.reason,
        used=used,
        left_out=sample.size.without(used),
        method=method,
        interval_method=interval.method,
    )


def _interval(name: str, items: RatedItems, squares: OneWayMeanSquares, value: float, p: float) -> Interval:
    """The interval from F, the variance of items' unweighted means times their harmonic mean of labels, over MSW.

    F divided by 1 + h times the ratio of the variances between and within items has an F distribution, exactly if all
    items have h labels.
    """
    if math.isclose(value, 1, abs_tol=1e-12):
        raise Undefined(Reason.DEGENERATE_SE)
    n, total = len(items.means), int(items.n_labels.sum())
    harmonic = n / float((1 / items.n_labels).sum())
    ratio = harmonic * float(items.means.var(ddof=1)) / float(squares.within[0])
    if squares.between[0] == 0:
        raise Undefined(Reason.DEGENERATE_MARGINS)
    ratios = ratio / float(fdtri(n - 1, total - n, p)), ratio * float(fdtri(total - n, n - 1, p))
    if name == "icc_1_1":
        low, high = ((each - 1) / (each - 1 + harmonic) for each in ratios)
    else:
        # The ratio of the mean squares if items had k0 labels each.
        of_k0 = [1 + float(squares.k0[0]) * (each - 1) / harmonic for each in ratios]
        if min(of_k0) <= 0:
            raise Undefined(Reason.DEGENERATE_MARGINS)
        low, high = (1 - 1 / each for each in of_k0)
    return Interval(low=low, high=high, method=INTERVAL_METHOD)
