"""The items that Dawid and Skene's estimate puts in a category, found again from the labels that the report read.

A report keeps how many there are, not which: of 10,000 items and more that would be as much again as its figures.
"""

from dataclasses import dataclass

import numpy as np

from reports.agreement.consensus.dawid_skene import dawid_skene
from reports.agreement.consensus.majority import majority_vote
from reports.agreement.results import IntArray
from reports.analysis.kinds import kind_of
from reports.analysis.labels import of_raters
from reports.sources.label_columns import read_columns
from reports.store.stored_result import StoredResult

# Labels x categories up to which a page may compute the estimate once more: some tenths of a second.
MOST_LABEL_CELLS = 500_000


@dataclass(frozen=True, slots=True, eq=False)
class Estimated:
    """(N,) items by id, with the places of their categories by the estimate and by the majority; -1 for none."""

    items: IntArray
    codes: IntArray
    majority: IntArray

    def of_category(self, place: int) -> IntArray:
        return self.items[self.codes == place]

    def unlike_majority(self) -> IntArray:
        is_unlike = (self.majority >= 0) & (self.codes >= 0) & (self.majority != self.codes)
        return self.items[is_unlike]


def can_be_listed(result: StoredResult) -> bool:
    """Whether there is an estimate, and the labels are few enough to find it again."""
    # Only labels of one category each are estimated.
    found = result.statistics.get("consensus", {}).get("dawid_skene", {})
    return "items" in found and result.counted.n_labels * len(result.categories) <= MOST_LABEL_CELLS


def estimated_in(result: StoredResult) -> Estimated:
    """For what `can_be_listed` alone."""
    labels = of_raters(read_columns(result.row), result.counted.ids)
    part = kind_of(result.scope).part(labels)
    found = dawid_skene(part.sample, smoothing=result.report.chosen.smoothing)
    return Estimated(part.item_ids, np.asarray(found.codes), majority_vote(part.sample).codes)
