"""Items by who chose what: all that statistics need to know that tell raters apart."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reports.agreement.ratings import Ratings, to_dense


@dataclass(frozen=True, eq=False)
class ItemProfiles:
    """Distinct rows of labels, and how many items have each.

    codes: (U, R) integers, the declared position of the category, or n_categories where there is no label; every row
    has a label. n_items: (U,) int64. Rows are in ascending order, so that sums over them are the same to the last bit
    whatever the order of items.
    """

    codes: NDArray[np.unsignedinteger]
    n_items: NDArray[np.int64]
    n_categories: int

    @property
    def n_raters(self) -> int:
        return self.codes.shape[1]

    @cached_property
    def is_labelled(self) -> NDArray[np.bool_]:
        """(U, R) where there is a label."""
        return self.codes != self.n_categories

    @cached_property
    def n_labels(self) -> NDArray[np.int64]:
        """(U,) labels on an item."""
        return self.is_labelled.sum(axis=1, dtype=np.int64)


def item_profiles(ratings: Ratings) -> ItemProfiles:
    """The distinct rows of labels of a question; needs memory for items x raters codes."""
    codes = to_dense(ratings).codes
    codes = codes[(codes != ratings.n_categories).any(axis=1)]
    rows, n_items = np.unique(codes, axis=0, return_counts=True)
    return ItemProfiles(rows, n_items.astype(np.int64), ratings.n_categories)
