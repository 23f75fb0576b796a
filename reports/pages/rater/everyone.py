"""What the page of a question's raters shows: each against the reference, and as the consensus sees them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.paginator import Page
from django.http import HttpRequest

from core.templatetags.shown import figure, percent
from core.web.paging import page_of
from reports.analysis.reasons import words_of
from reports.analysis.results import AllAgainstReference, Figure, LatentClasses, MajorityVote
from reports.pages.contexts import PageSection
from reports.pages.heads import QuestionHead, question_head
from reports.pages.statistic_tables import MOST_CATEGORIES
from reports.results.addresses import question_address
from reports.results.against_reference import against_reference, equality_sentence, reference_of
from reports.results.items.of_question import can_be_listed
from reports.results.items.query import IN_AGREEMENT
from reports.results.statistic_rows import shown_limits, shown_value
from reports.store.agreements import ReportRater
from reports.store.stored_result import NOTHING, StoredResult

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

    rater: ReportRater
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersListed(PageSection):
    """has_consensus: whether they are compared with one, and with a reference."""

    head: QuestionHead
    percent: str
    page: Page
    has_consensus: bool = False
    reference: ReportRater | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusSection(PageSection):
    """What the majority and Dawid & Skene's model find. why_no_estimate: "" where there is one."""

    majority: MajorityVote | None
    has_estimated_items: bool
    estimate: LatentClasses | None
    why_no_estimate: str
    log_likelihood: str
    consensus_rows: Sequence[ConsensusRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersCompared(RatersListed):
    """why_no_reference: why nobody is compared with it. equality: whether all agree with it alike, "" if not tested."""

    why_no_reference: str
    equality: str
    raters: Sequence[ReportRater]
    consensus: ConsensusSection


def raters_listed(request: HttpRequest, result: StoredResult) -> RatersListed:
    """Who they are; the rest is on the page of each."""
    rows = [RaterLine(rater, "", None, []) for rater in result.raters]
    page = page_of(request, rows, size=RATERS_ON_A_PAGE)
    return RatersListed(head=question_head(result), percent=result.report.chosen.percent, page=page)


def raters_compared(request: HttpRequest, result: StoredResult) -> RatersCompared:
    """Each rater against the reference, and as the consensus sees them."""
    reference = reference_of(result, request.GET.get("reference", "")[:200])
    found = against_reference(result, reference)
    return RatersCompared(
        head=question_head(result),
        percent=result.report.chosen.percent,
        has_consensus=True,
        page=page_of(request, _rows(result, found, reference), size=RATERS_ON_A_PAGE),
        reference=reference,
        why_no_reference=words_of(found.reason).phrase if reference else "",
        equality=equality_sentence(found),
        raters=result.raters,
        consensus=_consensus(result),
    )


def _rows(result: StoredResult, found: AllAgainstReference, reference: ReportRater | None) -> list[RaterLine]:
    consensus = result.figures.consensus
    estimate = consensus.dawid_skene if consensus else None
    of_each = estimate.raters if isinstance(estimate, LatentClasses) else ()
    shares = {each.rater: each.share_right for each in of_each}
    figures = {each.rater: each.values for each in found.raters}
    return [_row(result, rater, shares.get(rater.key), figures, reference) for rater in result.raters]


def _row(
    result: StoredResult,
    rater: ReportRater,
    share_right: float | None,
    figures: Mapping[str, Mapping[str, Figure]],
    reference: ReportRater | None,
) -> RaterLine:
    own, items = figures.get(rater.key, {}), ""
    if reference is not None:
        a, b = sorted((rater.id, reference.id))
        items = f"{question_address(result.row)}{a}/{b}/items/"
    cells = []
    for name, is_share in COLUMNS.items():
        found = own.get(name, NOTHING)
        interval = shown_limits(found.ci_low, found.ci_high, is_share=is_share)
        address = f"{items}{IN_AGREEMENT}" if name == "accuracy" else items
        cells.append(
            Cell(
                shown_value(found.value, is_share=is_share),
                interval or words_of(found.reason).short,
                "" if found.value is None else address,
            )
        )
    return RaterLine(rater, percent(share_right, 1), own["accuracy"].n_items if own else None, cells, items)


def _consensus(result: StoredResult) -> ConsensusSection:
    found, k = result.figures.consensus, len(result.categories)
    majority, estimate = (found.majority_vote, found.dawid_skene) if found else (None, None)
    classes = estimate if isinstance(estimate, LatentClasses) else None
    columns = zip(
        result.category_names,
        majority.items if majority else [0] * k,
        classes.items if classes else [None] * k,
        classes.prevalence if classes else [None] * k,
        [category["key"] for category in result.categories],
        strict=True,
    )
    rows = [ConsensusRow(*column) for column in columns]
    return ConsensusSection(
        majority=majority,
        has_estimated_items=can_be_listed(result),
        estimate=classes,
        why_no_estimate=words_of(estimate.reason).phrase if estimate else "",
        log_likelihood=figure(classes.log_likelihood if classes else None, 3),
        consensus_rows=sorted(rows, key=lambda row: -row.majority)[:MOST_CATEGORIES] if rows else [],
    )
