"""How the categories of a question were used: which are confused, and how often each rater chose each; as JSON."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from reports.agreement.overall.confusions import Confusions, confusions, labels_by_category
from reports.agreement.results import Reason
from reports.agreement.sample import Sample

# Kinds of items x categories x categories beyond which nothing is counted.
MAX_CELLS = 300_000_000
# Pairs of categories that are stored: those most confused.
MOST_CONFUSED = 100
# Raters x categories that are stored.
MAX_STORED_CELLS = 100_000


def confusions_of(sample: Sample) -> dict[str, Any]:
    """The pairs of categories that were given to the same items, most often first; places in the declared order.

    n_pairs: pairs of labels of one item that differ so; n_items: on how many items.
    """
    k = sample.ratings.n_categories
    if len(sample.patterns.n_items) * k * k > MAX_CELLS:
        return {"reason": str(Reason.TOO_LARGE)}
    found = confusions(sample.patterns)
    off = np.triu(found.n_pairs, k=1)
    return {
        "n_pairs": int(np.triu(found.n_pairs).sum()),
        "n_differing": int(off.sum()),
        "most": [_confused(found, a, b) for a, b in _places(off)],
        "reason": "",
    }


def _places(off: Any) -> list[tuple[int, int]]:
    """Where the largest counts above the diagonal stand; of equal ones the first."""
    order = np.argsort(-off, axis=None, kind="stable")[:MOST_CONFUSED]
    places = [divmod(int(place), len(off)) for place in order.tolist()]
    return [(a, b) for a, b in places if off[a, b]]


def _confused(found: Confusions, a: int, b: int) -> dict[str, int]:
    return {"a": a, "b": b, "n_pairs": int(found.n_pairs[a, b]), "n_items": int(found.n_items[a, b])}


def distributions_of(sample: Sample, raters: Sequence[str]) -> dict[str, Any]:
    """How many labels each rater put in each category, by the rater's name; {} if there are too many of both."""
    ratings = sample.ratings
    if ratings.n_raters * ratings.n_categories > MAX_STORED_CELLS:
        return {}
    rows = labels_by_category(ratings).tolist()
    return dict(zip(raters, rows, strict=True))
