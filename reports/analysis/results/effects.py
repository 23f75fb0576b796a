"""The effect of label changes on agreement: the coefficient before and after them, and the difference."""

from dataclasses import dataclass

from reports.agreement.intervals.difference import Difference
from reports.analysis.results.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSide:
    """The labels at one point of the history. figure: None where no item has two labels."""

    n_items: int
    n_raters: int
    n_labels: int
    figure: Figure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChangeEffect:
    """round: the key of the round of all changes, "" for all labels of the report's rounds.

    difference: after minus before, None where one of the two has no figure. n_changed: number of creations, changes,
    and withdrawals of labels.
    """

    coefficient: str
    round: str
    n_changed: int
    before: EffectSide
    after: EffectSide
    difference: Difference | None
