"""The labels of one rater, and those of others on the same items, as the report read them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from raters.models import Assignment
from reports.agreement.results import IntArray
from reports.analysis.label_arrays import AnswerColumns, IdArray, RaterAndOtherLabels
from reports.models import QuestionAgreement
from reports.sources.rows import Rows
from reports.sources.stored_labels import NOTHING, blocks_of, joined, no_rows

NEEDED = ("items", "raters", "values", "rounds", "moments", "seconds")


@dataclass(frozen=True, slots=True)
class RaterLabelQuery:
    """Which labels to read: of one question, in these rounds (None for all), except items of the hidden rounds."""

    agreement: QuestionAgreement
    rater: int
    others: Sequence[int]
    rounds: Sequence[int] | None
    hidden: Sequence[int]


def read_with_others(wanted: RaterLabelQuery) -> RaterAndOtherLabels:
    """Read the labels. The first pass of each item and rater in the scope counts, as in the report."""
    hidden = _hidden_items(wanted)
    others = np.array(wanted.others, dtype=np.int64)
    parts, n_own = [], 0
    for _, rows in blocks_of(
        wanted.agreement, NEEDED, of_any=[wanted.rater], all_rounds=wanted.rounds is not None
    ):
        parts.append(_part(rows.at(_is_visible(rows, wanted, hidden)), wanted.rater, others, n_own))
        n_own += len(parts[-1].own)
    if not parts:
        parts = [_part(no_rows(wanted.agreement), wanted.rater, others, 0)]
    n_categories = len(wanted.agreement.categories)
    own, of_others, first, again = (
        _answers(joined([getattr(part, name) for part in parts]), n_categories)
        for name in ("own", "others", "first", "again")
    )
    places = np.concatenate([part.places for part in parts])
    return RaterAndOtherLabels(
        own, of_others, first, again, sum(part.n_abstentions for part in parts), places
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The parts of `RaterAndOtherLabels` for some of the items."""

    own: Rows
    others: Rows
    first: Rows
    again: Rows
    n_abstentions: int
    places: NDArray[np.int64]


def _part(rows: Rows, rater: int, others: IdArray, n_before: int) -> _Part:
    """Return the part of these rows. n_before: the number of the rater's own labels in earlier parts."""
    mine = rows.at(rows.raters == rater)
    is_first = mine.is_first
    starts = np.maximum.accumulate(np.where(is_first, np.arange(len(mine)), 0))
    first, again = mine.at(starts[~is_first]), mine.at(~is_first)
    is_both = first.has_value & again.has_value
    firsts = mine.at(is_first)
    own = firsts.at(firsts.has_value)
    of_others, places = _of_others(rows, others, own.items)
    n_abstentions = len(firsts) - len(own)
    return _Part(own, of_others, first.at(is_both), again.at(is_both), n_abstentions, places + n_before)


def _of_others(rows: Rows, others: IdArray, items: IntArray) -> tuple[Rows, NDArray[np.int64]]:
    """Return the first label of each other rater on these items, and the position of its item among them."""
    # Times are shown only for the rater's own labels.
    rows = replace(rows, moments=NOTHING)
    keep = rows.is_first & rows.has_value & np.isin(rows.raters, others)
    places = np.searchsorted(items, rows.items)
    keep &= np.append(items, -1)[places] == rows.items
    return rows.at(keep), places[keep]


def _is_visible(rows: Rows, wanted: RaterLabelQuery, hidden: IntArray) -> NDArray[np.bool_]:
    seen = np.ones(len(rows), dtype=bool)
    if wanted.rounds is not None:
        seen &= np.isin(rows.rounds, np.array(wanted.rounds, dtype=np.int64))
    if len(hidden):
        seen &= ~np.isin(rows.items, hidden)
    return seen


def _hidden_items(wanted: RaterLabelQuery) -> IntArray:
    """Return the items of the hidden rounds, in which the viewer still labels."""
    if not wanted.hidden:
        return NOTHING
    ids = Assignment.objects.filter(round__in=wanted.hidden).values_list("item", flat=True).distinct()
    return np.fromiter(ids, dtype=np.int64)


def _answers(rows: Rows, n_categories: int) -> AnswerColumns:
    members = np.zeros((0, n_categories), dtype=bool) if rows.members is None else rows.members
    return AnswerColumns(
        rows.items, rows.raters, rows.values, members, rows.moments / 1_000_000, rows.seconds
    )
