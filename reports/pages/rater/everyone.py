"""What the page of a question's raters shows: each against the reference, and as the consensus sees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from core.templatetags.shown import figure, percent
from core.web.paging import page_of
from projects.models import Project, Question
from reports.analysis.reasons import words_of
from reports.models import QuestionAgreement
from reports.pages.question.estimated import can_be_listed
from reports.pages.question.head import question_head
from reports.pages.question.statistics import MOST_CATEGORIES
from reports.results.addresses import question_address
from reports.results.reference import Against, against_reference, reference_of
from reports.results.statistic_rows import shown_limits, shown_value
from reports.store.agreements import Rater, raters_of, scope_of

RATERS_ON_A_PAGE = 50
# What stands of each rater in the list, and whether it is a share.
COLUMNS = {
    "accuracy": True,
    "balanced_accuracy": True,
    "kappa": False,
    "kappa_max": False,
    "matthews": False,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """address: of the items behind it, "" where there is no value."""

    value: str
    interval: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class RaterRow:
    """share_right: how often the rater is right by the consensus. n: items shared with the reference, None without;
    items: where those are listed.
    """

    rater: Rater
    share_right: str
    n: int | None
    cells: list[Cell]
    items: str = ""


@dataclass(frozen=True, slots=True)
class ConsensusRow:
    """One category: on how many items the majority and the estimate put it, and how common it is estimated to be."""

    name: str
    majority: int
    estimated: int | None
    prevalence: float | None
    key: str


def raters(request: HttpRequest, project: Project, agreement: QuestionAgreement) -> dict[str, Any]:
    """Each rater of a single choice; of other questions who they are, for the rest is on the page of each."""
    head = {**question_head(project, agreement), "percent": agreement.report.chosen.percent}
    if scope_of(agreement).kind != Question.Kind.SINGLE:
        rows = [RaterRow(rater, "", None, []) for rater in raters_of(agreement)]
        page = page_of(request, rows, size=RATERS_ON_A_PAGE)
        return {**head, "is_single": False, "page": page, "reference": None}
    found = against_reference(agreement, reference_of(agreement, request.GET.get("reference", "")[:200]))
    consensus = agreement.statistics.get("consensus", {})
    estimates = {each["rater"]: each for each in consensus.get("dawid_skene", {}).get("raters", [])}
    return {
        **head,
        "is_single": True,
        "page": page_of(request, _rows(agreement, found, estimates), size=RATERS_ON_A_PAGE),
        "reference": found.reference,
        "why_no_reference": words_of(found.reason).phrase if found.reference else "",
        "raters": raters_of(agreement),
        **_consensus(agreement, consensus),
    }


def _rows(agreement: QuestionAgreement, found: Against, estimates: Mapping[str, Any]) -> list[RaterRow]:
    figures = {each["rater"]: each["values"] for each in found.raters}
    return [
        _row(
            rater,
            percent(estimates.get(rater.key, {}).get("share_right"), 1),
            figures.get(rater.key, {}),
            _items_of_two(agreement, rater, found.reference) if found.reference else "",
        )
        for rater in raters_of(agreement)
    ]


def _row(rater: Rater, share_right: str, figures: Mapping[str, Any], items: str) -> RaterRow:
    n = figures["accuracy"]["n_items"] if figures else None
    cells = [_cell(name, figures.get(name, {}), is_share, items) for name, is_share in COLUMNS.items()]
    return RaterRow(rater, share_right, n, cells, items)


def _items_of_two(agreement: QuestionAgreement, rater: Rater, reference: Rater) -> str:
    a, b = sorted((rater.id, reference.id))
    return f"{question_address(agreement)}{a}/{b}/items/"


def _cell(name: str, found: Mapping[str, Any], is_share: bool, items: str) -> Cell:
    interval = shown_limits(found.get("ci_low"), found.get("ci_high"), is_share=is_share)
    reason = words_of(found.get("reason") or "").short
    address = f"{items}?in=agreement" if name == "accuracy" else items
    is_known = found.get("value") is not None
    return Cell(
        shown_value(found.get("value"), is_share=is_share), interval or reason, address if is_known else ""
    )


def _names(agreement: QuestionAgreement) -> list[str]:
    return [category["name"] or category["key"] for category in agreement.categories]


def _consensus(agreement: QuestionAgreement, consensus: Mapping[str, Any]) -> dict[str, Any]:
    majority, estimate = consensus.get("majority_vote", {}), consensus.get("dawid_skene", {})
    names, k = _names(agreement), len(agreement.categories)
    columns = zip(
        names,
        majority.get("items", [0] * k),
        estimate.get("items", [None] * k),
        estimate.get("prevalence", [None] * k),
        [category["key"] for category in agreement.categories],
        strict=True,
    )
    rows = [ConsensusRow(*column) for column in columns]
    return {
        "majority": majority,
        "has_estimated_items": can_be_listed(agreement),
        "estimate": estimate,
        "why_no_estimate": words_of(estimate.get("reason") or "").phrase,
        "log_likelihood": figure(estimate.get("log_likelihood"), 3),
        "consensus_rows": sorted(rows, key=lambda row: -row.majority)[:MOST_CATEGORIES] if rows else [],
    }
