"""Labels as whole columns: each with its item, rater, value, round, version of the guidelines and moment."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from projects.models import Question
from reports.labels.copied import ABSTENTION, copied_rows
from reports.labels.history import CHANGED, LABELS_THEN
from reports.labels.other_labels import DISTINCT_SETS, distinct_sets
from reports.labels.snapshots import Snapshot
from reports.labels.sources import OF_RATERS, IdArray, Positions, Source
from reports.scopes import Scope

# What stands for no round, and for a label without a version: no round and no version has such a number.
NO_ROUND, NO_VERSION = 0, -1

NOW = f"""(
    SELECT item_id, rater_id, category_id, category_set, number, pass_number, batch_id, guidelines_version, labelled_at
    FROM raters_label WHERE question_id = %(question)s AND {OF_RATERS}
)"""  # noqa: S608
# The moment of a label is in its row alone; once it was changed, in what its next revision tells of the row before.
THEN = f"""(
    SELECT past.item_id, past.rater_id, past.category_id, past.category_set, past.number, past.pass_number,
        past.batch_id, past.guidelines_version,
        coalesce((next.old_value ->> 'labelled_at')::timestamptz, label.labelled_at, past.at) AS labelled_at
    FROM {LABELS_THEN} past
    LEFT JOIN raters_label label ON label.id = past.label_id AND label.revision = past.revision
    LEFT JOIN raters_labelrevision next ON next.question_id = %(question)s
        AND next.label_id = past.label_id AND next.revision = past.revision + 1
)"""  # noqa: S608
WITH_NUMBERED_SETS = """(
    SELECT labels.*, sets.category_id AS set_number
    FROM {relation} AS labels LEFT JOIN ({sets}) sets USING (category_set)
)"""
COPY = """
COPY (
    SELECT DISTINCT ON (item_id, rater_id{by_round})
        item_id::bigint, rater_id::bigint, {value}, coalesce(batch_id, {no_round})::bigint,
        coalesce(guidelines_version, {no_version})::bigint, (extract(epoch FROM labelled_at) * 1000000)::bigint
    FROM {relation} AS labels
    ORDER BY item_id, rater_id{by_round}, pass_number
) TO STDOUT (FORMAT binary)"""
VALUES = {
    Question.Kind.SINGLE: f"coalesce(category_id, '{ABSTENTION}')::bigint",
    Question.Kind.MULTIPLE: f"coalesce(set_number, '{ABSTENTION}')::bigint",
    Question.Kind.NUMBER: "coalesce(number, 'NaN')::float8",
}
NAMES = ("item", "rater", "value", "batch", "version", "moment")
COLUMNS = ("items", "raters", "values", "batches", "versions", "moments")


def _row(value: str) -> np.dtype[Any]:
    sizes = [("n_fields", ">i2")]
    for name in NAMES:
        sizes += [(f"{name}_size", ">i4"), (name, value if name == "value" else ">i8")]
    return np.dtype(sizes)


IDS_ROW, NUMBERS_ROW = _row(">i8"), _row(">f8")


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumns:
    """(L,) of everything, one row for each label, ordered by item and rater.

    items, raters: ids. values: positions of categories, numbers, or rows of `members`, by the kind of question.
    batches: ids of rounds, or NO_ROUND. versions: of the guidelines, or NO_VERSION. moments: microseconds since 1970.
    members: (S, K) bool, the sets of a multiple choice.
    """

    items: IdArray
    raters: IdArray
    values: NDArray[Any]
    batches: IdArray
    versions: IdArray
    moments: IdArray
    members: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.items)

    def of(self, rows: NDArray[Any]) -> "LabelColumns":
        """Some of the labels, in the order that they have here."""
        chosen = {name: getattr(self, name)[rows] for name in COLUMNS}
        return replace(self, **chosen)


def read_columns(
    snapshot: Snapshot, scope: Scope, then: str, *, raters: Sequence[int] = (), each_round: bool = False
) -> LabelColumns:
    """The labels of the scope as the stored snapshot `then` saw them, abstentions left out.

    Of each item and rater the first pass counts; with each_round, the first in each round. raters: only theirs.
    """
    source = _source(snapshot, scope, then)
    source = source if scope.batch_ids is None else source.in_batches(scope.batch_ids)
    if raters:
        relation = f"(SELECT * FROM {source.relation} AS labels WHERE rater_id = ANY (%(raters)s))"  # noqa: S608
        source = Source(relation, {**source.params, "raters": list(raters)})
    if scope.kind == Question.Kind.MULTIPLE:
        return _sets(snapshot, scope, source, each_round)
    rows = _rows(snapshot.connections[0], source, Question.Kind(scope.kind), each_round)
    if scope.kind == Question.Kind.NUMBER:
        # Adding 0 makes -0 the same as 0.
        return _columns(rows, rows["value"].astype(np.float64) + 0.0)
    return _columns(rows, Positions(scope.category_ids).of(rows["value"].astype(np.int64)))


def _source(snapshot: Snapshot, scope: Scope, then: str) -> Source:
    """As long as nothing was changed since, the labels of now, which are read many times as fast."""
    question = scope.question["id"]
    changed = snapshot.connections[0].execute(CHANGED, {"questions": [question], "snapshot": then}).fetchone()
    if changed == (False,):
        return Source(NOW, {"question": question})
    return Source(THEN, {"question": question, "then_snapshot": then})


def _sets(snapshot: Snapshot, scope: Scope, source: Source, each_round: bool) -> LabelColumns:
    members, numbers = distinct_sets(snapshot.connections[0], source, scope.category_ids)
    sets = DISTINCT_SETS.format(relation=source.relation)
    numbered = Source(WITH_NUMBERED_SETS.format(relation=source.relation, sets=sets), source.params)
    rows = _rows(snapshot.connections[0], numbered, Question.Kind.MULTIPLE, each_round)
    return _columns(rows, Positions(numbers).of(rows["value"].astype(np.int64)), members)


def _rows(
    connection: psycopg.Connection[Any], source: Source, kind: Question.Kind, each_round: bool
) -> NDArray[Any]:
    """The rows of all labels with a value."""
    query = COPY.format(
        relation=source.relation,
        value=VALUES[kind],
        by_round=", batch_id" if each_round else "",
        no_round=NO_ROUND,
        no_version=NO_VERSION,
    )
    row = NUMBERS_ROW if kind == Question.Kind.NUMBER else IDS_ROW
    with psycopg.ClientCursor(connection) as cursor:
        text = cursor.mogrify(query, source.params)
    blocks = [np.empty(0, dtype=row), *copied_rows(connection.pgconn, text.encode(), row)]
    rows = np.concatenate(blocks)
    is_missing = np.isnan(rows["value"]) if row is NUMBERS_ROW else rows["value"] == ABSTENTION
    return rows[~is_missing]


def _columns(
    rows: NDArray[Any], values: NDArray[Any], members: NDArray[np.bool_] | None = None
) -> LabelColumns:
    items, raters, batches, versions, moments = (
        rows[name].astype(np.int64) for name in ("item", "rater", "batch", "version", "moment")
    )
    return LabelColumns(items, raters, values, batches, versions, moments, members)
