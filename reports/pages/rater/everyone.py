"""What the page of a question's raters shows: each against the reference, and as the consensus sees them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from core.templatetags.shown import figure, percent
from core.web.paging import page_of
from reports.analysis.reasons import words_of
from reports.pages.question.question_head import question_head
from reports.pages.statistic_tables import MOST_CATEGORIES
from reports.results.addresses import question_address
from reports.results.against_reference import Against, against_reference, reference_of
from reports.results.items.of_question import can_be_listed
from reports.results.items.query import IN_AGREEMENT
from reports.results.kinds import result_kind
from reports.results.statistic_rows import shown_limits, shown_value
from reports.store.agreements import Rater
from reports.store.stored_result import StoredResult

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
class RaterLine:
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


def raters_context(request: HttpRequest, result: StoredResult) -> dict[str, Any]:
    """Each rater of a single choice; of other questions who they are, for the rest is on the page of each."""
    head = {**question_head(result), "percent": result.report.chosen.percent}
    if not result_kind(result.scope.kind).has_counts:
        rows = [RaterLine(rater, "", None, []) for rater in result.raters]
        page = page_of(request, rows, size=RATERS_ON_A_PAGE)
        return {**head, "is_single": False, "page": page, "reference": None}
    found = against_reference(result, reference_of(result, request.GET.get("reference", "")[:200]))
    consensus = result.statistics.get("consensus", {})
    estimates = {each["rater"]: each for each in consensus.get("dawid_skene", {}).get("raters", [])}
    return {
        **head,
        "is_single": True,
        "page": page_of(request, _rows(result, found, estimates), size=RATERS_ON_A_PAGE),
        "reference": found.reference,
        "why_no_reference": words_of(found.reason).phrase if found.reference else "",
        "raters": result.raters,
        **_consensus(result, consensus),
    }


def _rows(result: StoredResult, found: Against, estimates: Mapping[str, Any]) -> list[RaterLine]:
    figures = {each["rater"]: each["values"] for each in found.raters}
    return [
        _row(
            rater,
            percent(estimates.get(rater.key, {}).get("share_right"), 1),
            figures.get(rater.key, {}),
            _items_of_two(result, rater, found.reference) if found.reference else "",
        )
        for rater in result.raters
    ]


def _row(rater: Rater, share_right: str, figures: Mapping[str, Any], items: str) -> RaterLine:
    n = figures["accuracy"]["n_items"] if figures else None
    cells = [_cell(name, figures.get(name, {}), is_share, items) for name, is_share in COLUMNS.items()]
    return RaterLine(rater, share_right, n, cells, items)


def _items_of_two(result: StoredResult, rater: Rater, reference: Rater) -> str:
    a, b = sorted((rater.id, reference.id))
    return f"{question_address(result.row)}{a}/{b}/items/"


def _cell(name: str, found: Mapping[str, Any], is_share: bool, items: str) -> Cell:
    interval = shown_limits(found.get("ci_low"), found.get("ci_high"), is_share=is_share)
    reason = words_of(found.get("reason") or "").short
    address = f"{items}{IN_AGREEMENT}" if name == "accuracy" else items
    is_known = found.get("value") is not None
    return Cell(
        shown_value(found.get("value"), is_share=is_share), interval or reason, address if is_known else ""
    )


def _consensus(result: StoredResult, consensus: Mapping[str, Any]) -> dict[str, Any]:
    majority, estimate = consensus.get("majority_vote", {}), consensus.get("dawid_skene", {})
    names, k = result.category_names, len(result.categories)
    columns = zip(
        names,
        majority.get("items", [0] * k),
        estimate.get("items", [None] * k),
        estimate.get("prevalence", [None] * k),
        [category["key"] for category in result.categories],
        strict=True,
    )
    rows = [ConsensusRow(*column) for column in columns]
    return {
        "majority": majority,
        "has_estimated_items": can_be_listed(result),
        "estimate": estimate,
        "why_no_estimate": words_of(estimate.get("reason") or "").phrase,
        "log_likelihood": figure(estimate.get("log_likelihood"), 3),
        "consensus_rows": sorted(rows, key=lambda row: -row.majority)[:MOST_CATEGORIES] if rows else [],
    }
