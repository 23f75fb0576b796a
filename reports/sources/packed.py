"""The fast way of reading labels: slices of items, packed by the database, on several connections in parallel."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any

import numpy as np
import psycopg

from reports.agreement.building import RatingsBuilder
from reports.agreement.progress_callbacks import ReportProgress
from reports.sources.relation import LabelSource, Positions
from reports.sources.shared_snapshots import Snapshot

# The approximate number of labels in a slice: 30,000 to 130,000 were fastest.
SLICE_LABELS = 65_536
FIRST_SLICE_ITEMS = 256
# The most times that a slice may be wider than the previous one.
MAX_GROWTH = 8
# The bits available for a packed label: bigint has a sign bit.
PACKED_BITS = 63
MIN_ITEM_BITS = 20
LABEL_BYTES = 8
TICK_SECONDS = 0.25

# Not the ID of any category.
ABSTENTION = 0

# A NULL delimiter: an empty string would be appended before every label. Each operation is done once per label, so
# items are counted from the first of the slice only if their IDs are too large otherwise.
PACKED = (
    "string_agg(int8send(({item} << %(item_shift)s) | (rater_id << %(category_bits)s)"
    " | coalesce(category_id, 0)), NULL)"
)
IN_SLICE = "item_id >= %(low)s AND item_id < %(high)s"
# Most questions have only first passes; a slice with later ones is read again with FIRST_PASSES.
ALL_PASSES = """
SELECT {packed}, count(*) FILTER (WHERE pass_number > 1)
FROM {relation} AS labels WHERE {in_slice}"""
FIRST_PASSES = """
SELECT {packed}, 0
FROM (
    SELECT DISTINCT ON (item_id, rater_id) item_id, rater_id, category_id
    FROM {relation} AS labels WHERE {in_slice}
    ORDER BY item_id, rater_id, pass_number
) first"""


@dataclass(frozen=True, slots=True)
class IdBounds:
    """The largest IDs of all raters and of all categories; foreign keys keep labels within them."""

    rater_high: int
    category_high: int

    @property
    def rater_bits(self) -> int:
        return self.rater_high.bit_length()

    @property
    def category_bits(self) -> int:
        return self.category_high.bit_length()

    @property
    def item_bits(self) -> int:
        """The number of bits left for an item."""
        return PACKED_BITS - self.item_shift

    @property
    def item_shift(self) -> int:
        return self.rater_bits + self.category_bits


def bounds_of_ids(snapshot: Snapshot) -> IdBounds | None:
    """Return the bounds for packing labels, or None if there are none or IDs are too large to be packed."""
    query = """
        SELECT (SELECT min(id) FROM raters_rater), (SELECT max(id) FROM raters_rater),
            (SELECT min(id) FROM projects_category), (SELECT max(id) FROM projects_category)"""
    [(rater_low, rater_high, category_low, category_high)] = snapshot.connections[0].execute(query).fetchall()
    if rater_low is None or category_low is None or rater_low < 0 or category_low <= ABSTENTION:
        return None
    bounds = IdBounds(rater_high, category_high)
    return bounds if bounds.item_bits >= MIN_ITEM_BITS else None


class ItemRanges:
    """Hands out ranges of items, whose width adapts to the labels found so far."""

    def __init__(self, low: int, high: int, *, max_items: int) -> None:
        self._low, self._next, self._high = low, low, high
        self._max_items = max_items
        self._width = min(FIRST_SLICE_ITEMS, max_items)
        self._lock = Lock()

    def __iter__(self) -> Iterator[tuple[int, int]]:
        while True:
            with self._lock:
                low, high = self._next, min(self._next + self._width, self._high + 1)
                self._next = high
            if low >= high:
                return
            yield low, high

    def learn(self, n_items: int, n_labels: int) -> None:
        """Choose the width of the next slices from the number of labels in a slice of n_items."""
        wanted = n_items * SLICE_LABELS // max(n_labels, 1)
        with self._lock:
            widest = min(MAX_GROWTH * self._width, self._max_items)
            self._width = max(1, min(wanted, widest))

    @property
    def share(self) -> float:
        return (self._next - self._low) / (self._high + 1 - self._low)


class PackedReader:
    def __init__(
        self, source: LabelSource, positions: Positions, bounds: IdBounds, builder: RatingsBuilder
    ) -> None:
        self.n_abstentions = 0
        self._source = source
        self._positions = positions
        self._bounds = bounds
        self._builder = builder
        self._has_later_passes = False
        self._stop = Event()
        self._lock = Lock()

    def read(self, snapshot: Snapshot, report_progress: ReportProgress | None) -> None:
        """Read all slices into the builder on all connections; `report_progress` is called in this thread."""
        slices = self._slices(snapshot.connections[0])
        if slices is None:
            return
        with ThreadPoolExecutor(len(snapshot.connections)) as pool:
            reading = {pool.submit(self._read_some, each, slices) for each in snapshot.connections}
            try:
                self._follow(reading, slices, report_progress)
            finally:
                self._stop.set()

    def _slices(self, connection: psycopg.Connection[Any]) -> ItemRanges | None:
        query = f"SELECT min(item_id), max(item_id) FROM {self._source.relation} AS labels"  # noqa: S608
        [(low, high)] = connection.execute(query, self._source.params).fetchall()
        return None if low is None else ItemRanges(low, high, max_items=1 << min(24, self._bounds.item_bits))

    def _follow(self, reading: set[Any], slices: ItemRanges, report_progress: ReportProgress | None) -> None:
        while reading:
            done, reading = wait(reading, timeout=TICK_SECONDS, return_when="FIRST_EXCEPTION")
            for each in done:
                each.result()
            if report_progress:
                report_progress(slices.share)

    def _read_some(self, connection: psycopg.Connection[Any], slices: ItemRanges) -> None:
        """Read slices, each while the previous one is being unpacked."""
        cursor = connection.cursor(binary=True)
        with ThreadPoolExecutor(1) as unpacker:
            unpacking: Future[None] | None = None
            try:
                for low, high in slices:
                    if self._stop.is_set():
                        return
                    packed, base = self._fetch(cursor, low, high)
                    slices.learn(high - low, len(packed) // LABEL_BYTES)
                    if unpacking:
                        unpacking.result()
                    unpacking = unpacker.submit(self._unpack, packed, base)
                if unpacking:
                    unpacking.result()
            except BaseException:
                # The other threads stop at their next slice, because the rest is no longer needed.
                self._stop.set()
                raise

    def _unpack(self, packed: bytes, base: int) -> None:
        """Add the labels of a slice to the builder. base: subtracted from the item IDs when packing."""
        bounds = self._bounds
        labels = np.frombuffer(packed, dtype=">i8").astype(np.int64)
        items = labels >> bounds.item_shift
        # An index scan returns labels in order; other plans may not.
        if np.any(items[1:] < items[:-1]):
            labels.sort()
            items = labels >> bounds.item_shift
        categories = labels & ((1 << bounds.category_bits) - 1)
        if not categories.all():
            chosen = categories != ABSTENTION
            self._count_abstentions(len(labels) - int(np.count_nonzero(chosen)))
            labels, items, categories = labels[chosen], items[chosen], categories[chosen]
        raters = labels >> bounds.category_bits & ((1 << bounds.rater_bits) - 1)
        if base:
            items += base
        self._builder.add(items, raters, self._positions.of(categories))

    def _count_abstentions(self, n: int) -> None:
        with self._lock:
            self.n_abstentions += n

    def _fetch(self, cursor: psycopg.Cursor[Any], low: int, high: int) -> tuple[bytes, int]:
        """Return the packed labels of a slice, and the base that was subtracted from its item IDs."""
        base = 0 if low >= 0 and high.bit_length() <= self._bounds.item_bits else low
        params = {
            **self._source.params,
            "low": low,
            "high": high,
            "item_shift": self._bounds.item_shift,
            "category_bits": self._bounds.category_bits,
        }
        item = "(item_id - %(low)s)" if base else "item_id"
        for query in (FIRST_PASSES,) if self._has_later_passes else (ALL_PASSES, FIRST_PASSES):
            text = query.format(
                packed=PACKED.format(item=item), relation=self._source.relation, in_slice=IN_SLICE
            )
            cursor.execute(text, params, prepare=False)
            [(packed, n_later)] = cursor.fetchall()
            if not n_later:
                break
            self._has_later_passes = True
        return packed or b"", base
