"""Draws of items with replacement, and intervals from the values on such draws."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from reports.agreement.blockwise import State
from reports.agreement.intervals.replicates import ReplicatedEstimates, blocks, reasons, without
from reports.agreement.results import REASONS, FloatArray, Reason

# Drawing the number of items of one kind takes as long as drawing this many items.
ITEMS_PER_KIND = 13
# Replicates this close to the value are equal to it up to rounding.
EQUAL = 1e-12


class BootstrapMethod(StrEnum):
    PERCENTILE = "percentile"
    BCA = "bca"


def two_streams(seed: int) -> list[np.random.SeedSequence]:
    """Return the seeds of two independent streams."""
    return np.random.SeedSequence(seed).spawn(2)


def item_weights(
    n_items: NDArray[np.int64], *, seed: int | np.random.SeedSequence, n_replicates: int
) -> Iterator[FloatArray]:
    """Yield how often each kind of item is drawn, (b, U) integers, in blocks of b replicates.

    n_items: (U,), the number of items of each kind; N items are drawn with replacement, so the numbers of a replicate
    are multinomial with probabilities n_items / N. They are drawn as such if there are few kinds, and item by item if
    there are nearly as many kinds as items.
    """
    draws = ItemDraws(n_items, seed)
    for rows in blocks(n_replicates, width=len(n_items)):
        yield draws.weights(rows.stop - rows.start)


class ItemDraws:
    """One stream of draws of items, as for `item_weights`."""

    def __init__(self, n_items: NDArray[np.int64], seed: int | np.random.SeedSequence) -> None:
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._total, self._shares = int(n_items.sum()), n_items / n_items.sum()
        by_item = len(n_items) * ITEMS_PER_KIND > self._total
        self._kinds = np.repeat(np.arange(len(n_items)), n_items) if by_item else None
        # Half the bits need half the random numbers.
        self._type = np.uint32 if self._total < 1 << 32 else np.uint64

    def weights(self, size: int) -> FloatArray:
        """Return the next replicates, (size, U)."""
        if self._kinds is None:
            return self._random.multinomial(self._total, self._shares, size=size).astype(np.float64)
        weights = np.empty((size, len(self._shares)))
        for replicate in weights:
            replicate[:] = np.bincount(self._kinds[self._drawn()], minlength=len(replicate))
        return weights

    def states(self, slices: Sequence[slice], starts: Sequence[int]) -> list[State]:
        """Return the state of the stream before some of these blocks. starts: ascending."""
        found: list[State] = []
        for place, rows in enumerate(slices[: starts[-1] + 1]):
            if place == starts[len(found)]:
                found.append(self._random.bit_generator.state)
            self._skip(rows.stop - rows.start)
        return found

    def resume(self, state: State) -> None:
        if state is not None:
            self._random.bit_generator.state = state

    def _skip(self, size: int) -> None:
        if self._kinds is None:
            self._random.multinomial(self._total, self._shares, size=size)
            return
        for _ in range(size):
            self._drawn()

    def _drawn(self) -> NDArray[np.unsignedinteger]:
        return self._random.integers(0, self._total, self._total, dtype=self._type)


def bootstrap_limits(
    value: FloatArray,
    replicates: FloatArray,
    *,
    n: NDArray[np.int64] | int,
    acceleration: FloatArray | None = None,
    confidence: float = 0.95,
) -> ReplicatedEstimates:
    """Standard errors and intervals of P values from their bootstrap replicates.

    value: (P,). replicates: (P, B), NaN where undefined. n: (P,) or one number, items that the values are based on.
    The error is the standard deviation of the replicates. The percentile interval is between their quantiles at
    (1 - confidence) / 2 and (1 + confidence) / 2. With an acceleration a, (P,), the interval is BCa: between their
    quantiles at Phi(z0 + (z0 + z) / (1 - a (z0 + z))), z the normal quantiles of the percentile interval and Phi(z0)
    the share of replicates below the value, with those equal to it counted half.
    No interval: an undefined value; one item (`n<2`); more than 5 % of the replicates undefined
    (`too_many_undefined`), while fewer are counted and left out; identical replicates, `degenerate_se` with
    error 0 in full agreement, else `degenerate_margins`; BCa for a value that lies outside its replicates, or has no
    acceleration (`outside_replicates`).
    Source: Efron & Tibshirani 1993, An Introduction to the Bootstrap, chapters 13 (percentile) and 14 (BCa).
    """
    n_items = np.broadcast_to(np.asarray(n, dtype=np.int64), value.shape)
    n_replicates = np.full(len(value), replicates.shape[1])
    is_defined = ~np.isnan(replicates)
    n_defined = is_defined.sum(axis=1)
    mean_square = _mean_square(replicates, is_defined, n_defined)
    reason = reasons(
        value, n_items, mean_square, n_replicates=n_replicates, n_undefined=n_replicates - n_defined
    )
    levels = np.broadcast_to([(1 - confidence) / 2, (1 + confidence) / 2], (len(value), 2))
    if acceleration is not None:
        levels = _bca_levels(value, replicates, n_defined, acceleration, levels)
        is_outside = (reason == 0) & np.isnan(levels).any(axis=1)
        reason = np.where(is_outside, REASONS.index(Reason.OUTSIDE_REPLICATES), reason).astype(np.uint8)
    limits = np.where((reason == 0)[:, None], _quantiles(replicates, n_defined, levels), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        se = np.sqrt(mean_square * n_defined / (n_defined - 1))
    return ReplicatedEstimates(
        value=value,
        se=without(reason, se),
        ci_low=limits[:, 0],
        ci_high=limits[:, 1],
        n=n_items,
        reason=reason,
        method=f"{BootstrapMethod.PERCENTILE if acceleration is None else BootstrapMethod.BCA} bootstrap",
        n_replicates=n_replicates,
        n_undefined=n_replicates - n_defined,
    )


def _mean_square(
    replicates: FloatArray, is_defined: NDArray[np.bool_], n_defined: NDArray[np.int64]
) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(is_defined, replicates, 0).sum(axis=1) / n_defined
        return (np.where(is_defined, replicates - mean[:, None], 0) ** 2).sum(axis=1) / n_defined


def _bca_levels(
    value: FloatArray,
    replicates: FloatArray,
    n_defined: NDArray[np.int64],
    acceleration: FloatArray,
    levels: FloatArray,
) -> FloatArray:
    """(P, 2) the levels of the quantiles; NaN where undefined."""
    differences = replicates - value[:, None]
    is_equal = np.abs(differences) <= EQUAL
    n_below = ((differences < 0) & ~is_equal).sum(axis=1) + is_equal.sum(axis=1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        bias = ndtri(n_below / n_defined)[:, None]
        shifted = bias + ndtri(levels)
        room = 1 - acceleration[:, None] * shifted
        found = ndtr(bias + shifted / room)
    return np.where(np.isfinite(bias) & (room > 0), found, np.nan)


def _quantiles(replicates: FloatArray, n_defined: NDArray[np.int64], levels: FloatArray) -> FloatArray:
    """(P, L) quantiles of the defined replicates, linear between neighbors; levels: (P, L)."""
    ordered = np.sort(replicates, axis=1)
    places = np.nan_to_num(levels) * np.maximum(n_defined - 1, 0)[:, None]
    below = np.floor(places).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(n_defined - 1, 0)[:, None])
    low = np.take_along_axis(ordered, below, axis=1)
    high = np.take_along_axis(ordered, above, axis=1)
    return low + (high - low) * (places - below)
