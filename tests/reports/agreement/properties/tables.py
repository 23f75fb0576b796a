"""Tables of two raters for the properties, and what they are compared with."""

import numpy as np
from hypothesis import strategies as st

from reports.agreement.results import IntArray

WEIGHTS = ["unweighted", "linear", "quadratic", "ordinal", "radical", "ratio", "circular", "bipolar"]


@st.composite
def tables(draw: st.DrawFn, n_categories: int | None = None, least: int = 0) -> IntArray:
    """(1, K, K) counts, often with empty cells, rows and columns."""
    k = draw(st.integers(2, 5)) if n_categories is None else n_categories
    cells = draw(st.lists(st.integers(least, 12) | st.just(least), min_size=k * k, max_size=k * k))
    return np.array(cells).reshape(1, k, k)


def codes_of(counts: IntArray) -> IntArray:
    """(n, 2) the codes of the two raters on each item of the table (1, K, K)."""
    return np.argwhere(np.ones_like(counts[0])).repeat(counts.ravel(), axis=0)
