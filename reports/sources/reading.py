"""The labels of one question out of Postgres, in one snapshot, without a Python object for each.

The fast way packs each label of the table into 8 bytes; the general way reads any relation, such as the
labels as they once stood. Both give the same ratings and the same digest.
"""

from collections.abc import Sequence

from reports.agreement.building import RatingsBuilder
from reports.agreement.digest import labels_digest
from reports.agreement.ticks import Tick
from reports.analysis.labels import QuestionLabels
from reports.sources.copied import read_copied
from reports.sources.packed import PackedReader, bounds_of_ids
from reports.sources.relation import Positions, Source, UndeclaredCategory, labels_of
from reports.sources.snapshots import Snapshot, open_snapshot

__all__ = ["QuestionLabels", "Snapshot", "Source", "UndeclaredCategory", "open_snapshot", "read_question"]


def read_question(
    snapshot: Snapshot,
    question_id: int,
    category_ids: Sequence[int],
    *,
    batch_ids: Sequence[int] | None = None,
    source: Source | None = None,
    tick: Tick | None = None,
) -> QuestionLabels:
    """Read the labels of a single-choice question; of each item and rater the first pass in the scope counts.

    category_ids: the declared categories in their order. batch_ids: only labels of these batches; None for
    all labels. source: read from this relation, in the general way, instead of from the table of labels.
    tick: told the share read so far, a few times a second; what it raises ends the reading.
    Raises UndeclaredCategory if a label has another category.
    """
    positions = Positions(category_ids)
    scope = source or labels_of(question_id)
    scope = scope if batch_ids is None else scope.in_batches(batch_ids)
    bounds = None if source else bounds_of_ids(snapshot)
    if bounds is None:
        builder = RatingsBuilder(n_categories=len(category_ids))
        n_abstentions = read_copied(snapshot.connections[0], scope, positions, builder, tick)
    else:
        builder = RatingsBuilder(n_categories=len(category_ids), rater_bounds=(0, bounds.rater_high))
        reader = PackedReader(scope, positions, bounds, builder)
        reader.read(snapshot, tick)
        n_abstentions = reader.n_abstentions
    ratings, item_ids, rater_ids = builder.finish()
    digest = labels_digest(ratings, item_ids=item_ids, rater_ids=rater_ids, category_ids=category_ids)
    return QuestionLabels(ratings, item_ids, rater_ids, n_abstentions, digest)
