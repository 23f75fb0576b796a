"""Whether two numbers differ by no more than a tolerance: one rule, for Python and for the database."""

# What a difference of decimals may be off in binary, as a share of the tolerance: 0.8 − 0.7 is more than 0.1.
SLACK = 1e-6


def are_within(one: float, other: float, tolerance: float) -> bool:
    return abs(one - other) <= tolerance * (1 + SLACK)


def sql_beyond(difference: str, tolerance: str) -> str:
    """The same of a difference in SQL: whether it is more. tolerance: null for none."""
    return f"{difference} > coalesce({tolerance}, 0) * {1 + SLACK!r}"
