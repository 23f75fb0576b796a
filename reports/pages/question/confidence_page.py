"""The page on confidence: calibration of all raters and of each, and agreement among confident labels."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.templatetags.shown import figure, percent
from reports.analysis.catalog import plain_title_of
from reports.analysis.reasons import words_of
from reports.analysis.results import (
    CalibrationFigures,
    Confidences,
    ConfidenceStep,
    ConfidentAgreement,
    Figure,
)
from reports.drawing.picture import Picture
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head
from reports.pictures.calibration_plot import calibration_plot
from reports.results.confidence import WHY, against_words, confidences_in, unknown_words
from reports.results.statistic_rows import measured_row, shown_difference
from reports.store.stored_result import StoredResult


@dataclass(frozen=True, slots=True)
class ConfidenceStepRow:
    name: str
    n: int
    n_right: int
    stated: str
    share: str
    interval: str


@dataclass(frozen=True, slots=True)
class RaterCalibrationRow:
    """cells: stated, right, overconfidence, calibration error, Brier score; shares: of each step, with n."""

    rater: str
    rater_id: int
    kind: str
    n: int
    n_stated: int
    cells: Sequence[str]
    shares: Sequence[tuple[str, int]]
    why: str


@dataclass(frozen=True, slots=True)
class AgreementRow:
    name: str
    n_items: int
    n_labels: int
    share: str
    agreement: str
    agreement_interval: str
    value: str
    interval: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidencePage(PageSection):
    """why: why there is no calibration; "" if there is one. parts: of the Brier score, by name."""

    head: QuestionHead
    percent: str
    found: Confidences
    against: str
    why: str
    unknown: str
    plot: Picture | None
    parts: Sequence[tuple[str, str, str]]
    steps: Sequence[ConfidenceStepRow]
    raters_shown: Sequence[RaterCalibrationRow]
    agreement_rows: Sequence[AgreementRow]
    has_shares: bool
    coefficient: str
    references: Sequence[str]


def confidence_page(result: StoredResult, *, reference: str = "") -> ConfidencePage:
    found = confidences_in(result, reference=reference)
    return ConfidencePage(
        head=question_head(result),
        percent=result.report.chosen.percent,
        found=found,
        against=against_words(found),
        why=WHY.get(found.overall.reason, ""),
        unknown=unknown_words(found.overall),
        plot=calibration_plot(found.overall),
        parts=_parts(found.overall),
        steps=[step_row(step) for step in found.overall.steps],
        raters_shown=[
            RaterCalibrationRow(
                rater=each.rater,
                rater_id=each.rater_id,
                kind=each.kind,
                n=each.figures.n,
                n_stated=each.n_stated,
                cells=_cells(each.figures),
                shares=[(percent(step.share), step.n) for step in each.figures.steps],
                why=WHY.get(each.figures.reason, ""),
            )
            for each in found.raters
        ],
        agreement_rows=[_agreement_row(found.coefficient, each) for each in found.agreement],
        has_shares=any(each.percent_agreement is not None for each in found.agreement),
        coefficient=plain_title_of(found.coefficient),
        references=[rater.key for rater in result.raters],
    )


def step_name(step: ConfidenceStep) -> str:
    """Return the name of a step: 75%, or 70% to 80% for a bin."""
    if step.low == step.high:
        return _exact(step.low)
    return f"{_exact(step.low)} to {_exact(step.high)}"


def _exact(probability: float) -> str:
    return f"{100 * probability:.6g}%"


def step_row(step: ConfidenceStep) -> ConfidenceStepRow:
    interval = "" if step.ci_low is None else f"[{percent(step.ci_low)}, {percent(step.ci_high)}]"
    return ConfidenceStepRow(
        step_name(step), step.n, step.n_right, percent(step.stated, 1), percent(step.share, 1), interval
    )


def _cells(figures: CalibrationFigures) -> list[str]:
    return [
        percent(figures.stated, 1),
        percent(figures.share, 1),
        shown_difference(figures.overconfidence, is_share=True),
        figure(figures.error, 3),
        figure(figures.brier, 3),
    ]


def _parts(figures: CalibrationFigures) -> list[tuple[str, str, str]]:
    """Return name, value, and explanation of each part."""
    if figures.brier is None:
        return []
    rows = [
        ("Mean confidence", percent(figures.stated, 1), ""),
        ("Correct labels", percent(figures.share, 1), ""),
        (
            "Overconfidence",
            shown_difference(figures.overconfidence, is_share=True),
            "mean confidence minus share of correct labels",
        ),
        ("Expected calibration error", figure(figures.error, 3), "0 is best"),
        ("Brier score", figure(figures.brier, 3), "reliability − resolution + uncertainty; 0 is best"),
        (
            "Reliability",
            figure(figures.reliability, 3),
            "gap between stated confidence and share of correct labels, squared; 0 is best",
        ),
        (
            "Resolution",
            figure(figures.resolution, 3),
            "how far the steps separate correct from incorrect labels; higher is better",
        ),
        (
            "Uncertainty",
            figure(figures.uncertainty, 3),
            "how mixed correct and incorrect labels are, whatever the confidence",
        ),
    ]
    if figures.within:
        rows.append(
            (
                "Within bins",
                figure(figures.within, 3),
                "added to the Brier score by different values in one bin",
            )
        )
    return rows


def _agreement_row(name: str, found: ConfidentAgreement) -> AgreementRow:
    share, share_interval = _figure_cells("percent_agreement", found.percent_agreement)
    value, interval = _figure_cells(name, found.coefficient)
    return AgreementRow(
        name=f"{_exact(found.at_least)} or more",
        n_items=found.n_items,
        n_labels=found.n_labels,
        share=percent(found.share),
        agreement=share,
        agreement_interval=share_interval,
        value=value,
        interval=interval,
    )


def _figure_cells(name: str, found: Figure | None) -> tuple[str, str]:
    if found is None:
        return "–", ""
    row = measured_row(name, found)
    return row.value, row.interval or words_of(found.reason).short
