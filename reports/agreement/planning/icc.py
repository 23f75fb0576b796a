"""Items needed for a given interval of an intraclass correlation."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from scipy.special import chdtri, fdtr, fdtri

from reports.agreement.numbers.icc import TwoWayMeanSquares, absolute_limits
from reports.agreement.planning.checked import critical_z, inside, power_z
from reports.agreement.planning.items_needed import MAX_ITEMS, ItemsNeeded, whole
from reports.agreement.results import FloatArray

METHOD = "expected F interval of the ICC"
POWER_METHOD = "F interval of the ICC"
# Quantiles of the F ratio over which the expected width is averaged.
N_QUANTILES = 400
# Quantiles of the mean squares of raters, error, and items, in all combinations.
GRID = (24, 12, 64)
MAX_RATERS = 1000


class IccForm(StrEnum):
    """ICC(1,1), ICC(C,1), ICC(A,1)."""

    ONE_WAY = "one_way"
    CONSISTENCY = "consistency"
    ABSOLUTE = "absolute"


@dataclass(frozen=True, slots=True, kw_only=True)
class IccStudy:
    """Single ratings of items by raters, and their expected correlation.

    icc: in (0, 1). rater_share: for absolute agreement, the share of the variance between the means of raters;
    the rest, 1 - icc - rater_share, is error.
    Raises ValueError for an icc outside (0, 1), fewer than 2 raters, and shares that leave no error.
    """

    icc: float
    n_raters: int
    form: IccForm = IccForm.ONE_WAY
    rater_share: float = 0.0
    confidence: float = 0.95

    def __post_init__(self) -> None:
        inside(self.icc, "ICC", low=0, high=1)
        if not 2 <= self.n_raters <= MAX_RATERS:
            raise ValueError(f"there must be 2 to {MAX_RATERS:,} raters, got {self.n_raters}")
        inside(self.confidence, "confidence", low=0, high=1)
        if self.form is IccForm.ABSOLUTE and not 0 <= self.rater_share < 1 - self.icc:
            raise ValueError(
                "the share of variance between raters must be from 0 to below 1 minus the expected value, "
                f"got {self.rater_share:g}"
            )

    def limits(self, n_items: int) -> tuple[FloatArray, FloatArray]:
        """The limits of the interval in equally likely studies of n_items items; NaN where there is none.

        For ICC(1,1) and ICC(C,1): the ratio of mean squares is 1 + k r / (1 - r) times an F variable with n - 1 and
        n (k - 1) degrees of freedom (consistency: (n - 1)(k - 1)); the limits are (F_L - 1) / (F_L + k - 1), where
        F_L is the ratio divided by the F quantile. For ICC(A,1): the mean squares of items, raters, and error are their
        expectations times independent chi-squared variables over their degrees of freedom.
        """
        if self.form is IccForm.ABSOLUTE:
            return absolute_limits(self._mean_squares(n_items), (1 + self.confidence) / 2)
        k, (between, within) = self.n_raters, self._degrees(n_items)
        tail = (1 + self.confidence) / 2
        ratios = self._ratio(self.icc) * fdtri(between, within, _middles(N_QUANTILES))
        low, high = ratios / fdtri(between, within, tail), ratios * fdtri(within, between, tail)
        return (low - 1) / (low + k - 1), (high - 1) / (high + k - 1)

    def half_width(self, n_items: int) -> float:
        """Half the mean width of the interval."""
        low, high = self.limits(n_items)
        return float(np.nanmean(high - low)) / 2

    def power(self, n_items: int, null: float) -> float:
        """The share of studies whose interval lies above null."""
        if self.form is IccForm.ABSOLUTE:
            # The limit increases with the mean square of items: where it crosses null between two quantiles gives the
            # probability.
            lows = np.nan_to_num(self.limits(n_items)[0], nan=-1).reshape(-1, GRID[-1])
            return 1 - float(np.mean([np.interp(null, low, _middles(GRID[-1])) for low in lows]))
        between, within = self._degrees(n_items)
        critical = self._ratio(null) * fdtri(between, within, (1 + self.confidence) / 2)
        return 1 - float(fdtr(between, within, critical / self._ratio(self.icc)))

    def _ratio(self, icc: float) -> float:
        """The ratio of the expected mean squares between and within items."""
        return 1 + self.n_raters * icc / (1 - icc)

    def _degrees(self, n: int) -> tuple[int, int]:
        return n - 1, (n - 1 if self.form is IccForm.CONSISTENCY else n) * (self.n_raters - 1)

    def _mean_squares(self, n: int) -> TwoWayMeanSquares:
        k, error = self.n_raters, 1 - self.icc - self.rater_share
        expected = (error + n * self.rater_share, error, error + k * self.icc)
        degrees = (k - 1, (n - 1) * (k - 1), n - 1)
        drawn = [
            mean * chdtri(df, 1 - _middles(size)) / df
            for mean, df, size in zip(expected, degrees, GRID, strict=True)
        ]
        columns, errors, rows = (each.ravel() for each in np.meshgrid(*drawn, indexing="ij"))
        return TwoWayMeanSquares(np.full(len(rows), float(n)), k, rows, columns, errors)


def items_for_icc_width(study: IccStudy, *, half_width: float) -> ItemsNeeded:
    """Items for which the expected width of the ICC's interval is 2 half_width.

    Found by bisection on the mean width over studies, starting from the large-sample formula n = 8 z^2 (1 - r)^2
    (1 + (k - 1) r)^2 / (k (k - 1) (2 half_width)^2) + 1, which by itself gives too few items where fewer than about 30
    are needed, and ignores differences between raters.
    Raises ValueError for a half width outside (0, 1), and one that these raters cannot reach with any number of items.
    Sources: McGraw & Wong 1996, Psychological Methods 1, 30 (the intervals); Bonett 2002 (the formula).
    """
    inside(half_width, "half width", low=0, high=1)
    z, k, r = critical_z(study.confidence, n_sides=2), study.n_raters, study.icc
    start = 8 * (z * (1 - r) * (1 + (k - 1) * r)) ** 2 / (k * (k - 1) * (2 * half_width) ** 2) + 1

    def is_enough(of: IccStudy, n: int) -> bool:
        return of.half_width(n) <= half_width

    n = _least_items(study, is_enough, whole(start))
    return ItemsNeeded(n_items=n, reached=study.half_width(n), method=METHOD)


def items_for_icc_power(study: IccStudy, *, null: float, power: float = 0.8) -> ItemsNeeded:
    """Items for which a share `power` of studies has an interval above null.

    Starting from the large-sample formula n = 1 + 2 (z_alpha + z_beta)^2 k / ((k - 1) (ln C)^2) with
    C = (1 + k null / (1 - null)) / (1 + k r / (1 - r)).
    Raises ValueError for a null outside [0, icc), and a power that these raters cannot reach with any number of items.
    Sources: Donner & Eliasziw 1987, Statistics in Medicine 6, 441; Walter, Eliasziw & Donner 1998, Statistics in
    Medicine 17, 101 (the formula); McGraw & Wong 1996, Psychological Methods 1, 30 (the intervals).
    """
    z, k = critical_z(study.confidence, n_sides=2) + power_z(power), study.n_raters
    if not 0 <= null < study.icc:
        raise ValueError(
            f"the lower value must be from 0 to below the expected value, got {null:g} for {study.icc:g}"
        )
    ratio = (1 + k * null / (1 - null)) / (1 + k * study.icc / (1 - study.icc))
    start = 1 + 2 * z**2 * k / ((k - 1) * math.log(ratio) ** 2)

    def is_enough(of: IccStudy, n: int) -> bool:
        return of.power(n, null) >= power

    n = _least_items(study, is_enough, whole(start))
    return ItemsNeeded(n_items=n, reached=study.power(n, null), method=POWER_METHOD)


Enough = Callable[[IccStudy, int], bool]


def _least_items(study: IccStudy, is_enough: Enough, start: int) -> int:
    """Search by bisection; raises ValueError, with the number of raters needed, if these raters cannot reach it."""
    if study.form is IccForm.ABSOLUTE and not is_enough(study, MAX_ITEMS):
        raise ValueError(_more_raters(study, is_enough))
    low, high = 1, start
    while not is_enough(study, high):
        low, high = high, whole(2 * high)
    return _first(lambda n: is_enough(study, n), low, high)


def _more_raters(study: IccStudy, is_enough: Enough) -> str:
    """Return the number of raters needed, in words: the means of few raters stay uncertain with any number of items."""
    these = f"no number of items is enough with {study.n_raters} raters"

    def can(n_raters: int) -> bool:
        return is_enough(replace(study, n_raters=n_raters), MAX_ITEMS)

    if not can(MAX_RATERS):
        return f"{these}, nor with {MAX_RATERS:,}, who differ like this"
    least = _first(can, study.n_raters, MAX_RATERS)
    return f"{these} who differ like this; at least {least:,} raters are needed"


def _first(is_enough: Callable[[int], bool], low: int, high: int) -> int:
    """Return the smallest number that is enough, above `low`, which is not, and up to `high`, which is."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _middles(size: int) -> FloatArray:
    """Return the probabilities at the midpoints of this many equal parts."""
    return (np.arange(size) + 0.5) / size
