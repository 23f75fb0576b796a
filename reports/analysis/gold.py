"""The label that people gave an item, as most of them say, for the items that a model labeled."""

import numpy as np
from numpy.typing import NDArray

from reports.analysis.confidence import answers_of
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import IdArray, LabelColumns, Series
from reports.analysis.question import QuestionScope


def gold_of(scope: QuestionScope, items: IdArray, labels: LabelColumns) -> tuple[Series, NDArray[np.bool_]]:
    """Return the majority on each item, for numbers the mean, and whether there is one.

    items: (n,) ascending. labels: of people, also on other items.
    """
    labels = labels.of(np.isin(labels.items, items))
    places = np.searchsorted(items, labels.items)
    found, is_known, _ = kind_of(scope).consensus_of_others(
        places, answers_of(scope, labels), n_items=len(items)
    )
    return found, is_known
