"""The figures of a report that go into a paper, selected once for text and tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from reports.agreement.results import kappa_method
from reports.analysis.catalog import title_in, title_of
from reports.analysis.measure import form_for
from reports.analysis.reasons import words_of
from reports.models import Report
from reports.results.kinds import COMMON, design_of, main_coefficient, result_kind, stored_coefficient
from reports.results.queries import results_of
from reports.results.statistic_rows import is_share
from reports.results.study import AdjudicationCounts, ReportRounds, Study, adjudicated_in, rounds_of, study_of
from reports.store.included_raters import IncludedRaters
from reports.store.stored_result import StoredResult

GREEK = {"κ": "kappa", "α": "alpha", "π": "pi"}
# In a sentence about agreement, these titles alone would be unclear.
SPOKEN = {
    "brennan_prediger": "Brennan and Prediger’s kappa",
    "brennan_prediger_weighted": "Brennan and Prediger’s kappa, weighted",
    "krippendorff_alpha_jaccard": "Krippendorff’s alpha with the Jaccard distance",
    "icc_a_1": "Intraclass correlation ICC(A,1)",
    "icc_c_1": "Intraclass correlation ICC(C,1)",
    "icc_a_1_reml": "Intraclass correlation ICC(A,1) by REML",
    "icc_c_1_reml": "Intraclass correlation ICC(C,1) by REML",
}
WEIGHTED = ", weighted"
# The end of reasons that concern only the interval, not the value.
NO_INTERVAL = ", so no CI"


def spoken(name: str, *, is_of_weighted: bool = False) -> str:
    """Return the title of a coefficient in words that can begin a sentence: “Weighted Cohen’s kappa”."""
    words = "".join(GREEK.get(letter, letter) for letter in SPOKEN.get(name, title_of(name)))
    if is_of_weighted:
        words = words.replace("kappa", "weighted kappa")
    if not words.endswith(WEIGHTED):
        return words
    return f"Weighted {first_small(words.removesuffix(WEIGHTED))}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFigure:
    """One coefficient of a question. percent: the confidence level, formatted. is_of_weighted: whether it is a mean of
    weighted coefficients.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    n_items: int | None
    left_items: int
    interval_method: str
    reason: str
    percent: str
    is_of_weighted: bool = False

    @property
    def title(self) -> str:
        return title_in(self.name, is_weighted=self.is_of_weighted)

    @property
    def plain(self) -> str:
        """The title in words that can begin a sentence: “Weighted Cohen’s kappa”."""
        return spoken(self.name, is_of_weighted=self.is_of_weighted)

    @property
    def is_share(self) -> bool:
        return is_share(self.name)

    @property
    def has_interval(self) -> bool:
        return self.low is not None and self.high is not None

    @property
    def why(self) -> str:
        return words_of(self.reason).phrase if self.reason else ""

    @property
    def why_no_interval(self) -> str:
        """The reason why there is a value without an interval."""
        return f"no CI: {self.why.removesuffix(NO_INTERVAL)}"


# No slots, because of cached properties.
@dataclass(frozen=True, kw_only=True)
class QuestionFigures:
    result: StoredResult
    figures: tuple[PaperFigure, ...]

    @cached_property
    def study(self) -> Study:
        return study_of(self.result)

    @cached_property
    def rounds(self) -> ReportRounds | None:
        return rounds_of(self.result)

    @cached_property
    def adjudicated(self) -> AdjudicationCounts | None:
        return adjudicated_in(self.result)

    @property
    def key(self) -> str:
        return self.result.question.key

    @property
    def counted(self) -> IncludedRaters:
        return self.result.counted

    @property
    def n_possible(self) -> int:
        return self.counted.n_items * self.counted.n_raters

    @property
    def n_missing(self) -> int:
        """Labels missing from a complete design of the raters who count, including “cannot tell” answers."""
        return self.n_possible - self.counted.n_labels


def figures_of(report: Report) -> list[QuestionFigures]:
    return [figures_of_question(result) for result in results_of(report)]


def figures_of_question(result: StoredResult) -> QuestionFigures:
    return QuestionFigures(result=result, figures=tuple(_figures(result)))


def _figures(result: StoredResult) -> list[PaperFigure]:
    if result.reason or not result.row.n_labels:
        return []
    percent = result.report.chosen.percent
    if result.counted.are_too_few:
        return _of_two(result, percent)
    of_all = (figure_of_all(result, name) for name in _names(result))
    return _of_two(result, percent) + [figure for figure in of_all if figure is not None]


def figure_of_all(result: StoredResult, name: str) -> PaperFigure | None:
    """Return an overall coefficient; None if the report does not have it."""
    found = result.figures.coefficients.get(name)
    if found is None:
        return None
    return PaperFigure(
        name=name,
        value=found.value,
        low=found.ci_low,
        high=found.ci_high,
        n_items=found.n_items,
        left_items=found.left_out.n_items if found.left_out else 0,
        interval_method=found.interval_method or "",
        reason=found.reason,
        percent=result.report.chosen.percent,
        is_of_weighted=result.scope.is_weighted and name == "mean_pairwise_kappa",
    )


def primary_figure(question: QuestionFigures) -> PaperFigure | None:
    """Return the primary coefficient of the question or, if too few raters count, what there is instead."""
    if question.counted.are_too_few or not question.figures:
        return next(iter(question.figures), None)
    name = main_coefficient(question.result.row)
    found = next((figure for figure in question.figures if figure.name == name), None)
    if found is not None:
        return found
    # Two raters without shared items are not a pair; the overall coefficient gives the reason why it has no value.
    of_all = figure_of_all(question.result, stored_coefficient(question.result.row))
    return of_all and replace(of_all, name=name)


def second_figure(question: QuestionFigures, primary: PaperFigure) -> PaperFigure | None:
    """Return a second figure that adds information to the primary one, if any."""
    if question.counted.are_too_few:
        return None
    second = result_kind(question.result.question.kind).second_for_paper
    name = COMMON if primary.name.startswith(second) else second
    found = figure_of_all(question.result, name)
    if found is None or found.value is None or name == primary.name:
        return None
    is_of_more = (found.n_items or 0) > (primary.n_items or 0)
    return found if is_of_more or is_share(name) or primary.is_share else None


def _of_two(result: StoredResult, percent: str) -> list[PaperFigure]:
    """Return Cohen's kappa if exactly two raters count, or if there are only two."""
    counted = result.counted
    two = [rater.id for rater in result.raters] if counted.are_too_few else counted.ids
    if len(two) != 2:
        return []
    pair = result.pair_of(two)
    # Numbers and sets have other figures and no kappa.
    if pair is None or pair.figures is not None:
        return []
    n_items = result.row.n_items if counted.are_too_few else counted.n_items
    return [
        PaperFigure(
            name="cohen_kappa_weighted" if result.scope.is_weighted else "cohen_kappa",
            value=pair.kappa,
            low=pair.ci_low,
            high=pair.ci_high,
            n_items=pair.n,
            left_items=n_items - pair.n,
            interval_method=kappa_method(pair.kappa, pair.ci_low, pair.ci_high),
            reason=pair.reason,
            percent=percent,
        )
    ]


def _names(result: StoredResult) -> Sequence[str]:
    """Return the usual figures for a question of this kind, and the primary coefficient."""
    usual = result_kind(result.question.kind).paper_names(
        is_weighted=result.scope.is_weighted, n_raters=result.counted.n_raters
    )
    design = design_of(result.row)
    return list(dict.fromkeys([*(form_for(name, design) for name in usual), main_coefficient(result.row)]))


def first_small(title: str) -> str:
    """Return a title for use within a sentence: names of people keep their capital."""
    is_word = title.startswith(("Percent", "Mean", "Weighted", "Intraclass"))
    return title[:1].lower() + title[1:] if is_word else title
