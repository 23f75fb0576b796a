"""What a kind of question has to know: the one place where questions differ by what a label is."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reports.agreement.intervals.difference import Difference
from reports.agreement.models.likeness import Likeness
from reports.agreement.models.pair_agreement import PairAgreement
from reports.agreement.own.leaning import Chosen
from reports.agreement.pairs.estimates import reasons, wilson_estimates
from reports.agreement.results import Estimates, FloatArray, IntArray, Reason
from reports.agreement.ticks import Tick
from reports.analysis.catalog import StatisticFamily
from reports.analysis.labels import (
    Answers,
    LabelColumns,
    Part,
    QuestionLabels,
    Raters,
    Sampled,
    Series,
    is_same,
)
from reports.analysis.question import Scope
from reports.analysis.results import Differences, Figure, PairResult, QuestionResult, TwoSeries

Consensus = tuple[Series, NDArray[np.bool_], NDArray[np.bool_]]


class Analysis(Protocol):
    """One question under way: all pairs first, then all raters."""

    @property
    def counted(self) -> Sampled:
        """The labels of the raters who count in the figures of all raters."""

    def pairs(self, tick: Tick) -> Iterator[PairResult]:
        """Every pair of raters who share an item. Raises QuestionUnfit if there are more than can be stored."""

    def all_raters(self, families: Collection[StatisticFamily], tick: Tick) -> QuestionResult:
        """What is computed of all raters who count; families: beside the coefficients."""


class QuestionKind(Protocol):
    """A question of one kind; `kinds.kind_of` finds the kind."""

    @property
    def scope(self) -> Scope: ...

    def refuse_unfit(self) -> None:
        """Raises QuestionUnfit if the categories do not make the declared scale, or do not go with the weights."""

    def analysis(self, labels: QuestionLabels[Any], raters: Raters) -> Analysis: ...

    # Parts of the labels, and how far they differ.

    @property
    def names(self) -> list[str]:
        """The coefficients that parts of the labels have, by their names in reports."""

    @property
    def group_names(self) -> list[str]:
        """Those that subgroups are compared by: what the question is judged by is among them."""

    def part(self, labels: LabelColumns) -> Part: ...

    def figure(self, name: str, part: Part, tick: Tick | None = None) -> Figure:
        """One coefficient, with the interval that the options ask for."""

    def differences(
        self, first: Part, second: Part, only: frozenset[str] = frozenset(), tick: Tick | None = None
    ) -> Differences:
        """The first part's coefficients less those of the second, by name; only: of these, empty for all."""

    def category_part(self, part: Part, place: int) -> tuple[Part, int]:
        """What one category is compared in, and its place there."""

    @property
    def n_compared_categories(self) -> int:
        """How many categories two parts can be compared by."""

    @property
    def pair_figure(self) -> str:
        """The figure that tells pairs apart."""

    @property
    def pairs_have_counts(self) -> bool:
        """Whether pairs have a confusion matrix, and with it every figure under any weights."""

    def pair_values(self, part: Part) -> dict[tuple[int, int], float]:
        """That figure of each pair, by the columns of both; those that are defined."""

    def pair_difference(self, first: Part, second: Part) -> Difference:
        """That figure of two raters in one part, less the same in another."""

    def closeness(self, labels: LabelColumns) -> Likeness:
        """How close one label of an item is to others, for the alternative-annotator test."""

    def pair_agreement(self, labels: LabelColumns) -> PairAgreement:
        """`pair_figure` as sums over items, for resamples of items; of the sets of these labels."""

    # One rater beside the others.

    def series(self, answers: Answers) -> Series: ...

    def category_shares(self, answers: Answers) -> list[float | None]:
        """How much of all labels has each category; None where there are no labels. [] of numbers."""

    def chosen(self, answers: Answers, places: IntArray) -> Chosen | None:
        """Every choice of a category, places: of the items of the answers; None of numbers."""

    def consensus_of_others(self, places: IntArray, others: Answers, *, n_items: int) -> Consensus:
        """Of each item the consensus, whether there is one, and whether the others are tied.

        places: of the item of each of the others' labels.
        """

    def likeness(self, own: Series, others: Series) -> FloatArray:
        """(n,) how far two labels are alike; of numbers how much higher the first is."""

    def series_compared(self, a: Series, b: Series) -> TwoSeries:
        """Every figure of two labels to each of n questions, n > 0; a in rows."""

    def figures_of_first(self, series: Sequence[Series], items: Sequence[IntArray]) -> list[PairResult]:
        """Of several raters the first with each other one; items: for each of them what the labels are of."""

    @property
    def window_measure(self) -> str:
        """What a window of a rater's own time is measured by."""

    def window_values(self, own: Series, others: Series, windows: Sequence[IntArray]) -> Estimates: ...

    def window_kappas(self, own: Series, others: Series, windows: Sequence[IntArray]) -> Estimates | None:
        """None where there is no kappa."""


def shares_alike(own: Series, others: Series, windows: Sequence[IntArray], *, confidence: float) -> Estimates:
    """In how many cases two labels are the same, in each of the windows."""
    n = np.array([len(places) for places in windows], dtype=np.float64)
    same = np.array(
        [is_same(own.at(places), others.at(places)).sum() for places in windows], dtype=np.float64
    )
    undefined = reasons(n.shape, (n == 0, Reason.NO_OVERLAP))
    return wilson_estimates(same, n, undefined=undefined, confidence=confidence)
