"""Differences of figures: between two sides, between two reports, and between time windows."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Self

from reports.agreement.intervals.difference import Difference
from reports.agreement.intervals.strata import Homogeneity
from reports.analysis.results.figures import Figure
from reports.analysis.results.serialization import FORMERLY

# Keyed by the name of the coefficient.
Differences = Mapping[str, Difference]


@dataclass(frozen=True, slots=True, kw_only=True)
class SideDifferences:
    """The first side minus the second."""

    first: str
    second: str
    differences: Differences


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryDifferences:
    """Differences for one category against the rest."""

    key: str
    name: str
    differences: Differences


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDifference:
    """The difference for two raters, by their IDs."""

    rater_a: int
    rater_b: int
    difference: Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChangeCounts:
    """Numbers of labels with the same or a different value in two reports, or in only one; likewise for items."""

    n_same: int
    n_changed: int
    n_only_before: int
    n_only_after: int
    n_items_both: int
    n_items_only_before: int
    n_items_only_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedItem:
    """An item, by its ID, to which n_labels raters gave a different label in the later report."""

    item: int
    n_labels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairChanges:
    both: int
    only_before: int
    only_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportDifferences:
    """The comparison of two reports. Every difference is the later report minus the earlier one.

    pair_figure: the figure by which pairs are compared. n_pairs: None if too many. pairs: largest difference first.
    """

    labels: LabelChangeCounts
    changed_items: tuple[ChangedItem, ...]
    differences: Differences
    categories: tuple[CategoryDifferences, ...]
    pair_figure: str
    n_pairs: PairChanges | None
    pairs: tuple[PairDifference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelVersusPeople:
    """A model by its ID: its mean agreement with people minus that of people with each other, on the model's items.

    n_items: items that the model and at least two people labeled. p_corrected: for all models that are compared.
    """

    rater: int
    n_items: int
    n_people: int
    with_people: Figure
    among_people: Figure
    difference: Difference
    p_corrected: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsVersusPeople:
    """pair_figure: the figure by which pairs are compared."""

    pair_figure: str
    models: tuple[ModelVersusPeople, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowFigures:
    """One window. key: as in `windows.Window`. guidelines: the versions in force."""

    key: int
    start: datetime
    end: datetime
    n_items: int
    n_raters: int
    n_labels: int
    guidelines: tuple[int, ...]
    figure: Figure
    percent_agreement: Figure | None = field(metadata={FORMERLY: "beside"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowChange(Difference):
    """A later window minus an earlier one, by their positions; p_corrected: None if not tested."""

    earlier: int
    later: int
    p_corrected: float | None
    has_few_items: bool
    is_beyond_chance: bool

    @classmethod
    def of(
        cls,
        found: Difference,
        steps: tuple[int, int],
        *,
        p_corrected: float | None,
        has_few_items: bool,
        alpha: float,
    ) -> Self:
        earlier, later = steps
        return cls(
            **asdict(found),
            earlier=earlier,
            later=later,
            p_corrected=p_corrected,
            has_few_items=has_few_items,
            is_beyond_chance=p_corrected is not None and p_corrected < alpha,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTime:
    """One coefficient in each window, in order; n_left_out: number of earlier windows that are not shown.

    homogeneity: test whether all windows are alike, None where they share items; fitted_homogeneity: the same for two
    raters and two categories by goodness of fit.
    """

    by: str
    coefficient: str
    windows: tuple[WindowFigures, ...]
    differences: tuple[WindowChange, ...]
    n_left_out: int
    homogeneity: Homogeneity | None = None
    fitted_homogeneity: Homogeneity | None = None

    @property
    def n_tests(self) -> int:
        return sum(each.p_corrected is not None for each in self.differences)

    def new_guidelines(self, change: WindowChange) -> list[int]:
        """Return the versions that came into use after the earlier window, up to and including the later one."""
        before = self.windows[change.earlier].guidelines
        since = self.windows[change.earlier + 1 : change.later + 1]
        return sorted({version for window in since for version in window.guidelines}.difference(before))
