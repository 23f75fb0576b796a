"""Labels of one question as arrays, independent of their source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from reports.agreement.results import FloatArray, IntArray, Size

IdArray = NDArray[np.int64]
# No round, no version of the guidelines, and "cannot tell" among category positions.
NO_ROUND, NO_VERSION, ABSTAINED = 0, -1, -1
COLUMNS = ("items", "raters", "values", "rounds", "versions", "moments")


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumns:
    """Columns of shape (L,), one row for each label, ordered by item and rater.

    items, raters: IDs. values: positions of categories, numbers, or rows of `members`, by the kind of question.
    rounds: IDs of rounds, or NO_ROUND. versions: of the guidelines, or NO_VERSION. moments: microseconds since 1970.
    members: (S, K) bool, the sets of a multiple-choice question.
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
        """Return some of the labels, in their present order."""
        chosen = {name: getattr(self, name)[rows] for name in COLUMNS}
        return replace(self, **chosen)


def of_raters(labels: LabelColumns, raters: Sequence[int]) -> LabelColumns:
    return labels.of(np.isin(labels.raters, np.array(raters, dtype=np.int64)))


@dataclass(frozen=True, slots=True, eq=False)
class AnswerColumns:
    """(L,) labels. values: category positions, numbers, or rows of `members`.

    items: IDs. members: (S, K) bool, the distinct sets of a multiple-choice question; (0, K) for other kinds.
    """

    items: IntArray
    raters: IntArray
    values: NDArray[Any]
    members: NDArray[np.bool_]
    times: FloatArray = field(default_factory=lambda: np.empty(0))
    seconds: FloatArray = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.items)

    def at(self, keep: NDArray[Any]) -> "AnswerColumns":
        """Return some of the answers, by mask or by position."""
        return AnswerColumns(
            self.items[keep],
            self.raters[keep],
            self.values[keep],
            self.members,
            self.times[keep] if len(self.times) else self.times,
            self.seconds[keep] if len(self.seconds) else self.seconds,
        )


@dataclass(frozen=True, slots=True, eq=False)
class LabelSubset:
    """Some of the labels of a question: the sample that statistics are computed from, and (N,) the IDs of its items."""

    sample: Any
    item_ids: IntArray

    @property
    def size(self) -> Size:
        found: Size = self.sample.size
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """(n,) labels: category positions or numbers; for sets (n, K) bool, the members of each."""

    values: NDArray[Any]

    def __len__(self) -> int:
        return len(self.values)

    def at(self, keep: NDArray[Any]) -> "Series":
        return Series(self.values[keep])


def is_same(a: Series, b: Series) -> NDArray[np.bool_]:
    """Return (n,) where two series have the same label."""
    equal: NDArray[np.bool_] = a.values == b.values
    same: NDArray[np.bool_] = np.all(equal, axis=1) if equal.ndim > 1 else equal
    return same


@dataclass(frozen=True, slots=True, eq=False)
class RaterAndOtherLabels:
    """own: the rater's first label of each item, with its time. others: the first label of each other rater on those
    items, with only the time it took.

    first, again: (M,) again holds the rater's labels of a later pass, first the corresponding ones of the first pass.
    n_abstentions: items for which the rater answered "cannot tell".
    """

    own: AnswerColumns
    others: AnswerColumns
    first: AnswerColumns
    again: AnswerColumns
    n_abstentions: int

    # For each label of the others, the position of its item among the rater's own.
    places: NDArray[np.int64]


class LabelSample(Protocol):
    """The labels of one question in the form that the statistics of its kind take."""

    @property
    def size(self) -> Size: ...

    @property
    def labels_per_rater(self) -> NDArray[np.int64]:
        """(R,)"""

    def of_raters(self, raters: Sequence[int]) -> Self:
        """Return the labels of some raters, by ascending columns, on the items that at least one of them labeled."""


S = TypeVar("S", bound=LabelSample)


@dataclass(frozen=True, slots=True, eq=False)
class QuestionLabels(Generic[S]):
    """The labels of one question of any kind, from any source.

    item_ids, rater_ids: IDs of the rows and columns of `sample`, ascending; only those with a label.
    n_abstentions: answers without a label, which are missing data. digest: SHA-256 of all this. order: (N,) the rows in
    the order of their items, None if already in order. missing: for each category or number treated as missing, the
    number of labels left out; None if none is declared.
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

    keys: of all raters. counted: ascending, the columns of the raters who count in the overall figures.
    n_abstentions: of the raters who count.
    """

    keys: Sequence[str]
    counted: Sequence[int]
    n_abstentions: int = 0

    @property
    def is_anyone_left_out(self) -> bool:
        return len(self.counted) < len(self.keys)

    @property
    def are_too_few(self) -> bool:
        """Whether too few raters count for a comparison, although there are other raters."""
        return self.is_anyone_left_out and len(self.counted) < 2

    @property
    def counted_keys(self) -> list[str]:
        return [self.keys[column] for column in self.counted]
