"""Whether two numbers differ by no more than a tolerance: one rule for Python and SQL."""

# Allowance for the binary representation of decimals, as a share of the tolerance: 0.8 − 0.7 is more than 0.1.
SLACK = 1e-6


def are_within(one: float, other: float, tolerance: float) -> bool:
    return abs(one - other) <= tolerance * (1 + SLACK)


def sql_beyond(difference: str, tolerance: str) -> str:
    """The same rule as an SQL condition: whether the difference is larger. tolerance: null for none."""
    return f"{difference} > coalesce({tolerance}, 0) * {1 + SLACK!r}"
