"""The page of a report on several questions, with a row for each."""

from collections.abc import Sequence
from dataclasses import dataclass

from projects.models import Project
from reports.analysis.catalog import title_in, title_of
from reports.analysis.reasons import UNFIT
from reports.models import QuestionAgreement, Report
from reports.pages.contexts import PageSection
from reports.pages.question.verdict import ThresholdPosition, claim_of, position_for
from reports.results import wording
from reports.results.addresses import items_address, items_used_address
from reports.results.kinds import in_its_weights
from reports.results.primary import primary_of
from reports.results.round_wording import RoundsUsed, rounds_used
from reports.results.wording import shown_interval
from reports.sources.replaced_items import n_items_replaced
from reports.store import requests as actions
from reports.store.included_raters import IncludedRaters
from reports.store.stored_result import StoredResult


@dataclass(frozen=True, slots=True)
class CodebookRow:
    """unfit: why the question could not be computed, shown instead of figures. claim, position: of its verdict. items:
    the URL of its items, "" if there is no list.
    """

    agreement: QuestionAgreement
    counted: IncludedRaters
    figures: list["CodebookFigure"]
    unfit: str
    claim: str = ""
    position: ThresholdPosition | None = None
    items: str = ""


@dataclass(frozen=True, slots=True)
class CodebookFigure:
    """title: of the coefficient, if its column has another."""

    title: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CodebookPage(PageSection):
    project: Project
    report: Report
    columns: Sequence[str]
    rows: Sequence[CodebookRow]
    weights: str
    has_changed: bool
    n_replaced: int
    rounds: RoundsUsed


def codebook(report: Report, results: Sequence[StoredResult]) -> CodebookPage:
    columns = [_column(name, results) for name in CODEBOOK_FIGURES]
    return CodebookPage(
        project=report.project,
        report=report,
        columns=columns,
        rows=[_codebook_row(result, columns) for result in results],
        weights=wording.weights_of_report(report.chosen),
        has_changed=not actions.is_current(report),
        n_replaced=n_items_replaced(report),
        rounds=rounds_used(report, [result.row for result in results]),
    )


def _column(name: str, results: Sequence[StoredResult]) -> str:
    """Return the title of a coefficient, with weights if every question that has it is weighted."""
    shown = {_title(each, name) for each in results if name in each.row.coefficients}
    return shown.pop() if len(shown) == 1 else title_of(name)


def _title(result: StoredResult, name: str) -> str:
    return title_in(in_its_weights(result.row, name), is_weighted=result.scope.is_weighted)


def _codebook_row(result: StoredResult, columns: Sequence[str]) -> CodebookRow:
    unfit = UNFIT.get(result.reason, "")
    if unfit:
        return CodebookRow(result.row, result.counted, [], unfit)
    primary = primary_of(result)
    claim, position = claim_of(result, primary), position_for(result, primary)
    items = "" if result.reason else items_address(result.row)
    return CodebookRow(result.row, result.counted, _figures(result, columns), "", claim, position, items)


def _figures(result: StoredResult, columns: Sequence[str]) -> list[CodebookFigure]:
    names = [in_its_weights(result.row, name) for name in CODEBOOK_FIGURES]
    titles = [title_in(name, is_weighted=result.scope.is_weighted) for name in names]
    found = [(*each, result.figure(each[0])) for each in zip(names, titles, columns, strict=True)]
    return [
        CodebookFigure(
            "" if title == column else title,
            figure.value,
            shown_interval(figure.ci_low, figure.ci_high),
            f"{figure.n_undefined:,} undefined"
            if figure.n_undefined and figure.value is not None
            else wording.short_reason(figure.reason),
            name == "percent_agreement",
            "" if figure.value is None else items_used_address(result, figure.n_items),
        )
        for name, title, column, figure in found
    ]
