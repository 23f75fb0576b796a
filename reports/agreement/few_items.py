"""How many items an interval or a test needs: one rule for verdicts, comparisons, changes over time, and findings."""

# With fewer items, intervals are too narrow and tests reject too often by chance.
LEAST_ITEMS = 20


def are_few(n_items: int | None) -> bool:
    """Return whether an interval from this many items is too narrow to trust; False if their number is unknown."""
    return n_items is not None and n_items < LEAST_ITEMS
