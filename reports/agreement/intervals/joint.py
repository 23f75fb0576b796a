"""Two samples matched by item, so that shared items can be drawn, or left out, together."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reports.agreement.distinct import distinct_rows
from reports.agreement.patterns import ItemPatterns
from reports.agreement.profiles import ItemProfiles
from reports.agreement.ratings import Ratings, to_dense
from reports.agreement.results import FloatArray
from reports.agreement.sample import Sample
from reports.agreement.statistic import ItemKinds, Statistic


@dataclass(frozen=True, slots=True, eq=False)
class SampleKinds:
    """Kinds of items of one sample, and their positions among the joint kinds.

    statistic: computed from these units. units: U kinds. kinds: (J,) positions of the joint kinds in them, -1 where
    the sample has no such item.
    """

    statistic: Statistic
    units: Any
    kinds: NDArray[np.int64]

    def of_items(self, values: FloatArray) -> FloatArray:
        """Return (J,) from values by kind of item, (U,); NaN where there is no label."""
        return np.where(self.kinds >= 0, np.append(values, np.nan)[self.kinds], np.nan)

    def weights(self, drawn: FloatArray) -> FloatArray:
        """(B, U) how often each kind is drawn, from draws of joint kinds, (B, J); integers, so exact in any order."""
        found = np.zeros((len(drawn), len(self.units.n_items)))
        here = np.flatnonzero(self.kinds >= 0)
        order = here[np.argsort(self.kinds[here], kind="stable")]
        ordered = self.kinds[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        found[:, ordered[starts]] = np.add.reduceat(drawn[:, order], starts, axis=1)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class JointKinds:
    """Kinds of items by their labels in both samples; n_items: (J,) int64."""

    first: SampleKinds
    second: SampleKinds
    n_items: NDArray[np.int64]

    @property
    def is_shared(self) -> NDArray[np.bool_]:
        """(J,) kinds of items on which both samples have labels."""
        return (self.first.kinds >= 0) & (self.second.kinds >= 0)


def join(
    statistic: Statistic,
    first: Sample,
    second: Sample,
    *,
    first_items: ArrayLike | None = None,
    second_items: ArrayLike | None = None,
) -> JointKinds:
    """Return the joint kinds of the items of both samples, as distinguished by the statistic.

    first_items, second_items: (N,), identities of the items of each sample's rows; equal ones are shared. None for
    both: no item is shared.
    Raises ValueError if there are not as many as rows; TypeError for a statistic that is computed from neither patterns
    nor profiles of items.
    """
    ids = _ids(first, second, first_items, second_items)
    n_all = 1 + max((int(some.max(initial=-1)) for some in ids), default=-1)
    halves, kinds = [], []
    for sample, places in zip((first, second), ids, strict=True):
        units, kinds_of_rows = units_of_rows(statistic, sample)
        of_all = np.full(n_all, -1, dtype=np.int64)
        of_all[places] = kinds_of_rows
        halves.append(units)
        kinds.append(of_all)
    # Both kinds of an item encoded as one number; 0 for no label in either.
    width = len(halves[1].n_items) + 1
    both, n_items = np.unique((kinds[0] + 1) * width + kinds[1] + 1, return_counts=True)
    both, n_items = both[both > 0], n_items[both > 0].astype(np.int64)
    of_both = both // width - 1, both % width - 1
    first_half, second_half = (SampleKinds(statistic, *each) for each in zip(halves, of_both, strict=True))
    return JointKinds(first_half, second_half, n_items)


def join_items(
    statistics: tuple[Statistic, Statistic],
    units: tuple[ItemKinds, ItemKinds],
    items: tuple[ArrayLike, ArrayLike],
) -> JointKinds:
    """Like `join`, for two statistics with one kind for each item, such as `LabeledItems`.

    units: what each is computed from. items: (U,), identities of the items of each; equal ones are shared.
    """
    everyone = np.unique(np.concatenate([np.asarray(some) for some in items]))
    halves = []
    for statistic, of_statistic, some in zip(statistics, units, items, strict=True):
        kinds = np.full(len(everyone), -1, dtype=np.int64)
        kinds[np.searchsorted(everyone, np.asarray(some))] = np.arange(len(of_statistic.n_items))
        halves.append(SampleKinds(statistic, of_statistic, kinds))
    return JointKinds(halves[0], halves[1], np.ones(len(everyone), dtype=np.int64))


def _ids(
    first: Sample, second: Sample, first_items: ArrayLike | None, second_items: ArrayLike | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the positions of the rows of both samples among all of their items."""
    n_first, n_second = first.ratings.n_items, second.ratings.n_items
    if first_items is None or second_items is None:
        return np.arange(n_first), np.arange(n_first, n_first + n_second)
    given = np.asarray(first_items), np.asarray(second_items)
    for some, n_rows in zip(given, (n_first, n_second), strict=True):
        if some.shape != (n_rows,) or len(np.unique(some)) != n_rows:
            raise ValueError(f"items must be {n_rows} different ones, got {len(np.unique(some))}")
    positions = np.unique(np.concatenate(given), return_inverse=True)[1].astype(np.int64)
    return positions[:n_first], positions[n_first:]


def units_of_rows(statistic: Statistic, sample: Sample) -> tuple[Any, NDArray[np.int64]]:
    """Return kinds of items, and (N,) the kind of each row, -1 for rows that the statistic leaves out."""
    units = statistic.units(sample)
    if isinstance(units, ItemPatterns):
        kinds, rows = units.counts, _counts(sample.ratings)
    elif isinstance(units, ItemProfiles):
        kinds, rows = units.codes, to_dense(sample.ratings).codes
    else:
        raise TypeError(f"{statistic.name} does not tell how its items can be matched")
    _, which, _ = distinct_rows(np.concatenate([kinds, rows.astype(kinds.dtype)]))
    found = np.full(which.max(initial=-1) + 1, -1, dtype=np.int64)
    found[which[: len(kinds)]] = np.arange(len(kinds))
    return units, found[which[len(kinds) :]]


def _counts(ratings: Ratings) -> NDArray[np.unsignedinteger]:
    """(N, K) the number of raters who put each item in each category."""
    found = np.zeros((ratings.n_items, ratings.n_categories), dtype=np.uint32)
    layout = ratings.layout
    for keys in ratings.packed_blocks():
        if len(keys):
            np.add.at(found, (layout.items(keys), layout.codes(keys)), 1)
    return found
