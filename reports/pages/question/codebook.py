"""What the page of a report on several questions shows: a row for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from projects.models import Project, Question
from reports.analysis.catalogue import title_of
from reports.analysis.reasons import UNFIT
from reports.models import QuestionAgreement, Report
from reports.pages.question.verdict import Standing, claim_and_value, claim_of, standing_of
from reports.results import wording
from reports.results.addresses import behind as behind_figure
from reports.results.addresses import items_address
from reports.results.main_coefficient import main_coefficient
from reports.results.readings import reading_of, scale_of
from reports.results.shown import shown_interval
from reports.sources.items import n_items_replaced
from reports.store import requests as actions
from reports.store.agreements import scope_of
from reports.store.counted import Counted, counted_in


@dataclass(frozen=True, slots=True)
class CodebookRow:
    """unfit: why the question could not be computed, in place of figures. claim, standing: those of its verdict.

    items: where its items are listed, "" where they are not.
    """

    agreement: QuestionAgreement
    figures: list["Figure"]
    unfit: str
    claim: str = ""
    standing: Standing | None = None
    items: str = ""

    @property
    def counted(self) -> Counted:
        return counted_in(self.agreement)


@dataclass(frozen=True, slots=True)
class Figure:
    value: float | None
    interval: str
    reason: str
    is_share: bool = False
    address: str = ""


CODEBOOK_FIGURES = [
    "percent_agreement",
    "mean_pairwise_kappa",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
]


# Of kinds of questions that the project chooses no coefficient for.
MAIN = {Question.Kind.NUMBER: "icc_a_1", Question.Kind.MULTIPLE: "krippendorff_alpha"}


def codebook(project: Project, report: Report, agreements: Sequence[QuestionAgreement]) -> dict[str, Any]:
    return {
        "project": project,
        "report": report,
        "columns": [title_of(name) for name in CODEBOOK_FIGURES],
        "rows": [_codebook_row(agreement) for agreement in agreements],
        "weights": wording.WEIGHTS[report.options["weights"]],
        "has_changed": not actions.still_holds(report),
        "n_replaced": n_items_replaced(report),
    }


def _codebook_row(agreement: QuestionAgreement) -> CodebookRow:
    unfit = UNFIT.get(agreement.reason, "")
    if unfit:
        return CodebookRow(agreement, [], unfit)
    other = MAIN.get(Question.Kind(scope_of(agreement).kind), "")
    name = other or main_coefficient(agreement)
    found = agreement.coefficients.get(name, {})
    project = agreement.report.project
    reading = reading_of(name, found, scale_of(project))
    claim, standing = claim_of(name, found, reading), standing_of(project, found, reading)
    # Of numbers and sets, and without words of a scale, the figure has no column here, or only one of many.
    if other or not claim:
        claim = claim_and_value(name, found, reading, agreement.report.chosen.percent)
    return CodebookRow(agreement, _figures(agreement), "", claim, standing, _items_of(agreement))


def _items_of(agreement: QuestionAgreement) -> str:
    return "" if agreement.reason else items_address(agreement)


def _figures(agreement: QuestionAgreement) -> list[Figure]:
    found = [(name, agreement.coefficients.get(name, {})) for name in CODEBOOK_FIGURES]
    return [
        Figure(
            figure.get("value"),
            shown_interval(figure.get("ci_low"), figure.get("ci_high")),
            _beside(figure),
            name == "percent_agreement",
            _address(agreement, figure),
        )
        for name, figure in found
    ]


def _address(agreement: QuestionAgreement, figure: Mapping[str, Any]) -> str:
    """The items behind a figure."""
    if figure.get("value") is None:
        return ""
    return behind_figure(agreement, figure.get("n_items"))


def _beside(figure: Mapping[str, Any]) -> str:
    """What stands below a figure that has no interval."""
    if figure.get("n_undefined") and figure.get("value") is not None:
        return f"{figure['n_undefined']:,} undefined"
    return wording.short_reason(figure.get("reason", ""))
