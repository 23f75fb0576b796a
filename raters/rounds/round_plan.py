"""The plan of a round, as chosen by a lead."""

import secrets
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from raters.rounds.assigning.assignment_design import AssignmentDesign, DesignRefused, Overlap
from raters.rounds.chosen_items import FREE, ItemChoice, ItemSource, StoredItemSource

MAX_REPEAT_SHARE = 0.5
MAX_REFERENCE_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceItems:
    """How many items with a reference answer to include in a round: a number, or a share of the round.

    Each goes to every rater, so that their accuracy is measured on the same items. A number of 0 includes none.
    """

    number: int = 0
    share: float | None = None

    def __post_init__(self) -> None:
        if self.number < 0:
            raise DesignRefused(f"Reference items must be 0 or more, got {self.number}.")
        if self.share is not None and not 0 <= self.share <= MAX_REFERENCE_SHARE:
            raise DesignRefused(f"Reference items must be from 0 to 50% of the round, got {self.share:.0%}.")

    def count_among(self, n_items: int) -> int:
        """Return the number of reference items in a round of `n_items`."""
        return self.number if self.share is None else round(self.share * n_items)

    def n_in_addition(self, n_others: int) -> int:
        """Return the number of reference items to add to `n_others` other items."""
        return self.number if self.share is None else round(self.share * n_others / (1 - self.share))


class StoredReferenceItems(TypedDict):
    number: int
    share: float | None


class StoredRoundPlan(TypedDict):
    """A plan as stored in JSON with its round."""

    design: str
    raters_per_item: int
    share: float
    seed: int
    repeat_share: float
    is_on_demand: bool
    n_items: int | None
    gold: StoredReferenceItems | None
    # Absent if the items were in no round before.
    chosen: NotRequired[StoredItemSource]


# Seeds that are drawn have up to six digits, so that people can read and enter them.
MAX_DRAWN_SEED = 999_999


def draw_seed() -> int:
    """Return a random seed: with the same one, each rater would get the items in the same order round after round."""
    return secrets.randbelow(MAX_DRAWN_SEED) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPlan:
    """The plan of a round. overlap: who labels what. seed: makes random draws reproducible. repeat_share: share of each
    rater's items, from 0 to 0.5, to repeat blindly. is_on_demand: raters get the next item when they ask.
    n_items: number of items drawn from the chosen ones; None for all. reference_items: how many items with a known
    answer to mix in; None to treat them like other items. chosen: where the items come from.
    """

    overlap: Overlap
    seed: int
    repeat_share: float = 0.0
    is_on_demand: bool = False
    n_items: int | None = None
    reference_items: ReferenceItems | None = None
    chosen: ItemChoice = FREE

    def __post_init__(self) -> None:
        if not 0 <= self.repeat_share <= MAX_REPEAT_SHARE:
            raise DesignRefused(f"Blind repeats must be from 0 to 50%, got {self.repeat_share:.0%}.")
        if self.is_on_demand and self.repeat_share:
            raise DesignRefused("Blind repeats are not available with assignment on demand.")
        if self.is_on_demand and self.overlap.design is AssignmentDesign.EVERYONE:
            raise DesignRefused("Assignment on demand requires the design “Every item by some raters”.")
        if self.overlap.design is AssignmentDesign.SAME and not self.chosen.again:
            raise DesignRefused(
                "“The raters who labeled it before” requires items that can be labeled again."
            )
        if self.is_on_demand and self.chosen.again:
            raise DesignRefused("Items that are labeled again can’t be assigned on demand.")
        if self.chosen.stratify_by and self.n_items is None:
            raise DesignRefused("Enter the number of items to draw a stratified sample of.")
        if self.chosen.stratify_by and self.reference_items is not None:
            raise DesignRefused("A stratified sample can’t be combined with a number of reference items.")
        if self.n_items is not None and self.n_items < 1:
            raise DesignRefused(f"A round must have at least one item, got {self.n_items}.")

    def as_json(self) -> StoredRoundPlan:
        stored: StoredRoundPlan = {
            "design": self.overlap.design.value,
            "raters_per_item": self.overlap.raters_per_item,
            "share": self.overlap.share,
            "seed": self.seed,
            "repeat_share": self.repeat_share,
            "is_on_demand": self.is_on_demand,
            "n_items": self.n_items,
            # Stored plans and project files use this key, so it keeps its original name.
            "gold": None
            if self.reference_items is None
            else {"number": self.reference_items.number, "share": self.reference_items.share},
        }
        if self.chosen.source is not ItemSource.FREE or self.chosen.stratify_by:
            stored["chosen"] = self.chosen.as_json()
        return stored

    @classmethod
    def of_json(cls, stored: StoredRoundPlan) -> "RoundPlan":
        overlap = Overlap(AssignmentDesign(stored["design"]), stored["raters_per_item"], stored["share"])
        return cls(
            overlap=overlap,
            seed=stored["seed"],
            repeat_share=stored["repeat_share"],
            is_on_demand=stored["is_on_demand"],
            n_items=stored["n_items"],
            reference_items=None if stored["gold"] is None else ReferenceItems(**stored["gold"]),
            chosen=ItemChoice.of_json(stored["chosen"]) if "chosen" in stored else FREE,
        )
