"""Every label of a question as a row, including later passes and "cannot tell", either current or from the history."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from core.history import VISIBLE_ENTRIES, Head
from reports.agreement.progress_callbacks import ReportProgress
from reports.analysis.label_arrays import ABSTAINED, NO_ROUND, NO_VERSION, IdArray
from reports.analysis.question import Kind, QuestionScope
from reports.sources.copied import ABSTENTION
from reports.sources.packed import IN_SLICE, ItemRanges
from reports.sources.past_labels import LABELS_THEN_WITH_TIMES
from reports.sources.relation import OF_RATERS, LabelSource, Params, Positions
from reports.sources.sets import DISTINCT_SETS, distinct_sets
from reports.sources.shared_snapshots import Snapshot

FIELDS = "item_id, rater_id, category_id, category_set, number, pass_number, batch_id, guidelines_version, confidence"
NOW = f"""(
    SELECT {FIELDS}, from_suggestion, labelled_at, seconds FROM raters_label
    WHERE question_id = %(question)s AND {OF_RATERS}
)"""  # noqa: S608
WITH_NUMBERED_SETS = """(
    SELECT labels.*, sets.category_id AS set_number
    FROM {relation} AS labels LEFT JOIN ({sets}) sets USING (category_set)
)"""
# One row with each column packed: reading single labels would take many times as long, and NumPy sorts faster.
PACKED = """
SELECT string_agg(int8send(item_id), NULL), string_agg(int8send(rater_id), NULL), string_agg({value}, NULL),
    string_agg(int2send(pass_number), NULL), string_agg(int8send(coalesce(batch_id, {no_round})), NULL),
    string_agg(int2send(coalesce(guidelines_version, {no_version})::int2), NULL),
    string_agg(timestamptz_send(labelled_at), NULL), string_agg(float8send(coalesce(seconds, 'NaN')), NULL),
    string_agg(float8send(coalesce(confidence, 'NaN')), NULL)
FROM {relation} AS labels WHERE item_id >= %(low)s AND item_id < %(high)s"""
BOUNDS = "SELECT min(item_id), max(item_id) FROM {relation} AS labels"
# The database counts microseconds since 2000.
SINCE_1970 = 946_684_800_000_000
# The wire type of each packed column, in order.
TYPES = {
    "items": ">i8", "raters": ">i8", "values": ">i8", "passes": ">i2", "rounds": ">i8", "versions": ">i2",
    "moments": ">i8", "seconds": ">f8", "confidences": ">f8",
}  # fmt: skip
COLUMNS = ("items", "raters", "values", "rounds", "versions", "moments", "seconds", "confidences")
# IDs are positive.
WIDEST = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Columns of shape (L,), ordered by item, rater, and pass, so that a rater's first pass comes first.

    items, raters: IDs. values: positions of categories or of rows of `members`, ABSTAINED for "cannot tell"; or
    numbers, NaN for it. rounds: IDs of rounds, or NO_ROUND. versions: of the guidelines, or NO_VERSION. moments:
    microseconds since 1970. seconds: the duration, NaN if unknown. members: (S, K) bool, the sets of a multiple-choice
    question. confidences: NaN if not given; empty if none was given.
    """

    items: IdArray
    raters: IdArray
    values: NDArray[Any]
    rounds: IdArray
    versions: IdArray
    moments: IdArray
    seconds: NDArray[np.float64]
    members: NDArray[np.bool_] | None = None
    confidences: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.items)

    def at(self, rows: Any) -> "Rows":
        """Return the selected rows (by mask, positions, or slice) in the same order."""
        if isinstance(rows, np.ndarray) and rows.dtype == np.bool_ and rows.all():
            return self
        # A column that was not requested is empty.
        chosen = {name: column[rows] if len(column := getattr(self, name)) else column for name in COLUMNS}
        return replace(self, **chosen)

    @property
    def is_first(self) -> NDArray[np.bool_]:
        """Whether each row is the first pass of its rater on its item, (L,)."""
        is_first = np.ones(len(self), dtype=bool)
        is_first[1:] = (self.items[1:] != self.items[:-1]) | (self.raters[1:] != self.raters[:-1])
        return is_first

    @property
    def has_value(self) -> NDArray[np.bool_]:
        """Whether each row has a value, (L,); False for "cannot tell"."""
        if self.values.dtype.kind == "f":
            return ~np.isnan(self.values)
        found: NDArray[np.bool_] = self.values != ABSTAINED
        return found


def read_now(snapshot: Snapshot, scope: QuestionScope, report_progress: ReportProgress) -> Iterator[Rows]:
    """Yield the labels of the scope in the snapshot, in blocks of items, ordered by item."""
    source = _source(snapshot, scope).in_scope(scope)
    reader = _Reader(snapshot.connections[0], scope, source)
    [(low, high)] = reader.asked(BOUNDS.format(relation=source.relation), {})
    if low is None:
        return
    slices = ItemRanges(low, high, max_items=1 << 24)
    for start, stop in slices:
        rows = reader.read(start, stop)
        slices.learn(stop - start, len(rows))
        report_progress(slices.share)
        if len(rows):
            yield rows


def _source(snapshot: Snapshot, scope: QuestionScope) -> LabelSource:
    question = {"question": scope.question["id"]}
    if snapshot.head is None:
        return LabelSource(NOW, question)
    # A slice of items should not sort the whole history.
    relation = LABELS_THEN_WITH_TIMES.replace(VISIBLE_ENTRIES, f"{VISIBLE_ENTRIES} AND {IN_SLICE}")
    return LabelSource(relation, {**question, **snapshot.head.params, "low": -WIDEST, "high": WIDEST})


def read_then(snapshot: Snapshot, scope: QuestionScope, head: Head) -> Rows:
    """Return the labels of the scope at this point of the history, all at once."""
    source = LabelSource(LABELS_THEN_WITH_TIMES, {"question": scope.question["id"], **head.params})
    return _Reader(snapshot.connections[0], scope, source.in_scope(scope)).read(-WIDEST, WIDEST)


def same_rows(a: Rows, b: Rows) -> bool:
    """Return whether all labels are equal in all columns; sets may be numbered differently."""
    if len(a) != len(b):
        return False
    columns = [name for name in COLUMNS if name != "values" or a.members is None]
    is_same = (
        np.array_equal(getattr(a, name), getattr(b, name), equal_nan=getattr(a, name).dtype.kind == "f")
        for name in columns
    )
    return all(is_same) and _same_sets(a, b)


def _same_sets(a: Rows, b: Rows) -> bool:
    if a.members is None or b.members is None:
        return a.members is b.members
    is_set = a.has_value
    if not np.array_equal(is_set, b.has_value):
        return False
    return np.array_equal(a.members[a.values[is_set]], b.members[b.values[is_set]])


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A relation whose values can be read. positions: of the category IDs that are read; None for numbers."""

    source: LabelSource
    positions: Positions | None = None
    members: NDArray[np.bool_] | None = None


def _categories(
    connection: psycopg.Connection[Any], source: LabelSource, category_ids: Sequence[int]
) -> _Prepared:
    return _Prepared(source, Positions(category_ids))


def _numbers(
    connection: psycopg.Connection[Any], source: LabelSource, category_ids: Sequence[int]
) -> _Prepared:
    return _Prepared(source)


def _sets(connection: psycopg.Connection[Any], source: LabelSource, category_ids: Sequence[int]) -> _Prepared:
    members, numbers = distinct_sets(connection, source, category_ids)
    sets = DISTINCT_SETS.format(relation=source.relation)
    relation = WITH_NUMBERED_SETS.format(relation=source.relation, sets=sets)
    return _Prepared(LabelSource(relation, source.params), Positions(numbers), members)


@dataclass(frozen=True, slots=True)
class _Value:
    """How labels of one kind of question are read. sql: the packed value; type: its wire type."""

    sql: str
    type: str
    prepare: Callable[[psycopg.Connection[Any], LabelSource, Sequence[int]], _Prepared]


VALUES = {
    Kind.SINGLE: _Value(f"int8send(coalesce(category_id, '{ABSTENTION}'::bigint))", ">i8", _categories),
    Kind.MULTIPLE: _Value(f"int8send(coalesce(set_number, '{ABSTENTION}'::bigint))", ">i8", _sets),
    Kind.NUMBER: _Value("float8send(coalesce(number, 'NaN'))", ">f8", _numbers),
}


class _Reader:
    def __init__(
        self, connection: psycopg.Connection[Any], scope: QuestionScope, source: LabelSource
    ) -> None:
        self._connection = connection
        self._value = VALUES[Kind(scope.kind)]
        prepared = self._value.prepare(connection, source, scope.category_ids)
        self._source, self._positions, self._members = prepared.source, prepared.positions, prepared.members

    def asked(self, query: str, more: Params) -> list[Any]:
        cursor = self._connection.cursor(binary=True)
        return cursor.execute(query, {**self._source.params, **more}, prepare=False).fetchall()

    def read(self, low: int, high: int) -> Rows:
        query = PACKED.format(
            relation=self._source.relation, value=self._value.sql, no_round=NO_ROUND, no_version=NO_VERSION
        )
        types = TYPES | {"values": self._value.type}
        [sent] = self.asked(query, {"low": low, "high": high})
        columns = {
            name: np.frombuffer(column or b"", dtype=types[name])
            for name, column in zip(types, sent, strict=True)
        }
        order = np.lexsort((columns.pop("passes"), columns["raters"], columns["items"]))
        found = {
            name: column[order].astype(column.dtype.newbyteorder("=")) for name, column in columns.items()
        }
        found["values"] = self._values(found["values"])
        found["versions"] = found["versions"].astype(np.int64)
        found["moments"] += SINCE_1970
        if np.isnan(found["confidences"]).all():
            found["confidences"] = np.empty(0)
        return Rows(**found, members=self._members)

    def _values(self, values: NDArray[Any]) -> NDArray[Any]:
        if self._positions is None:
            # Adding 0 turns -0 into 0.
            return values + 0.0
        places = np.full(len(values), ABSTAINED, dtype=np.int64)
        is_label = values != ABSTENTION
        places[is_label] = self._positions.of(values[is_label])
        return places
