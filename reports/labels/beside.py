"""The labels of one rater, and those of others on the same items: as they are, or as a report saw them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from projects.models import Question
from reports.agreement.results import FloatArray, IntArray
from reports.labels.history import LABELS_THEN
from reports.labels.sources import MAX_TABLE

# Nothing but these constants is ever put together into SQL; values are parameters.
NOW = """(
    SELECT item_id, rater_id, category_id, category_set, number, pass_number, batch_id, labelled_at, seconds
    FROM raters_label WHERE question_id = %(question)s
)"""
# When a label was made and how long it took is in its row alone; once it was changed, in what its next revision tells
# of the row before.
OWN_THEN = f"""(
    SELECT past.item_id, past.rater_id, past.category_id, past.category_set, past.number, past.pass_number,
        past.batch_id,
        coalesce((next.old_value ->> 'labelled_at')::timestamptz, label.labelled_at, past.at) AS labelled_at,
        coalesce((next.old_value ->> 'seconds')::float8, label.seconds) AS seconds
    FROM (SELECT * FROM {LABELS_THEN} labels WHERE rater_id = %(rater)s OFFSET 0) past
    LEFT JOIN raters_label label ON label.id = past.label_id AND label.revision = past.revision
    LEFT JOIN LATERAL (
        SELECT old_value FROM raters_labelrevision revision
        WHERE label.id IS NULL AND revision.item_id = past.item_id AND revision.question_id = %(question)s
            AND revision.label_id = past.label_id AND revision.revision = past.revision + 1
    ) next ON true
)"""  # noqa: S608
IN_SCOPE = "(%(batches)s::bigint[] IS NULL OR batch_id = ANY (%(batches)s::bigint[]))"
# Items of rounds in which whoever looks still labels.
NOT_HIDDEN = """NOT EXISTS (
    SELECT FROM raters_assignment place
    WHERE place.item_id = labels.item_id AND place.batch_id = ANY (%(hidden)s::bigint[])
)"""
# One value for each label. What has none is an abstention: 0 is no id, and no set is written as "-".
VALUES = {
    Question.Kind.SINGLE: "string_agg(int8send(coalesce(category_id, 0)), NULL)",
    Question.Kind.NUMBER: "string_agg(float8send(coalesce(number, 'NaN')), NULL)",
    Question.Kind.MULTIPLE: "string_agg(coalesce(array_to_string(category_set, ','), '-'), ';')",
}
# Packed by the database: a Python object for each label would take longer than all else.
COLUMNS = """
SELECT string_agg(int8send(item_id), NULL), string_agg(int8send(rater_id), NULL),
    string_agg(int2send(pass_number), NULL), {value}{more}
FROM {relation} labels
WHERE {raters} AND {scope}"""
TIMES = """, string_agg(float8send(extract(epoch FROM labelled_at)::float8), NULL),
    string_agg(float8send(coalesce(seconds, 'NaN')), NULL)"""
# A whole label in 8 bytes, where the ids are small enough and nobody labelled again.
PACKED = """
SELECT string_agg(int8send(
        ((item_id - %(low)s) << %(item_shift)s) | (rater_id << %(category_bits)s) | coalesce(category_id, 0)
    ), NULL), count(*) FILTER (WHERE pass_number > 1)
FROM {relation} labels
WHERE {raters} AND {scope} AND (category_id IS NULL OR category_id < %(category_end)s)"""
PACKED_BITS = 63
OF_OTHERS = "rater_id = ANY (%(others)s::bigint[]) AND item_id BETWEEN %(low)s AND %(high)s"
OF_ITEMS = " AND item_id = ANY (%(items)s::bigint[])"
# Of a range with fewer of the rater's items than this share, the items are looked up one by one.
DENSE = 0.25


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose labels: of one question, in these batches (None for all), but of no item of the hidden rounds.

    category_ids: the declared ones in their order. snapshot: what the report saw, "" if that is what there is now.
    """

    question: int
    kind: str
    category_ids: Sequence[int]
    rater: int
    others: Sequence[int]
    batches: Sequence[int] | None
    hidden: Sequence[int]
    snapshot: str


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """(L,) labels. values: categories by their places, numbers, or rows of `members`.

    items: ids. members: (S, K) bool, the distinct sets of a multiple choice; (0, K) of other kinds.
    """

    items: IntArray
    raters: IntArray
    passes: IntArray
    values: NDArray[Any]
    members: NDArray[np.bool_]
    times: FloatArray = field(default_factory=lambda: np.empty(0))
    seconds: FloatArray = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.items)

    def at(self, keep: NDArray[Any]) -> "Answers":
        """Some of them, by mask or by position."""
        has_times = len(self.times) > 0
        return Answers(
            self.items[keep],
            self.raters[keep],
            self.passes[keep],
            self.values[keep],
            self.members,
            self.times[keep] if has_times else self.times,
            self.seconds[keep] if has_times else self.seconds,
        )

    @property
    def has_value(self) -> NDArray[np.bool_]:
        """(L,) False for "cannot tell"."""
        if self.values.dtype.kind == "f":
            return ~np.isnan(self.values)
        found: NDArray[np.bool_] = self.values >= 0
        return found


@dataclass(frozen=True, slots=True, eq=False)
class LabelsBeside:
    """own: the first label of each item, with its time. others: the first label of each other rater on those items.

    first, again: (M,) the rater's labels of a later pass, and beside each that of the first.
    n_abstentions: items of which the rater could not tell.
    """

    own: Answers
    others: Answers
    first: Answers
    again: Answers
    n_abstentions: int

    # For each label of the others the place of its item among the rater's own.
    places: NDArray[np.int64]


def read_beside(wanted: Wanted) -> LabelsBeside:
    """Of each item and rater the first pass in the scope counts, as in the report itself."""
    relation = OWN_THEN if wanted.snapshot else NOW
    all_own = _in_order(_columns(wanted, relation, "rater_id = %(rater)s", more=TIMES))
    is_first, starts = _firsts(all_own)
    first, again = all_own.at(starts[~is_first]), all_own.at(~is_first)
    is_both = first.has_value & again.has_value
    mine = all_own.at(is_first)
    own = mine.at(mine.has_value)
    others, places = _others(wanted, own.items)
    return LabelsBeside(own, others, first.at(is_both), again.at(is_both), len(mine) - len(own), places)


def _others(wanted: Wanted, items: IntArray) -> tuple[Answers, NDArray[np.int64]]:
    """The first label of each other rater on these items, and the place of its item among them."""
    if not len(items) or not len(wanted.others):
        return _no_answers(wanted), np.empty(0, dtype=np.int64)
    low, high = int(items[0]), int(items[-1])
    is_dense = len(items) >= DENSE * (high - low + 1)
    raters = OF_OTHERS if is_dense else OF_OTHERS + OF_ITEMS
    limits = {"low": low, "high": high} | ({} if is_dense else {"items": items.tolist()})
    found = _packed(wanted, raters, limits)
    if found is None:
        relation = LABELS_THEN if wanted.snapshot else NOW
        found = _in_order(_columns(wanted, relation, raters, limits=limits))
        found = found.at(_firsts(found)[0])
    places = _places(found.items, items)
    keep = found.has_value & (places >= 0)
    return found.at(keep), places[keep]


def _packed(wanted: Wanted, raters: str, limits: Mapping[str, Any]) -> Answers | None:
    """Labels of a single choice in a third of the time; None where that is not possible."""
    category_bits = max(wanted.category_ids, default=0).bit_length()
    rater_bits = max(wanted.others).bit_length()
    item_bits = (limits["high"] - limits["low"]).bit_length()
    is_small = category_bits + rater_bits + item_bits <= PACKED_BITS
    if wanted.kind != Question.Kind.SINGLE or wanted.snapshot or not is_small:
        return None
    shifts = {
        "category_bits": category_bits,
        "item_shift": rater_bits + category_bits,
        "category_end": 1 << category_bits,
    }
    query = PACKED.format(relation=NOW, raters=raters, scope=_scope(wanted))
    column, n_later = _asked(wanted, query, {**limits, **shifts})
    if n_later:
        return None
    keys = _unpacked(column, ">i8").astype(np.int64)
    categories = keys & ((1 << category_bits) - 1)
    return Answers(
        (keys >> shifts["item_shift"]) + limits["low"],
        keys >> category_bits & ((1 << rater_bits) - 1),
        np.ones(len(keys), dtype=np.int64),
        _places(categories, np.array(wanted.category_ids, dtype=np.int64)),
        _no_sets(wanted),
    )


def _columns(
    wanted: Wanted, relation: str, raters: str, *, more: str = "", limits: Mapping[str, Any] | None = None
) -> Answers:
    query = COLUMNS.format(
        value=VALUES[Question.Kind(wanted.kind)],
        more=more,
        relation=relation,
        raters=raters,
        scope=_scope(wanted),
    )
    items, who, passes, values, *times = _asked(wanted, query, limits or {})
    found, members = _values(wanted, values)
    return Answers(
        _unpacked(items, ">i8").astype(np.int64),
        _unpacked(who, ">i8").astype(np.int64),
        _unpacked(passes, ">i2").astype(np.int64),
        found,
        members,
        *(_unpacked(column, ">f8").astype(np.float64) for column in times),
    )


def _scope(wanted: Wanted) -> str:
    return f"{IN_SCOPE} AND {NOT_HIDDEN}" if wanted.hidden else IN_SCOPE


def _asked(wanted: Wanted, query: str, more: Mapping[str, Any]) -> Any:
    params: dict[str, Any] = {
        "question": wanted.question,
        "rater": wanted.rater,
        "others": list(wanted.others),
        "batches": None if wanted.batches is None else list(wanted.batches),
        "hidden": list(wanted.hidden),
        "then_snapshot": wanted.snapshot,
    }
    with connection.cursor() as cursor:
        cursor.execute(query, params | dict(more))
        return cursor.fetchone()


def _no_sets(wanted: Wanted) -> NDArray[np.bool_]:
    return np.zeros((0, len(wanted.category_ids)), dtype=bool)


def _no_answers(wanted: Wanted) -> Answers:
    none = np.empty(0, dtype=np.int64)
    values = np.empty(0) if wanted.kind == Question.Kind.NUMBER else none
    return Answers(none, none, none, values, _no_sets(wanted))


def _unpacked(column: Any, kind: str) -> NDArray[Any]:
    return np.frombuffer(column or b"", dtype=kind)


def _values(wanted: Wanted, column: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The values of the labels, and the sets that they are rows of."""
    match Question.Kind(wanted.kind):
        case Question.Kind.NUMBER:
            # Adding 0 makes -0 the same as 0.
            return _unpacked(column, ">f8").astype(np.float64) + 0.0, _no_sets(wanted)
        case Question.Kind.SINGLE:
            ids = np.array(wanted.category_ids, dtype=np.int64)
            return _places(_unpacked(column, ">i8").astype(np.int64), ids), _no_sets(wanted)
    return _sets(np.array(column.split(";") if column is not None else [], dtype=str), wanted.category_ids)


def _places(ids: IntArray, known: IntArray) -> NDArray[np.int64]:
    """Where each id stands among those known, -1 for one that is not."""
    if not len(known) or not len(ids):
        return np.full(len(ids), -1, dtype=np.int64)
    low, high = int(known.min()), int(known.max())
    if high - low > MAX_TABLE:
        order = np.argsort(known)
        found = order[np.minimum(np.searchsorted(known, ids, sorter=order), len(known) - 1)]
        return np.where(known[found] == ids, found, -1)
    # One look into a table is faster than a search.
    table = np.full(high - low + 3, -1, dtype=np.int64)
    table[known - low + 1] = np.arange(len(known))
    places: NDArray[np.int64] = table[np.clip(ids, low - 1, high + 1) - low + 1]
    return places


def _sets(texts: NDArray[Any], category_ids: Sequence[int]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    distinct, codes = np.unique(texts, return_inverse=True)
    places = {str(category): place for place, category in enumerate(category_ids)}
    members = np.zeros((len(distinct), len(category_ids)), dtype=bool)
    is_set = np.ones(len(distinct), dtype=bool)
    for row, text in enumerate(distinct.tolist()):
        chosen = text.split(",") if text else []
        is_set[row] = all(each in places for each in chosen)
        if is_set[row]:
            members[row, [places[each] for each in chosen]] = True
    return np.where(is_set[codes], codes, -1) if len(codes) else codes, members


def _in_order(answers: Answers) -> Answers:
    """By item, then by rater, then by pass."""
    if not len(answers):
        return answers
    return answers.at(np.lexsort((answers.passes, answers.raters, answers.items)))


def _firsts(answers: Answers) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which labels are the first of their item and rater, and for each label where that one stands."""
    is_first = np.ones(len(answers), dtype=bool)
    is_first[1:] = (np.diff(answers.items) != 0) | (np.diff(answers.raters) != 0)
    places = np.arange(len(answers))
    return is_first, np.maximum.accumulate(np.where(is_first, places, 0)) if len(places) else places
