"""The number of raters each item should have under the chosen design."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from core.refusals import Refused
from raters.rounds.assigning.allocation import IntArray


class AssignmentDesign(StrEnum):
    EVERYONE = "everyone"
    SOME = "some"
    SHARE_TWICE = "share_twice"
    SAME = "same"


class DesignRefused(Refused, ValueError):
    """The design cannot be carried out; the message says why and what to do."""

    code, status_code = "design", 400


@dataclass(frozen=True, slots=True)
class Overlap:
    """How far the raters' work overlaps.

    everyone: every rater labels every item. some: `raters_per_item` raters label each item. share_twice: two raters
    label a `share` of the items, one labels the others. same: each item goes to the raters who had it before.
    """

    design: AssignmentDesign
    raters_per_item: int = 2
    share: float = 0.2

    def wanted(self, n_items: int, n_raters: int, random: np.random.Generator) -> IntArray:
        """Return the number of raters for each item, (N,). Raises DesignRefused."""
        self._refuse_unfit(n_raters)
        match self.design:
            case AssignmentDesign.EVERYONE:
                return np.full(n_items, n_raters, dtype=np.int64)
            case AssignmentDesign.SOME:
                return np.full(n_items, self.raters_per_item, dtype=np.int64)
            case AssignmentDesign.SAME:
                raise ValueError("who had the items before says how many raters each has")
            case _:
                numbers = np.ones(n_items, dtype=np.int64)
                numbers[random.permutation(n_items)[: round(self.share * n_items)]] = 2
                return numbers

    def _refuse_unfit(self, n_raters: int) -> None:
        if n_raters < 1:
            raise DesignRefused("Choose at least one rater.")
        if self.design is AssignmentDesign.SOME and not 1 <= self.raters_per_item <= n_raters:
            raise DesignRefused(
                f"Raters per item must be from 1 to {n_raters}, the number of raters, got {self.raters_per_item}."
            )
        if self.design is AssignmentDesign.SHARE_TWICE and not 0 <= self.share <= 1:
            raise DesignRefused(
                f"The share of items labeled twice must be from 0 to 100%, got {self.share:.0%}."
            )
        if self.design is AssignmentDesign.SHARE_TWICE and self.share > 0 and n_raters < 2:
            raise DesignRefused("Choose at least two raters to have items labeled twice.")
