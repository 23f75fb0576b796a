"""How the categories of a question were used: which are confused, and how often each rater chose each one."""

from collections.abc import Sequence

import numpy as np

from reports.agreement.overall.confusions import confusions, labels_by_category
from reports.agreement.results import IntArray, Reason
from reports.agreement.sample import Sample
from reports.analysis.results import ConfusedCategories, Confusions, NotComputable

# Limit on kinds of items x categories x categories; beyond it nothing is counted.
MAX_CELLS = 300_000_000
# Number of stored pairs of categories: the most confused ones.
MOST_CONFUSED = 100
# Limit on raters x categories that are stored.
MAX_STORED_CELLS = 100_000


def confusions_of(sample: Sample) -> Confusions | NotComputable:
    """Return the pairs of categories that were given to the same items, the most frequent first."""
    k = sample.ratings.n_categories
    if len(sample.patterns.n_items) * k * k > MAX_CELLS:
        return NotComputable(reason=Reason.TOO_LARGE)
    found = confusions(sample.patterns)
    off = np.triu(found.n_pairs, k=1)
    return Confusions(
        n_pairs=int(np.triu(found.n_pairs).sum()),
        n_differing=int(off.sum()),
        most=tuple(
            ConfusedCategories(a=a, b=b, n_pairs=int(found.n_pairs[a, b]), n_items=int(found.n_items[a, b]))
            for a, b in _places(off)
        ),
    )


def _places(off: IntArray) -> list[tuple[int, int]]:
    """Return the positions of the largest counts above the diagonal; ties keep their order."""
    order = np.argsort(-off, axis=None, kind="stable")[:MOST_CONFUSED]
    places = [divmod(int(place), len(off)) for place in order.tolist()]
    return [(a, b) for a, b in places if off[a, b]]


def distributions_of(sample: Sample, raters: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return each rater's number of labels per category, by rater name; {} if raters x categories is too large."""
    ratings = sample.ratings
    if ratings.n_raters * ratings.n_categories > MAX_STORED_CELLS:
        return {}
    rows = labels_by_category(ratings).tolist()
    return dict(zip(raters, map(tuple, rows), strict=True))
