"""Labels of one question as arrays, wherever they were read from."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.ratings import Ratings
from reports.agreement.results import FloatArray, IntArray
from reports.agreement.sets.members import SetSample

IdArray = NDArray[np.int64]
# What stands for no round, for a label without a version, and for "cannot tell" among places of answers.
NO_ROUND, NO_VERSION, ABSTAINED = 0, -1, -1
COLUMNS = ("items", "raters", "values", "batches", "versions", "moments")


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumns:
    """(L,) of everything, one row for each label, ordered by item and rater.

    items, raters: ids. values: positions of categories, numbers, or rows of `members`, by the kind of question.
    batches: ids of rounds, or NO_ROUND. versions: of the guidelines, or NO_VERSION. moments: microseconds since 1970.
    members: (S, K) bool, the sets of a multiple choice.
    """

    items: IdArray
    raters: IdArray
    values: NDArray[Any]
    batches: IdArray
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


@dataclass(frozen=True, slots=True, eq=False)
class NumberLabels:
    """The labels of one number question.

    item_ids, rater_ids: ids of the rows and columns of `sample`, ascending; only of those with a label.
    n_abstentions: answers without a number. digest: SHA-256 of all ids, rows, columns and numbers.
    """

    sample: NumberSample
    item_ids: IdArray
    rater_ids: IdArray
    n_abstentions: int
    digest: str

    @property
    def n_labels(self) -> int:
        return len(self.sample.values)

    @property
    def labels_per_rater(self) -> NDArray[np.int64]:
        return self.sample.labels_per_rater


@dataclass(frozen=True, slots=True, eq=False)
class SetLabels:
    """The same for one multiple-choice question; an empty set is a label."""

    sample: SetSample
    item_ids: IdArray
    rater_ids: IdArray
    n_abstentions: int
    digest: str

    @property
    def n_labels(self) -> int:
        return self.sample.ratings.n_labels

    @property
    def labels_per_rater(self) -> NDArray[np.int64]:
        return self.sample.ratings.labels_per_rater()


@dataclass(frozen=True, slots=True, eq=False)
class QuestionLabels:
    """The labels of one question.

    item_ids, rater_ids: ids of the rows and columns of `ratings`, ascending; only of those with a label.
    n_abstentions: answers without a category, which are missing data. digest: `labels_digest` of all this.
    """

    ratings: Ratings
    item_ids: IdArray
    rater_ids: IdArray
    n_abstentions: int
    digest: str
