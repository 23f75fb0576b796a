"""The consensus of a question's raters, by category, on the page of its raters."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.templatetags.shown import figure
from reports.analysis.reasons import words_of
from reports.analysis.results import LatentClassEstimates, MajorityVote
from reports.pages.contexts import PageSection
from reports.pages.statistic_tables import MOST_CATEGORIES
from reports.results.estimate_doubts import doubts_of, doubts_sentence
from reports.results.items.question_items import can_be_listed
from reports.store.stored_result import StoredResult


@dataclass(frozen=True, slots=True)
class ConsensusRow:
    """One category: its number of items by majority and by the estimate, and its estimated prevalence."""

    name: str
    majority: int
    estimated: int | None
    prevalence: float | None
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusSection(PageSection):
    """The results of the majority and the Dawid–Skene model. why_no_estimate: "" if there is an estimate.
    doubts: why its accuracies are not reliable, in a sentence; "" if nothing speaks against them.
    """

    majority: MajorityVote | None
    has_estimated_items: bool
    estimate: LatentClassEstimates | None
    why_no_estimate: str
    log_likelihood: str
    doubts: str
    consensus_rows: Sequence[ConsensusRow]


def consensus_section(result: StoredResult) -> ConsensusSection:
    found, k = result.figures.consensus, len(result.categories)
    majority, estimate = (found.majority_vote, found.dawid_skene) if found else (None, None)
    classes = estimate if isinstance(estimate, LatentClassEstimates) else None
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
        doubts=doubts_sentence(doubts_of(classes)) if classes else "",
        log_likelihood=figure(classes.log_likelihood if classes else None, 3),
        consensus_rows=sorted(rows, key=lambda row: -row.majority)[:MOST_CATEGORIES] if rows else [],
    )
