"""Differences in kappa between a pair and the other pairs of its raters, from the labels at the time of the report."""

from collections.abc import Sequence

from raters.lettered import visible_ids
from reports.agreement.intervals.difference import Difference
from reports.agreement.intervals.pair_difference import pair_difference
from reports.agreement.ratings import to_dense
from reports.agreement.weights import Weights
from reports.models import PairAgreement
from reports.sources.past_labels import labels_then
from reports.sources.question_labels import read_labels
from reports.sources.shared_snapshots import open_snapshot
from reports.store.agreements import scope_of

# The most labels that a page may read from the history.
MAX_LABELS = 1_000_000


def may_compare(pair: PairAgreement) -> bool:
    agreement = pair.agreement
    return agreement.n_labels <= MAX_LABELS and agreement.n_items * agreement.n_raters <= 20 * MAX_LABELS


def differences_of(pair: PairAgreement, others: Sequence[tuple[int, int]], weights: str) -> list[Difference]:
    """Return kappa of the pair minus that of each other pair. others: IDs of their raters."""
    agreement, scope = pair.agreement, scope_of(pair.agreement)
    source = labels_then(agreement.report.head, scope)
    with open_snapshot(n_connections=1) as snapshot:
        labels = read_labels(snapshot, scope, source=source)
    places = {rater: place for place, rater in enumerate(visible_ids(labels.rater_ids).tolist())}
    ratings, weighting = to_dense(labels.sample.ratings), scope.scale_with(Weights(weights)).weighting
    own = (places[pair.rater_a_id], places[pair.rater_b_id])
    return [
        pair_difference(ratings, own, (places[a], places[b]), weighting, confidence=scope.options.confidence)
        for a, b in others
    ]
