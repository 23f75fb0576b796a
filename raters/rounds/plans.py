"""What a lead chooses for a round."""

from dataclasses import dataclass
from typing import NotRequired, TypedDict

from raters.rounds.assigning.wanted import Design, DesignRefused, Overlap
from raters.rounds.chosen_items import FREE, ItemChoice, KeptChoice, Source

MAX_REPEAT_SHARE = 0.5
MAX_REFERENCE_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceItems:
    """How many items of a round are taken from those that have a reference answer: a number, or a share of the round.

    Each goes to every rater of the round, so that their hit rates rest on the same items. Number 0: none at all.
    """

    number: int = 0
    share: float | None = None

    def __post_init__(self) -> None:
        if self.number < 0:
            raise DesignRefused(f"Reference items must be 0 or more, got {self.number}.")
        if self.share is not None and not 0 <= self.share <= MAX_REFERENCE_SHARE:
            raise DesignRefused(f"Reference items must be from 0 to 50% of the round, got {self.share:.0%}.")

    def among(self, n_items: int) -> int:
        """How many of a round of so many items."""
        return self.number if self.share is None else round(self.share * n_items)

    def beside(self, n_others: int) -> int:
        """How many beside so many other items."""
        return self.number if self.share is None else round(self.share * n_others / (1 - self.share))


class KeptGold(TypedDict):
    number: int
    share: float | None


class KeptPlan(TypedDict):
    """A plan in JSON, as it is kept with its round."""

    design: str
    raters_per_item: int
    share: float
    seed: int
    repeat_share: float
    is_on_demand: bool
    n_items: int | None
    gold: KeptGold | None
    # Absent where the items were in no round before.
    chosen: NotRequired[KeptChoice]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundPlan:
    """overlap: who labels what. seed: the same one draws the same again. repeat_share: of each rater's items, from 0 to
    0.5, that come a second time, unannounced. is_on_demand: raters are not named; whoever asks gets the next one.
    n_items: so many, drawn from the chosen items; None for all of them. reference_items: so many of those whose answer
    is known are mixed in; None: they come as any other item does. chosen: where the items come from.
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
        if self.is_on_demand and self.overlap.design is Design.EVERYONE:
            raise DesignRefused("Assignment on demand requires the design “Every item by some raters”.")
        if self.overlap.design is Design.SAME and not self.chosen.again:
            raise DesignRefused(
                "“The raters who labeled it before” requires items that may be labeled again."
            )
        if self.is_on_demand and self.chosen.again:
            raise DesignRefused("Items that are labeled again can’t be assigned on demand.")
        if self.chosen.stratify_by and self.n_items is None:
            raise DesignRefused("Enter the number of items to draw a stratified sample of.")
        if self.chosen.stratify_by and self.reference_items is not None:
            raise DesignRefused("A stratified sample can’t be combined with a number of reference items.")
        if self.n_items is not None and self.n_items < 1:
            raise DesignRefused(f"A round must have at least one item, got {self.n_items}.")

    def as_json(self) -> KeptPlan:
        kept: KeptPlan = {
            "design": self.overlap.design.value,
            "raters_per_item": self.overlap.raters_per_item,
            "share": self.overlap.share,
            "seed": self.seed,
            "repeat_share": self.repeat_share,
            "is_on_demand": self.is_on_demand,
            "n_items": self.n_items,
            # Stored plans and project files have this key; it keeps its first name.
            "gold": None
            if self.reference_items is None
            else {"number": self.reference_items.number, "share": self.reference_items.share},
        }
        if self.chosen.source is not Source.FREE or self.chosen.stratify_by:
            kept["chosen"] = self.chosen.as_json()
        return kept

    @classmethod
    def of_json(cls, kept: KeptPlan) -> "RoundPlan":
        overlap = Overlap(Design(kept["design"]), kept["raters_per_item"], kept["share"])
        return cls(
            overlap=overlap,
            seed=kept["seed"],
            repeat_share=kept["repeat_share"],
            is_on_demand=kept["is_on_demand"],
            n_items=kept["n_items"],
            reference_items=None if kept["gold"] is None else ReferenceItems(**kept["gold"]),
            chosen=ItemChoice.of_json(kept["chosen"]) if "chosen" in kept else FREE,
        )
