"""Labels as whole columns: each with its item, rater, value, round, version of the guidelines and moment."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from projects.models import Question
from reports.labels.copied import ABSTENTION
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
# One row with every column packed: the labels one by one would take many times as long, and NumPy sorts faster.
PACKED = """
SELECT string_agg(int8send(item_id), NULL), string_agg(int8send(rater_id), NULL), string_agg({value}, NULL),
    string_agg(int2send(pass_number), NULL), string_agg(int8send(coalesce(batch_id, {no_round})), NULL),
    string_agg(int2send(coalesce(guidelines_version, {no_version})::int2), NULL),
    string_agg(timestamptz_send(labelled_at), NULL)
FROM {relation} AS labels"""
# The database counts microseconds from 2000 on.
SINCE_1970 = 946_684_800_000_000
VALUES = {
    Question.Kind.SINGLE: f"int8send(coalesce(category_id, '{ABSTENTION}'::bigint))",
    Question.Kind.MULTIPLE: f"int8send(coalesce(set_number, '{ABSTENTION}'::bigint))",
    Question.Kind.NUMBER: "float8send(coalesce(number, 'NaN'))",
}
# Of each packed column, in their order, how it comes, and how it is kept.
TYPES = {
    "item": ">i8", "rater": ">i8", "value": ">i8", "pass": ">i2", "batch": ">i8", "version": ">i2", "moment": ">i8"
}  # fmt: skip
NATIVE = {">i2": np.int64, ">i8": np.int64, ">f8": np.float64}
COLUMNS = ("items", "raters", "values", "batches", "versions", "moments")

Rows = dict[str, NDArray[Any]]


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


def read_columns(snapshot: Snapshot, scope: Scope, then: str, *, each_round: bool = False) -> LabelColumns:
    """The labels of the scope as the stored snapshot `then` saw them, abstentions left out.

    Of each item and rater the first pass counts; with each_round, the first in each round.
    """
    source = _source(snapshot, scope, then)
    source = source if scope.batch_ids is None else source.in_batches(scope.batch_ids)
    if scope.kind == Question.Kind.MULTIPLE:
        return _sets(snapshot, scope, source, each_round)
    rows = _rows(snapshot.connections[0], source, Question.Kind(scope.kind), each_round)
    if scope.kind == Question.Kind.NUMBER:
        # Adding 0 makes -0 the same as 0.
        return _columns(rows, rows["value"] + 0.0)
    return _columns(rows, Positions(scope.category_ids).of(rows["value"]))


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
    return _columns(rows, Positions(numbers).of(rows["value"]), members)


def _rows(connection: psycopg.Connection[Any], source: Source, kind: Question.Kind, each_round: bool) -> Rows:
    """All labels with a value, column by column."""
    query = PACKED.format(
        relation=source.relation, value=VALUES[kind], no_round=NO_ROUND, no_version=NO_VERSION
    )
    types = TYPES | {"value": ">f8" if kind == Question.Kind.NUMBER else ">i8"}
    [packed] = connection.cursor(binary=True).execute(query, source.params).fetchall()
    rows = {
        name: np.frombuffer(column or b"", dtype=types[name]).astype(NATIVE[types[name]])
        for name, column in zip(types, packed, strict=True)
    }
    keep = _first_passes(rows, each_round)
    values = rows["value"][keep]
    keep = keep[~np.isnan(values) if kind == Question.Kind.NUMBER else values != ABSTENTION]
    return {name: column[keep] for name, column in rows.items()}


def _first_passes(rows: Rows, each_round: bool) -> NDArray[np.intp]:
    """Where the first pass of each item and rater stands, with each_round of each round; by item, then by rater."""
    names = ("batch", "rater", "item") if each_round else ("rater", "item")
    order = np.lexsort((rows["pass"], *(rows[name] for name in names)))
    is_first = np.zeros(len(order), dtype=bool)
    is_first[:1] = True
    for name in names:
        is_first[1:] |= np.diff(rows[name][order]) != 0
    return order[is_first]


def _columns(rows: Rows, values: NDArray[Any], members: NDArray[np.bool_] | None = None) -> LabelColumns:
    moments = rows["moment"] + SINCE_1970
    return LabelColumns(rows["item"], rows["rater"], values, rows["batch"], rows["version"], moments, members)
