"""The labels that a report read, stored with it: written by its worker, read by its pages."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from raters.lettered import real_ids, visible_ids
from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.progress_callbacks import ReportProgress
from reports.analysis.question import Kind, QuestionScope
from reports.models import LabelBlock, QuestionAgreement
from reports.sources.packing import has_any, packed, unpacked
from reports.sources.rows import COLUMNS, Rows, read_now
from reports.sources.shared_snapshots import Snapshot
from reports.sources.tally import ItemDisagreement, Tally

NOTHING: NDArray[Any] = np.empty(0, dtype=np.int64)
# The columns that lists of items need.
LISTED = ("items", "raters", "values", "rounds")
# The fewest items on which two raters are compared in a leading round: no coefficient is defined on one item.
LEAST_SHARED = 2
# With fewer items, a round has only begun, or is too small for its figures to be trusted.
ENOUGH_SHARED = LEAST_ITEMS


def store_labels(
    agreement: QuestionAgreement,
    scope: QuestionScope,
    counted: Sequence[int],
    snapshot: Snapshot,
    report_progress: ReportProgress,
) -> int:
    """Store the labels of all rounds of the scope in the snapshot, in blocks of items.

    counted: IDs of the raters who count in the overall figures. Returns the number of labels with a confidence.
    """
    n = 0
    for rows in read_now(snapshot, scope.of_all_rounds, report_progress):
        block = _block(agreement, rows)
        block.disagreement = Tally.of(first_labels(agreement, rows, counted)).disagreement.packed
        block.save(force_insert=True)
        n += int(np.count_nonzero(~np.isnan(rows.confidences)))
    return n


class RoundOverlap:
    """Counts the items that two or more raters labeled in each round.

    raters: whose labels count. rounds: those in which any rater has labels.
    """

    def __init__(self, raters: Iterable[int]) -> None:
        self._raters = np.array(list(raters), dtype=np.int64)
        self._n_items: Counter[int] = Counter()
        self.rounds: set[int] = set()

    def add(self, rows: Rows) -> None:
        rows = rows.at(rows.has_value & np.isin(rows.raters, self._raters))
        self.rounds |= set(np.unique(rows.rounds).tolist())
        # Sorted by round, item, and rater, so that later passes of a rater in a round are adjacent.
        order = np.lexsort((rows.raters, rows.items, rows.rounds))
        items, raters, rounds = (each[order] for each in (rows.items, rows.raters, rows.rounds))
        is_same_item = (items[1:] == items[:-1]) & (rounds[1:] == rounds[:-1])
        is_another = is_same_item & (raters[1:] != raters[:-1])
        shared = np.unique(np.stack((rounds[1:][is_another], items[1:][is_another])), axis=1)
        self._n_items.update(shared[0].tolist())

    def leading(self, rounds: Sequence[int], *, enough: int = ENOUGH_SHARED) -> int | None:
        """Return the last of these rounds in which raters share enough items, or else the one in which they share most;
        of several, the last.

        None if they share fewer than LEAST_SHARED in every round.
        """
        latest_first = list(reversed(rounds))
        last = next((each for each in latest_first if self._n_items[each] >= enough), None)
        if last is not None:
            return last
        # Of several largest ones, max returns the first.
        largest = max(latest_first, key=self._n_items.__getitem__, default=None)
        return None if largest is None or self._n_items[largest] < LEAST_SHARED else largest


def _block(agreement: QuestionAgreement, rows: Rows) -> LabelBlock:
    columns = {name: packed(getattr(rows, name)) for name in COLUMNS}
    if not len(rows.confidences):
        columns["confidences"] = b""
    members = b""
    if rows.members is not None:
        used, places = np.unique(rows.values[rows.has_value], return_inverse=True)
        values = rows.values.copy()
        values[rows.has_value] = places
        columns["values"] = packed(values)
        members = packed(rows.members[used].ravel())
    return LabelBlock(
        agreement=agreement, first_item=int(rows.items[0]), n_labels=len(rows), members=members, **columns
    )


def blocks_of(
    agreement: QuestionAgreement,
    columns: Collection[str] = LISTED,
    *,
    first_items: Sequence[int] | None = None,
    of_any: Collection[int] | None = None,
    all_rounds: bool = False,
) -> Iterator[tuple[int, Rows]]:
    """Yield the stored labels in blocks of items, each with the ID of its first item.

    Columns that are not requested are empty. first_items: only these blocks. of_any: only blocks in which any of these
    raters has labels. all_rounds: include labels of rounds other than the leading one.
    """
    lead = None if all_rounds or agreement.lead is None else agreement.lead["id"]
    if lead is not None:
        columns = {*columns, "items", "rounds"}
    blocks = LabelBlock.objects.filter(agreement=agreement).order_by("first_item")
    if first_items is not None:
        blocks = blocks.filter(first_item__in=list(first_items))
    if of_any is not None:
        blocks = blocks.filter(first_item__in=_with_labels_of(blocks, of_any))
    for block in blocks.only("first_item", "agreement_id", "members", *columns).iterator(chunk_size=16):
        rows = _rows(agreement, block, columns)
        if lead is not None:
            rows = rows.at(rows.rounds == lead)
        if lead is None or len(rows):
            yield block.first_item, rows


def first_labels(agreement: QuestionAgreement, rows: Rows, raters: Sequence[int]) -> Rows:
    """Return the labels of the leading round, or of all rounds if there is none, that these raters gave first."""
    keep = np.isin(rows.raters, np.array(raters, dtype=np.int64))
    if agreement.lead is not None:
        keep &= rows.rounds == agreement.lead["id"]
    rows = rows.at(keep)
    return rows.at(rows.is_first)


def disagreement_of(agreement: QuestionAgreement) -> Iterator[tuple[int, ItemDisagreement]] | None:
    """Yield what is stored of items and the raters who count, with the first item of each block.

    None for a report computed before this was stored.
    """
    blocks = LabelBlock.objects.filter(agreement=agreement).order_by("first_item")
    if blocks.filter(disagreement=b"").exists():
        return None
    kept = blocks.values_list("first_item", "disagreement").iterator(chunk_size=16)
    return ((first_item, ItemDisagreement.unpacked(bytes(column))) for first_item, column in kept)


def _with_labels_of(blocks: QuerySet[LabelBlock], raters: Collection[int]) -> list[int]:
    """Return the first items of the blocks in which any of these raters has labels."""
    wanted = np.array(real_ids([*raters]), dtype=np.int64)
    kept = blocks.values_list("first_item", "raters").iterator(chunk_size=16)
    return [first_item for first_item, column in kept if has_any(bytes(column), wanted)]


def _rows(agreement: QuestionAgreement, block: LabelBlock, columns: Collection[str]) -> Rows:
    found: dict[str, NDArray[Any]] = {
        name: unpacked(kept) if name in columns and (kept := bytes(getattr(block, name))) else NOTHING
        for name in COLUMNS
    }
    found["raters"] = visible_ids(found["raters"])
    members = None
    # Only sets have members, whose array is never empty, even if there are no sets.
    if packed_members := bytes(block.members):
        n_categories = len(agreement.categories)
        flat = unpacked(packed_members)
        members = flat.reshape(-1, n_categories) if n_categories else np.zeros((1, 0), dtype=bool)
    return Rows(**found, members=members)


def count_abstentions(agreement: QuestionAgreement, raters: Sequence[int]) -> int:
    """Return the number of items on which these raters abstained in their first pass."""
    chosen = np.array(raters, dtype=np.int64)
    return sum(
        int(np.count_nonzero(np.isin(rows.raters, chosen) & rows.is_first & ~rows.has_value))
        for _, rows in blocks_of(agreement, ("items", "raters", "values"), of_any=raters)
    )


def rounds_read(agreement: QuestionAgreement) -> set[int]:
    """Return the rounds in which the report has labels."""
    found: set[int] = set()
    for _, rows in blocks_of(agreement, ("rounds",), all_rounds=True):
        found |= set(np.unique(rows.rounds).tolist())
    return found


def joined(blocks: Sequence[Rows]) -> Rows:
    """Join one or more blocks into one."""
    if len(blocks) == 1:
        return blocks[0]
    columns: dict[str, NDArray[Any]] = {
        name: np.concatenate([getattr(each, name) for each in blocks]) for name in COLUMNS
    }
    if any(len(each.confidences) for each in blocks):
        columns["confidences"] = np.concatenate([stated_in(each) for each in blocks])
    if blocks[0].members is None:
        return Rows(**columns)
    tables = [each.members for each in blocks if each.members is not None]
    members, codes = np.unique(np.concatenate(tables), axis=0, return_inverse=True)
    starts = np.cumsum([0, *(len(each) for each in tables)])[:-1]
    own = np.repeat(starts, [len(each) for each in blocks])
    values = columns["values"]
    is_set = values >= 0
    values[is_set] = codes.ravel()[values[is_set] + own[is_set]]
    return replace(Rows(**columns), members=members)


def stated_in(rows: Rows) -> NDArray[np.float64]:
    """Return the confidence of each label, (L,); NaN if not given."""
    return rows.confidences if len(rows.confidences) else np.full(len(rows), np.nan)


# An empty array of values, and of sets of this many categories, by kind of question.
NO_VALUES: dict[str, Callable[[int], tuple[NDArray[Any], NDArray[np.bool_] | None]]] = {
    Kind.SINGLE: lambda n_categories: (NOTHING, None),
    Kind.NUMBER: lambda n_categories: (np.empty(0), None),
    Kind.MULTIPLE: lambda n_categories: (NOTHING, np.zeros((0, n_categories), dtype=bool)),
}


def no_rows(agreement: QuestionAgreement) -> Rows:
    values, members = NO_VALUES[agreement.asked["kind"]](len(agreement.categories))
    return Rows(NOTHING, NOTHING, values, NOTHING, NOTHING, NOTHING, np.empty(0), members)
