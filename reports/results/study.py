"""Where the labels of a result come from: who labeled what, in which design, and what adjudication decided."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Sum

from core.history import VISIBLE_ENTRIES
from reports.analysis.label_arrays import NO_ROUND
from reports.models import LabelBlock
from reports.results.kinds import COMMON
from reports.sources.past_labels import deciders_of
from reports.sources.stored_labels import blocks_of
from reports.store.agreements import ReportRater
from reports.store.stored_result import StoredResult


class StudySize(NamedTuple):
    n_items: int
    n_labels: int
    n_abstentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """counted: the raters behind the figures; left_out: the others. n_items, n_labels, n_abstentions: of those who
    count.

    each: the number of raters who answered each item, None if it varies or is unknown. n_single: items with one label.
    has_repeats: whether a rater labeled an item more than once.
    """

    counted: tuple[ReportRater, ...]
    left_out: tuple[ReportRater, ...]
    n_items: int
    n_labels: int
    n_abstentions: int
    each: int | None
    n_single: int
    has_repeats: bool

    @property
    def n_raters(self) -> int:
        return len(self.counted)

    @property
    def n_answers(self) -> int:
        return self.n_labels + self.n_abstentions

    @property
    def n_possible(self) -> int:
        """The number of labels if every rater who counts had labeled every item."""
        return self.n_items * self.n_raters

    @property
    def is_crossed(self) -> bool:
        return self.each == self.n_raters

    @property
    def is_rotation(self) -> bool:
        return self.each is not None and 1 < self.each < self.n_raters


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjudicationCounts:
    """The number of items that adjudicators decided, and of the people who decided them."""

    n_items: int
    n_people: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRounds:
    """keys: of the rounds with labels in the report. lead: the round that its figures use, "" for all. is_chosen:
    whether it was requested for these only. has_others: whether there are labels without a round.
    """

    keys: tuple[str, ...]
    lead: str = ""
    is_chosen: bool = False
    has_others: bool = False


def study_of(result: StoredResult) -> Study:
    """Return the study of the raters who count or, if these are too few, of all raters."""
    of, counted = result.row, result.counted
    sizes = StudySize(of.n_items, of.n_labels, of.n_abstentions)
    raters, left_out = tuple(result.raters), counted.left_out
    if left_out and not counted.are_too_few:
        raters = tuple(rater for rater in raters if rater.id in counted)
        sizes = StudySize(counted.n_items, counted.n_labels, counted.n_abstentions)
    ids = [rater.id for rater in raters]
    members = frozenset(ids)
    return Study(
        counted=raters,
        left_out=tuple(rater for rater in result.raters if rater.id not in members),
        n_items=sizes.n_items,
        n_labels=sizes.n_labels,
        n_abstentions=sizes.n_abstentions,
        each=_answers_each(result, sizes, ids),
        n_single=_n_single(result, sizes, ids),
        has_repeats=_has_repeats(result),
    )


def _answers_each(result: StoredResult, sizes: StudySize, ids: Collection[int]) -> int | None:
    if sizes.n_abstentions:
        return _n_answers_per_item(result, ids)
    if not sizes.n_items or sizes.n_labels % sizes.n_items:
        return None
    each = sizes.n_labels // sizes.n_items
    if each == len(ids):
        return each
    # An item with m labels has m (m - 1) / 2 pairs. For a given number of labels, the number of pairs is smallest only
    # if all items have equally many labels.
    fewest = sizes.n_items * each * (each - 1) // 2
    return each if _pairs_of_labels(result, ids) == fewest else None


def _n_single(result: StoredResult, sizes: StudySize, ids: Collection[int]) -> int:
    if len(ids) == 2:
        return sizes.n_items - _pairs_of_labels(result, ids)
    n_pairable = result.coefficients.get(COMMON, {}).get("n_items")
    return 0 if n_pairable is None else sizes.n_items - int(n_pairable)


def _n_answers_per_item(result: StoredResult, ids: Collection[int]) -> int | None:
    """Return the number of answers to each item, with "cannot tell", from the report's labels; None if it varies."""
    if result.unstored is not None:
        return None
    found: set[int] = set()
    for _, rows in blocks_of(result.row, ("items", "raters", "values")):
        mine = rows.items[np.isin(rows.raters, list(ids)) & rows.is_first]
        found |= set(np.unique(np.unique(mine, return_counts=True)[1]).tolist())
        if len(found) > 1:
            return None
    return found.pop() if found else None


def _pairs_of_labels(result: StoredResult, ids: Collection[int]) -> int:
    if result.unstored is None:
        pairs = result.row.pairs.filter(rater_a__in=ids, rater_b__in=ids)
        return int(pairs.aggregate(found=Sum("n", default=0))["found"])
    return sum(pair.n for pair in result.unstored if pair.rater_a_id in ids and pair.rater_b_id in ids)


def _has_repeats(result: StoredResult) -> bool:
    """Return whether there are labels of later passes, which are stored but enter no overall figure."""
    if result.unstored is not None:
        return False
    row = result.row
    if row.lead is None:
        kept = LabelBlock.objects.filter(agreement=row).aggregate(found=Sum("n_labels", default=0))["found"]
    else:
        kept = sum(len(rows) for _, rows in blocks_of(row, ("items",)))
    return int(kept) > row.n_labels + row.n_abstentions


def rounds_of(result: StoredResult) -> ReportRounds | None:
    """Return the rounds of the labels; None if they are uninformative: there is at most one, or none were stored.

    Rounds that exist only since the report was computed change nothing.
    """
    if result.unstored is not None:
        return None
    row, chosen = result.row, result.report.scope["rounds"]
    known = result.report.round_keys
    if not known:
        return None
    found: set[int] = set()
    for _, rows in blocks_of(row, ("items", "rounds"), all_rounds=True):
        found |= set(np.unique(rows.rounds).tolist())
    keys = tuple(key for pk, key in known.items() if pk in found)
    if row.lead is None and (not keys or (chosen is None and len(found) < 2)):
        return None
    return ReportRounds(
        keys=keys,
        lead="" if row.lead is None else row.lead["key"],
        is_chosen=chosen is not None,
        has_others=NO_ROUND in found,
    )


# What adjudicators had decided by the head of a report. Who decided is only kept with a decision that still applies.
_DECIDED = f"""
SELECT count(DISTINCT last.item_id), count(DISTINCT coalesce(decision.decided_by_id, last.user_id))
FROM (
    SELECT DISTINCT ON (label_id) label_id, revision, change, item_id, user_id
    FROM raters_labelrevision
    WHERE rater_id = ANY (%(deciders)s) AND question_id = %(question)s AND {VISIBLE_ENTRIES}
    ORDER BY label_id, id DESC
) last
LEFT JOIN raters_label label ON label.id = last.label_id AND label.revision = last.revision
LEFT JOIN raters_decision decision ON decision.label_id = label.id
WHERE last.change <> 'D' AND (%(rounds)s::bigint[] IS NULL OR EXISTS (
    SELECT FROM raters_labelrevision seen
    WHERE seen.item_id = last.item_id AND seen.question_id = %(question)s AND seen.batch_id = ANY (%(rounds)s)
        AND {VISIBLE_ENTRIES.replace("entry_id ", "seen.entry_id ")}
))"""  # noqa: S608


def adjudicated_in(result: StoredResult) -> AdjudicationCounts | None:
    """Return what adjudicators had decided on the question when the report was computed; None if nothing."""
    if result.unstored is not None:
        return None
    report, lead = result.report, result.row.lead
    deciders = list(deciders_of(report.project).values_list("pk", flat=True))
    if not deciders:
        return None
    chosen = report.codebook["rounds"] if lead is None else [lead]
    params = {
        **report.head.params,
        "deciders": deciders,
        "question": result.row.question_id,
        "rounds": None if chosen is None else [round_["id"] for round_ in chosen],
    }
    with connection.cursor() as cursor:
        cursor.execute(_DECIDED, params)
        n_items, n_people = cursor.fetchone()
    return AdjudicationCounts(n_items=n_items, n_people=n_people) if n_items else None
