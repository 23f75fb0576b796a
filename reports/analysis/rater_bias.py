"""How often a rater uses each category compared with the others on the same items."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reports.agreement.own.category_bias import category_bias
from reports.agreement.results import number
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import RaterAndOtherLabels
from reports.analysis.question import QuestionScope
from reports.analysis.rater_consensus import RaterAndConsensus
from reports.analysis.results import CategoryBiasEstimate, RaterBias, figures_of

# The reason why there are none: for numbers there is the difference instead.
NOT_OF_KIND = "not_of_kind"


def rater_bias(
    scope: QuestionScope,
    labels: RaterAndOtherLabels,
    compared: RaterAndConsensus,
    everybody: Sequence[float | None],
) -> RaterBias:
    """everybody: for each category, its share of the labels of all raters."""
    kind, n_labels = kind_of(scope), len(labels.own)
    own, others = kind.chosen(labels.own, np.arange(n_labels)), kind.chosen(labels.others, labels.places)
    if own is None or others is None:
        return RaterBias(categories=None, reason=NOT_OF_KIND)
    n_categories = len(scope.category_ids)
    found = category_bias(
        own, others, compared.n_others, n_categories=n_categories, confidence=scope.options.confidence
    )
    used = np.bincount(own.categories, minlength=n_categories).tolist()
    rows = zip(scope.question["categories"], used, everybody, figures_of(found.difference), strict=True)
    return RaterBias(
        categories=tuple(
            CategoryBiasEstimate(
                category=category["key"],
                difference=replace(difference, n=n, n_items=difference.n),
                share=n / n_labels if n_labels else None,
                everybody=by_all,
                own=number(found.own[place]),
                others=number(found.others[place]),
                p_value=number(found.p_value[place]),
            )
            for place, (category, n, by_all, difference) in enumerate(rows)
        )
    )
