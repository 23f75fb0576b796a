"""The labels of one question of any kind from PostgreSQL, in one snapshot, without a Python object per label.

For single choices, the fast way packs each label of the table into 8 bytes; the general way reads any relation, such as
earlier labels from the history. Both return the same ratings and the same digest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reports.agreement.building import RatingsBuilder
from reports.agreement.digest import labels_digest
from reports.agreement.progress_callbacks import ReportProgress
from reports.agreement.sample import Sample
from reports.agreement.sets.members import SetSample
from reports.analysis.label_arrays import QuestionLabels
from reports.analysis.question import Kind, QuestionScope
from reports.sources.copied import read_copied
from reports.sources.number_labels import read_numbers
from reports.sources.packed import IdBounds, PackedReader, bounds_of_ids
from reports.sources.past_labels import labels_then
from reports.sources.relation import (
    IS_MISSING,
    LabelSource,
    Positions,
    arrays_digest,
    declared_missing,
    labels_of,
)
from reports.sources.sets import distinct_sets, numbered_sets
from reports.sources.shared_snapshots import Snapshot


def read_labels(
    snapshot: Snapshot,
    scope: QuestionScope,
    *,
    source: LabelSource | None = None,
    report_progress: ReportProgress | None = None,
) -> QuestionLabels[Any]:
    """Read the labels of a question; the first pass of each item and rater in the scope counts.

    source: the relation to read instead of the table of labels. report_progress: called with the share read so far,
    a few times a second; an exception it raises ends the reading.
    Raises UndeclaredCategory if a label has a category that the question does not have, and QuestionNotComputable.
    """
    if source is None and snapshot.head is not None:
        source = labels_then(snapshot.head, scope)
    wanted = _ScopeReader(snapshot, scope, source, report_progress)
    labels = READERS[Kind(scope.kind)](wanted)
    return replace(labels, missing=count_missing(wanted)) if declared_missing(scope) else labels


# A set is counted for each of its categories.
ANSWERS = {
    Kind.SINGLE: "category_id",
    Kind.MULTIPLE: "unnest(category_set)",
    Kind.NUMBER: "number",
}
MISSING = """
SELECT answer, count(*) FROM (SELECT {answer} AS answer FROM {relation} AS labels WHERE {is_missing}) found
GROUP BY answer"""


def count_missing(wanted: "_ScopeReader") -> dict[str, int]:
    """Return the number of labels in the scope with each answer that is treated as missing, by its key."""
    kind, declared, source = Kind(wanted.scope.kind), declared_missing(wanted.scope), wanted.everything
    query = MISSING.format(answer=ANSWERS[kind], relation=source.relation, is_missing=IS_MISSING[kind])
    params = {**source.params, "missing": list(declared)}
    found = dict(wanted.snapshot.connections[0].execute(query, params).fetchall())
    return {key: found.get(answer, 0) for answer, key in declared.items()}


def count_suggested(snapshot: Snapshot, scope: QuestionScope) -> int:
    """Return the number of labels within the limits of the scope that were accepted from a suggestion."""
    head = snapshot.head
    source = (labels_then(head, scope) if head else labels_of(scope.question["id"])).in_limits(scope)
    query = f"SELECT count(*) FROM {source.relation} AS labels WHERE from_suggestion"  # noqa: S608
    [(n,)] = snapshot.connections[0].execute(query, source.params).fetchall()
    return int(n)


@dataclass(frozen=True, slots=True)
class _ScopeReader:
    snapshot: Snapshot
    scope: QuestionScope
    source: LabelSource | None
    report_progress: ReportProgress | None

    @property
    def everything(self) -> LabelSource:
        """The labels of the scope, including those that are treated as missing."""
        return (self.source or labels_of(self.scope.question["id"])).in_part(self.scope)

    @property
    def relation(self) -> LabelSource:
        return (self.source or labels_of(self.scope.question["id"])).in_scope(self.scope)


def _single(wanted: _ScopeReader) -> QuestionLabels[Sample]:
    bounds = None if wanted.source else bounds_of_ids(wanted.snapshot)
    return _read(wanted.snapshot, wanted.scope.category_ids, wanted.relation, bounds, wanted.report_progress)


def _sets(wanted: _ScopeReader) -> QuestionLabels[SetSample]:
    """Read sets. Each distinct set gets one code, so that a label takes no more memory than a single choice."""
    snapshot, category_ids = wanted.snapshot, wanted.scope.category_ids
    members, numbers = distinct_sets(snapshot.connections[0], wanted.relation, category_ids)
    source = numbered_sets(wanted.relation)
    found = read_question(
        snapshot, wanted.scope.question["id"], numbers, source=source, report_progress=wanted.report_progress
    )
    sample = SetSample(found.sample.ratings, members)
    items, raters, codes = sample.labels
    chosen = np.packbits(members, axis=1)[codes]
    categories = np.asarray(category_ids, dtype=np.int64)
    digest = arrays_digest(categories, found.item_ids, found.rater_ids, items, raters, chosen)
    return QuestionLabels(sample, found.item_ids, found.rater_ids, found.n_abstentions, digest)


READERS: dict[Kind, Callable[[_ScopeReader], QuestionLabels[Any]]] = {
    Kind.SINGLE: _single,
    Kind.NUMBER: lambda wanted: read_numbers(wanted.snapshot, wanted.relation, wanted.report_progress),
    Kind.MULTIPLE: _sets,
}


def read_question(
    snapshot: Snapshot,
    question_id: int,
    category_ids: Sequence[int],
    *,
    round_ids: Sequence[int] | None = None,
    source: LabelSource | None = None,
    report_progress: ReportProgress | None = None,
) -> QuestionLabels[Sample]:
    """Read the labels of a single-choice question.

    category_ids: the declared categories in order. round_ids: only labels of these rounds; None for all labels. source,
    report_progress: as for `read_labels`.
    """
    scope = source or labels_of(question_id)
    scope = scope if round_ids is None else scope.in_rounds(round_ids)
    return _read(snapshot, category_ids, scope, None if source else bounds_of_ids(snapshot), report_progress)


def _read(
    snapshot: Snapshot,
    category_ids: Sequence[int],
    scope: LabelSource,
    bounds: IdBounds | None,
    report_progress: ReportProgress | None,
) -> QuestionLabels[Sample]:
    """Read labels. bounds: of the table itself, for the fast way; None for the general way."""
    positions = Positions(category_ids)
    if bounds is None:
        builder = RatingsBuilder(n_categories=len(category_ids))
        n_abstentions = read_copied(snapshot.connections[0], scope, positions, builder, report_progress)
    else:
        builder = RatingsBuilder(n_categories=len(category_ids), rater_bounds=(0, bounds.rater_high))
        reader = PackedReader(scope, positions, bounds, builder)
        reader.read(snapshot, report_progress)
        n_abstentions = reader.n_abstentions
    ratings, item_ids, rater_ids = builder.finish()
    digest = labels_digest(ratings, item_ids=item_ids, rater_ids=rater_ids, category_ids=category_ids)
    return QuestionLabels(Sample(ratings), item_ids, rater_ids, n_abstentions, digest)
