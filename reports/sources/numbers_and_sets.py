"""The labels of number and multiple-choice questions out of Postgres, as they are or as a snapshot saw them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.sets.members import SetSample
from reports.agreement.ticks import Tick
from reports.analysis.labels import IdArray, NumberLabels, SetLabels
from reports.analysis.question import QuestionUnfit
from reports.sources.copied import ROW, copied_rows
from reports.sources.reading import read_question
from reports.sources.relation import OF_RATERS, Source, UndeclaredCategory
from reports.sources.snapshots import Snapshot

# As many as have a code of two bytes.
MAX_SETS = 65_535
# Of each item and rater the first pass counts. What is no number is an abstention.
FIRST_NUMBERS = """
COPY (
    SELECT DISTINCT ON (item_id, rater_id)
        item_id::bigint, rater_id::bigint, coalesce(number, 'NaN')::float8
    FROM {relation} AS labels
    ORDER BY item_id, rater_id, pass_number
) TO STDOUT (FORMAT binary)"""
# The row of a number is that of a category, with eight bytes of another type.
NUMBER_ROW = np.dtype([(name, ">f8" if name == "category" else ROW[name]) for name in ROW.names or ()])
DISTINCT_SETS = """
SELECT category_set, row_number() OVER (ORDER BY category_set) AS category_id
FROM (SELECT DISTINCT category_set FROM {relation} AS labels WHERE category_set IS NOT NULL) found"""
NUMBERED_SETS = """(
    SELECT labels.item_id, labels.rater_id, sets.category_id, labels.pass_number, labels.batch_id
    FROM {relation} AS labels LEFT JOIN ({sets}) sets USING (category_set)
)"""


def answers_of(question_id: int) -> Source:
    """The labels of a question as they are now, with their numbers and sets."""
    return Source(
        "(SELECT item_id, rater_id, category_set, number, pass_number, batch_id"  # noqa: S608
        f" FROM raters_label WHERE question_id = %(question)s AND {OF_RATERS})",
        {"question": question_id},
    )


def read_numbers(
    snapshot: Snapshot,
    question_id: int,
    *,
    batch_ids: Sequence[int] | None = None,
    source: Source | None = None,
    tick: Tick | None = None,
) -> NumberLabels:
    """Read the labels of a number question; arguments as those of `read_question`."""
    scope = _scope(question_id, source, batch_ids)
    found = _Numbers()
    for rows in _number_rows(snapshot.connections[0], scope):
        found.take(rows)
        if tick:
            tick(0.0)
    return found.labels()


def _scope(question_id: int, source: Source | None, batch_ids: Sequence[int] | None) -> Source:
    scope = source or answers_of(question_id)
    return scope if batch_ids is None else scope.in_batches(batch_ids)


def _number_rows(connection: psycopg.Connection[Any], source: Source) -> Any:
    with psycopg.ClientCursor(connection) as cursor:
        text = cursor.mogrify(FIRST_NUMBERS.format(relation=source.relation), source.params)
    for rows in copied_rows(connection.pgconn, text.encode()):
        yield rows.view(NUMBER_ROW)


@dataclass(slots=True)
class _Numbers:
    """Labels while they are read: 24 bytes for each."""

    items: list[IdArray] = field(default_factory=lambda: [np.empty(0, dtype=np.int64)])
    raters: list[IdArray] = field(default_factory=lambda: [np.empty(0, dtype=np.int64)])
    values: list[NDArray[np.float64]] = field(default_factory=lambda: [np.empty(0)])
    n_abstentions: int = 0

    def take(self, rows: NDArray[Any]) -> None:
        is_label = ~np.isnan(rows["category"])
        self.n_abstentions += int(len(rows) - is_label.sum())
        labels = rows[is_label]
        self.items.append(labels["item"].astype(np.int64))
        self.raters.append(labels["rater"].astype(np.int64))
        # Adding 0 makes -0 the same as 0.
        self.values.append(labels["category"].astype(np.float64) + 0.0)

    def labels(self) -> NumberLabels:
        item_ids, items = np.unique(np.concatenate(self.items), return_inverse=True)
        rater_ids, raters = np.unique(np.concatenate(self.raters), return_inverse=True)
        sample = NumberSample.from_labels(
            items, raters, np.concatenate(self.values), n_items=len(item_ids), n_raters=len(rater_ids)
        )
        digest = digest_of(item_ids, rater_ids, sample.items, sample.raters, sample.values)
        return NumberLabels(sample, item_ids, rater_ids, self.n_abstentions, digest)


def read_sets(
    snapshot: Snapshot,
    question_id: int,
    category_ids: Sequence[int],
    *,
    batch_ids: Sequence[int] | None = None,
    source: Source | None = None,
    tick: Tick | None = None,
) -> SetLabels:
    """Read the labels of a multiple-choice question; arguments as those of `read_question`.

    Every distinct set is one code, so that a label takes no more room than that of a single choice.
    """
    scope = _scope(question_id, source, batch_ids)
    members, numbers = distinct_sets(snapshot.connections[0], scope, category_ids)
    sets = DISTINCT_SETS.format(relation=scope.relation)
    numbered = Source(NUMBERED_SETS.format(relation=scope.relation, sets=sets), scope.params)
    read = read_question(snapshot, question_id, numbers, source=numbered, tick=tick)
    sample = SetSample(read.ratings, members)
    items, raters, codes = sample.labels
    chosen = np.packbits(members, axis=1)[codes]
    digest = digest_of(
        np.asarray(category_ids, dtype=np.int64), read.item_ids, read.rater_ids, items, raters, chosen
    )
    return SetLabels(sample, read.item_ids, read.rater_ids, read.n_abstentions, digest)


def distinct_sets(
    connection: psycopg.Connection[Any], source: Source, category_ids: Sequence[int]
) -> tuple[NDArray[np.bool_], list[int]]:
    """(S, K) the sets in an order that depends on nothing but them, and the number that the database gives each."""
    places = {category: place for place, category in enumerate(category_ids)}
    with psycopg.ClientCursor(connection) as cursor:
        text = cursor.mogrify(DISTINCT_SETS.format(relation=source.relation), source.params)
    rows = connection.execute(text.encode()).fetchall()
    if len(rows) > MAX_SETS:
        raise QuestionUnfit("too_many_sets")
    members = np.zeros((max(1, len(rows)), len(category_ids)), dtype=bool)
    for row, (categories, _) in enumerate(rows):
        if not places.keys() >= set(categories):
            raise UndeclaredCategory(f"one of the categories {categories} is not declared")
        members[row, [places[category] for category in categories]] = True
    order = np.lexsort(members.T[::-1])
    numbers = [number for _, number in rows] or [0]
    return members[order], [numbers[row] for row in order]


def digest_of(*arrays: NDArray[Any]) -> str:
    """SHA-256, in hexadecimal, of arrays: their shapes and, little-endian, what they hold."""
    sha256 = hashlib.sha256()
    for array in arrays:
        sha256.update(np.asarray(array.shape, dtype="<i8").tobytes())
        sha256.update(np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes())
    return sha256.hexdigest()
