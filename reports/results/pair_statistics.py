"""All figures of two raters, as stored or from their stored confusion matrix."""

import numpy as np

from reports.agreement.weights import Weights
from reports.analysis.pairs import full_statistics
from reports.analysis.results import FullPair, SeriesStatistics, pair_figures_of, two_series_of
from reports.models import PairAgreement
from reports.results.confusion import table_of
from reports.store.stored_result import StoredResult


def stored_figures(pair: PairAgreement) -> SeriesStatistics:
    """Return the stored figures of numbers or sets, whose pairs have no confusion matrix."""
    return two_series_of(pair.n, pair_figures_of(pair.figures or {}))


def statistics_of_pair(result: StoredResult, pair: PairAgreement, weights: str) -> FullPair:
    """Return all statistics of a pair from its stored confusion matrix. weights: used in addition to none."""
    scope = result.scope
    n_labels = {rater.id: rater.n_labels for rater in result.raters}
    [found] = full_statistics(
        table_of(pair)[None],
        scope.scale_with(Weights(weights)),
        scope.options,
        names=[(pair.rater_a.key, pair.rater_b.key)],
        n_labels=np.array([[n_labels[pair.rater_a_id], n_labels[pair.rater_b_id]]]),
    )
    return found
