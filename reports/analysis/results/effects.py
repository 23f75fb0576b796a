"""What changes of labels did to agreement: the same coefficient before and after them, and the difference."""

from dataclasses import dataclass

from reports.agreement.intervals.difference import Difference
from reports.analysis.results.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSide:
    """The labels as they stood at one point of the history. figure: None where no item has two labels."""

    n_items: int
    n_raters: int
    n_labels: int
    figure: Figure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """round: the key of the one that all changes are of, "" for all labels of the report's rounds.

    difference: after less before, None where one of the two has no figure. n_changed: labels that were created, changed
    or withdrawn, once for each change.
    """

    coefficient: str
    round: str
    n_changed: int
    before: EffectSide
    after: EffectSide
    difference: Difference | None
