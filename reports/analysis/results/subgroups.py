"""Agreement by subgroup: within items or raters of each attribute value, and the differences between them."""

from dataclasses import dataclass, field

from reports.analysis.results.differences import WindowChange
from reports.analysis.results.figures import Figure
from reports.analysis.results.serialization import FORMERLY


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFigures:
    """value: of the attribute. n_items, n_raters, n_labels: everything labeled in the group.

    n_compared: items that the figure is based on. figure: None with too few items or raters.
    """

    value: str
    n_items: int
    n_raters: int
    n_labels: int
    n_compared: int
    figure: Figure | None
    percent_agreement: Figure | None = field(metadata={FORMERLY: "beside"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPairs:
    """The pairs of raters with one in each of two groups, by position; for the same group twice, those within it.

    figure: the mean over the pairs, with its interval. less_within: that mean minus the mean of both groups' own, with
    interval and p-value; None within a group, or where a group has no pair. p_corrected: None if not tested.
    """

    first: int
    second: int
    n_pairs: int
    n_items: int
    figure: Figure
    less_within: Figure | None
    p_value: float | None
    p_corrected: float | None
    is_beyond_chance: bool

    @property
    def is_within(self) -> bool:
        return self.first == self.second


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgroups:
    """groups: in the order of their values; differences: between any two, the later minus the earlier.

    pairs: of groups of raters; pair_figure: the figure they are compared by, "" without pairs. n_without: labeled
    items, or raters with labels, without a value of the attribute. n_left_out: number of smallest groups not shown.
    """

    unit: str
    attribute: str
    coefficient: str
    groups: tuple[GroupFigures, ...]
    differences: tuple[WindowChange, ...]
    pair_figure: str = ""
    pairs: tuple[GroupPairs, ...] = ()
    n_without: int
    n_left_out: int

    @property
    def n_tests(self) -> int:
        return sum(each.p_corrected is not None for each in self.differences)

    @property
    def n_pair_tests(self) -> int:
        return sum(each.p_corrected is not None for each in self.pairs)
