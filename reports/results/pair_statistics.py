"""Every statistic of two raters, from their stored confusion matrix."""

from typing import Any

import numpy as np

from reports.agreement.weights import Weights
from reports.analysis.pairs import full_statistics
from reports.analysis.results import to_json
from reports.models import PairAgreement
from reports.results.confusion import table_of
from reports.store.stored_result import StoredResult


def statistics_of_pair(result: StoredResult, pair: PairAgreement, weights: str) -> dict[str, Any]:
    """Every statistic of a pair out of its stored table of counts, as JSON; weights: those besides none.

    reference: for each of the two the other one against them, rater A first.
    """
    scope = result.scope
    n_labels = {rater.id: rater.n_labels for rater in result.raters}
    [found] = full_statistics(
        table_of(pair)[None],
        scope.scale_with(Weights(weights)),
        scope.options,
        names=[(pair.rater_a.key, pair.rater_b.key)],
        n_labels=np.array([[n_labels[pair.rater_a_id], n_labels[pair.rater_b_id]]]),
    )
    statistics: dict[str, Any] = to_json(found)
    return statistics
