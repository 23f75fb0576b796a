"""Labels of one question as arrays, wherever they were read from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray, IntArray, Size

IdArray = NDArray[np.int64]
# No round, a label without a version of the guidelines, and "cannot tell" among positions of categories.
NO_ROUND, NO_VERSION, ABSTAINED = 0, -1, -1
COLUMNS = ("items", "raters", "values", "rounds", "versions", "moments")


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumns:
    """(L,) of everything, one row for each label, ordered by item and rater.

    items, raters: ids. values: positions of categories, numbers, or rows of `members`, by the kind of question.
    rounds: ids of rounds, or NO_ROUND. versions: of the guidelines, or NO_VERSION. moments: microseconds since 1970.
    members: (S, K) bool, the sets of a multiple choice.
    """

    items: IdArray
    raters: IdArray
    values: NDArray[Any]
    rounds: IdArray
    versions: IdArray
    moments: IdArray
    members: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.items)

    def of(self, rows: NDArray[Any]) -> "LabelColumns":
        """Some of the labels, in the order that they have here."""
        chosen = {name: getattr(self, name)[rows] for name in COLUMNS}
        return replace(self, **chosen)


def of_raters(labels: LabelColumns, raters: Sequence[int]) -> LabelColumns:
    return labels.of(np.isin(labels.raters, np.array(raters, dtype=np.int64)))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """(L,) labels. values: categories by their places, numbers, or rows of `members`.

    items: ids. members: (S, K) bool, the distinct sets of a multiple choice; (0, K) of other kinds.
    """

    items: IntArray
    raters: IntArray
    values: NDArray[Any]
    members: NDArray[np.bool_]
    times: FloatArray = field(default_factory=lambda: np.empty(0))
    seconds: FloatArray = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.items)

    def at(self, keep: NDArray[Any]) -> "Answers":
        """Some of them, by mask or by position."""
        return Answers(
            self.items[keep],
            self.raters[keep],
            self.values[keep],
            self.members,
            self.times[keep] if len(self.times) else self.times,
            self.seconds[keep] if len(self.seconds) else self.seconds,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some of the labels of a question: the sample that statistics are computed from, and (N,) the ids of its items."""

    sample: Any
    item_ids: IntArray

    @property
    def size(self) -> Size:
        found: Size = self.sample.size
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """(n,) labels: positions of categories or numbers; of sets (n, K) bool, what each holds."""

    values: NDArray[Any]

    def __len__(self) -> int:
        return len(self.values)

    def at(self, keep: NDArray[Any]) -> "Series":
        return Series(self.values[keep])


def is_same(a: Series, b: Series) -> NDArray[np.bool_]:
    """(n,) where two series have the same label."""
    equal: NDArray[np.bool_] = a.values == b.values
    same: NDArray[np.bool_] = np.all(equal, axis=1) if equal.ndim > 1 else equal
    return same


@dataclass(frozen=True, slots=True, eq=False)
class LabelsBeside:
    """own: the first label of each item, with its time. others: the first label of each other rater on those items,
    with how long it took alone.

    first, again: (M,) the rater's labels of a later pass, and beside each that of the first.
    n_abstentions: items of which the rater could not tell.
    """

    own: Answers
    others: Answers
    first: Answers
    again: Answers
    n_abstentions: int

    # For each label of the others the place of its item among the rater's own.
    places: NDArray[np.int64]


class Sampled(Protocol):
    """The labels of one question as the statistics of its kind take them."""

    @property
    def size(self) -> Size: ...

    @property
    def labels_per_rater(self) -> NDArray[np.int64]:
        """(R,)"""

    def of_raters(self, raters: Sequence[int]) -> Self:
        """The labels of some of the raters, by their ascending columns, on the items that one of them labeled."""


S = TypeVar("S", bound=Sampled)


@dataclass(frozen=True, slots=True, eq=False)
class QuestionLabels(Generic[S]):
    """The labels of one question of any kind, from wherever they were read.

    item_ids, rater_ids: ids of the rows and columns of `sample`, ascending; only of those with a label.
    n_abstentions: answers without a label, which are missing data. digest: SHA-256 of all this. order: (N,) the rows as
    their items follow one another, None for as they are. missing: by category or number that is treated as missing,
    the labels that are left out for it; None if none is declared.
    """

    sample: S
    item_ids: IdArray
    rater_ids: IdArray
    n_abstentions: int
    digest: str
    order: IntArray | None = None
    missing: Mapping[str, int] | None = None

    @property
    def n_labels(self) -> int:
        return int(self.sample.labels_per_rater.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Raters:
    """The raters of a question by the columns of its labels.

    keys: of all of them. counted: ascending, the columns of those who count in the figures of all raters.
    n_abstentions: of those who count.
    """

    keys: Sequence[str]
    counted: Sequence[int]
    n_abstentions: int = 0

    @property
    def is_anyone_left_out(self) -> bool:
        return len(self.counted) < len(self.keys)

    @property
    def are_too_few(self) -> bool:
        """Whether there is nobody to compare with among those who count, though there are other raters."""
        return self.is_anyone_left_out and len(self.counted) < 2

    @property
    def counted_keys(self) -> list[str]:
        return [self.keys[column] for column in self.counted]
