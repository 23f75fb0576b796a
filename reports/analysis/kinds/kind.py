"""The interface of a kind of question: the only place where questions differ by the type of their labels."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reports.agreement.blockwise import ComputeBlocks, here
from reports.agreement.intervals.difference import Difference
from reports.agreement.models.label_similarity import Similarity
from reports.agreement.models.pair_agreement import PairwiseAgreement
from reports.agreement.own.category_bias import ChosenCategories
from reports.agreement.pairs.estimates import reasons, wilson_estimates
from reports.agreement.progress_callbacks import ReportProgress
from reports.agreement.results import Estimates, FloatArray, IntArray, Reason
from reports.analysis.catalog import StatisticFamily
from reports.analysis.label_arrays import (
    AnswerColumns,
    LabelColumns,
    LabelSample,
    LabelSubset,
    QuestionLabels,
    Raters,
    Series,
    is_same,
)
from reports.analysis.pair_blocks import Keep, PairBlock
from reports.analysis.question import QuestionScope
from reports.analysis.results import Differences, Figure, PairResult, QuestionResult, SeriesStatistics

Consensus = tuple[Series, NDArray[np.bool_], NDArray[np.bool_]]


class Analysis(Protocol):
    """The analysis of one question in progress: first all pairs, then all raters."""

    @property
    def counted(self) -> LabelSample:
        """The labels of the raters who count in the overall figures."""

    def pairs(
        self, keep: Keep, report_progress: ReportProgress, compute: ComputeBlocks = here
    ) -> Iterator[PairBlock]:
        """Yield every pair of raters who share an item, in blocks. Raises QuestionNotComputable if there are more than
        can be
        stored. keep: called with the pairs of each block, here or by another worker.
        """

    def all_raters(
        self,
        families: Collection[StatisticFamily],
        report_progress: ReportProgress,
        compute: ComputeBlocks = here,
    ) -> QuestionResult:
        """Return the results for all raters who count. families: computed in addition to the coefficients.

        compute: computes what takes long.
        """

    def share(self, compute: ComputeBlocks, keep: Keep) -> None:
        """Ask for all the work that `pairs` and `all_raters` ask for, and compute nothing else."""


class QuestionKind(Protocol):
    """A question of one kind; use `kinds.kind_of` to get it."""

    @property
    def scope(self) -> QuestionScope: ...

    def refuse_unfit(self) -> None:
        """Raise QuestionNotComputable if the categories do not form the declared scale, or do not fit the weights."""

    def analysis(self, labels: QuestionLabels[Any], raters: Raters) -> Analysis: ...

    # Parts of the labels, and differences between them.

    @property
    def names(self) -> list[str]:
        """The coefficients whose differences two reports have, by their names in reports."""

    @property
    def part_names(self) -> list[str]:
        """The coefficients that are defined for parts of the labels, such as rounds, by their names in reports:
        those of `names` and the question's own measure.
        """

    def part(self, labels: LabelColumns) -> LabelSubset: ...

    def figure(self, name: str, part: LabelSubset, report_progress: ReportProgress | None = None) -> Figure:
        """Return one coefficient, with the kind of interval set in the options."""

    def differences(
        self,
        first: LabelSubset,
        second: LabelSubset,
        only: frozenset[str] = frozenset(),
        report_progress: ReportProgress | None = None,
    ) -> Differences:
        """Return coefficients of the first part minus the second, by name. only: names to include, empty for all."""

    def category_part(self, part: LabelSubset, place: int) -> tuple[LabelSubset, int]:
        """Return the part in which one category is compared, and the category's position in it."""

    @property
    def n_compared_categories(self) -> int:
        """The number of categories by which two parts can be compared."""

    @property
    def pair_figure(self) -> str:
        """The figure by which pairs are compared."""

    @property
    def pairs_have_counts(self) -> bool:
        """Whether pairs have a confusion matrix, from which every figure follows under any weights."""

    def pair_values(self, part: LabelSubset) -> dict[tuple[int, int], float]:
        """Return `pair_figure` of each pair, by the columns of both raters, where it is defined."""

    def pair_difference(self, first: LabelSubset, second: LabelSubset) -> Difference:
        """Return `pair_figure` of two raters in the first part minus that in the second."""

    def closeness(self, labels: LabelColumns) -> Similarity:
        """Return how close one label of an item is to others, for the alternative-annotator test."""

    def pair_agreement(self, labels: LabelColumns) -> PairwiseAgreement:
        """Return `pair_figure` as sums over items, for resampling items. labels: for the sets they refer to."""

    # One rater compared with the others.

    def series(self, answers: AnswerColumns) -> Series: ...

    def category_shares(self, answers: AnswerColumns) -> list[float | None]:
        """Return each category's share of all labels; None where there are no labels. [] for numbers."""

    def chosen(self, answers: AnswerColumns, places: IntArray) -> ChosenCategories | None:
        """Return every choice of a category. places: the position of each answer's item. None for numbers."""

    def consensus_of_others(self, places: IntArray, others: AnswerColumns, *, n_items: int) -> Consensus:
        """Return, for each item, the consensus, whether there is one, and whether the others are tied.

        places: for each of the others' labels, the position of its item.
        """

    def likeness(self, own: Series, others: Series) -> FloatArray:
        """Return (n,) the similarity of two labels; for numbers, the first minus the second."""

    def series_compared(self, a: Series, b: Series) -> SeriesStatistics:
        """Return every figure for two series of n labels, n > 0; a in rows."""

    def figures_of_first(self, series: Sequence[Series], items: Sequence[IntArray]) -> list[PairResult]:
        """Return the pairs of the first rater with each of the others. items: for each rater, the items labeled."""

    @property
    def window_measure(self) -> str:
        """The measure of a window of one rater's time."""

    def window_values(self, own: Series, others: Series, windows: Sequence[IntArray]) -> Estimates: ...

    def window_kappas(self, own: Series, others: Series, windows: Sequence[IntArray]) -> Estimates | None:
        """Return None where kappa does not apply."""


def shares_equal(own: Series, others: Series, windows: Sequence[IntArray], *, confidence: float) -> Estimates:
    """Return the share of cases in each window in which the two labels are the same."""
    n = np.array([len(places) for places in windows], dtype=np.float64)
    same = np.array(
        [is_same(own.at(places), others.at(places)).sum() for places in windows], dtype=np.float64
    )
    undefined = reasons(n.shape, (n == 0, Reason.NO_OVERLAP))
    return wilson_estimates(same, n, undefined=undefined, confidence=confidence)
