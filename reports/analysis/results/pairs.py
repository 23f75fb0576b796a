"""Two raters on one question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

from reports.agreement.intervals.hotelling import EqualityTest
from reports.agreement.results import Reason, is_kappa_clipped
from reports.analysis.results.figures import CategoryFigures, Figure, Figures, Json, SignificanceByName
from reports.analysis.results.serialization import to_json

# For numbers and sets, by name; for figures of each category, those of all categories.
PairFigures = Mapping[str, Figure | tuple[Figure, ...]]


class PairResult(NamedTuple):
    """Two raters on one question, by position: the columns of the table of pairs.

    counts: for single choices, the confusion matrix, row by row, and all figures of kappa. figures: for numbers and
    sets, by name; a tuple has one for each category. This is a named tuple because reports have millions of them.
    """

    rater_a: int
    rater_b: int
    n: int
    counts: Sequence[int] = ()
    figures: PairFigures | None = None
    observed: float | None = None
    expected: float | None = None
    kappa: float | None = None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    kappa_max: float | None = None
    reason: str = ""

    @property
    def is_clipped(self) -> bool:
        """Whether the interval of kappa was clipped at a bound."""
        return is_kappa_clipped(self.kappa, self.ci_low, self.ci_high)


class PairColumns(TypedDict):
    """What a pair is stored with, besides its raters."""

    n: int
    counts: list[int]
    figures: Json | None
    observed: float | None
    expected: float | None
    kappa: float | None
    se: float | None
    ci_low: float | None
    ci_high: float | None
    kappa_max: float | None
    reason: str


def columns_of(pair: PairResult) -> PairColumns:
    return PairColumns(
        n=pair.n,
        counts=[int(n) for n in pair.counts],
        figures=None if pair.figures is None else to_json(pair.figures),
        observed=pair.observed,
        expected=pair.expected,
        kappa=pair.kappa,
        se=pair.se,
        ci_low=pair.ci_low,
        ci_high=pair.ci_high,
        kappa_max=pair.kappa_max,
        reason=str(pair.reason),
    )


def pair_figures_of(stored: Json) -> PairFigures:
    """Return the figures of a pair from stored JSON."""
    return {
        name: tuple(map(Figure.from_json, found)) if isinstance(found, list) else Figure.from_json(found)
        for name, found in stored.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesStatistics:
    """Every statistic of two raters, for two series of n labels.

    counts: for single choices, the confusion matrix, rows the first series, unless it is large. reason: why there are
    no figures.
    """

    n: int
    values: Figures
    categories: CategoryFigures
    tests: SignificanceByName
    counts: Sequence[Sequence[int]] | None
    reason: str = ""


def two_series_of(n: int, figures: PairFigures) -> SeriesStatistics:
    """Return the figures of a pair for numbers or sets: of all categories, and of each."""
    return SeriesStatistics(
        n=n,
        values={name: each for name, each in figures.items() if isinstance(each, Figure)},
        categories={name: each for name, each in figures.items() if isinstance(each, tuple)},
        tests={},
        counts=None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceFigures:
    """One rater against another who is taken as correct."""

    values: Figures
    categories: CategoryFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterVersusReference:
    """Figures against the reference, with the names of both."""

    rater: str
    reference: str
    values: Figures
    categories: CategoryFigures

    @classmethod
    def of(cls, found: ReferenceFigures, *, rater: str, reference: str) -> "RaterVersusReference":
        return cls(rater=rater, reference=reference, values=found.values, categories=found.categories)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersVersusReference:
    """Every other rater against the one who is taken as correct. reason: why there are none.

    equality: the test that all of them agree equally with the reference; None for fewer than two, or too many labels.
    """

    reference: str | None
    raters: tuple[RaterVersusReference, ...] = ()
    reason: Reason = Reason.NONE
    equality: EqualityTest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FullPair:
    """Every statistic of two raters from their confusion matrix; reference: each of them against the other."""

    values: Figures
    categories: CategoryFigures
    tests: SignificanceByName
    reference: tuple[RaterVersusReference, ...] = ()
