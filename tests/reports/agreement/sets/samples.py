"""Sets of categories for the tests."""

import numpy as np

from reports.agreement.sets.members import SetSample

# The nine items that DKPro Statistics tests its measures of sets with: what each of two raters chose.
NINE_ITEMS = [
    ("", ""), ("A", ""), ("A", "A"), ("A", "B"), ("AB", "A"), ("AB", "AC"), ("ABC", "ABC"), ("C", "AC"), ("C", "AC")
]  # fmt: skip


def sets_of(rows: list[tuple[str | None, ...]], categories: str = "ABC") -> SetSample:
    """A row for each item with a string of categories for each rater, None where there is no label."""
    labels = [
        (item, rater, [category in chosen for category in categories])
        for item, row in enumerate(rows)
        for rater, chosen in enumerate(row)
        if chosen is not None
    ]
    items, raters, chosen = zip(*labels, strict=True) if labels else ((), (), np.empty((0, len(categories))))
    return SetSample.from_labels(items, raters, chosen)


def random_sets(seed: int, *, n_items: int = 30, n_raters: int = 4) -> list[tuple[str | None, ...]]:
    """Sets of A to D that agree a little, one in five missing."""
    random = np.random.default_rng(seed)
    truth = random.random((n_items, 1, 4)) < 0.4
    chosen = truth ^ (random.random((n_items, n_raters, 4)) < 0.15)
    is_missing = random.random((n_items, n_raters)) < 0.2
    return [
        tuple(
            None if is_missing[item, rater] else "".join(np.array(list("ABCD"))[chosen[item, rater]].tolist())
            for rater in range(n_raters)
        )
        for item in range(n_items)
    ]
