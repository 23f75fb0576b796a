"""Holm's correction for multiple tests."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values corrected so that the probability of any false rejection at a level is at most that level.

    p_values: of the tests, in any order; None where there is no test, which is not counted. The smallest is multiplied
    by the number of tests, the next by one less, and so on; none is below a preceding one, or above 1.
    Source: Holm 1979, Scandinavian Journal of Statistics 6(2), 65-70.
    """
    order = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    least = 0.0
    for rank, (p, place) in enumerate(order):
        least = max(least, min(1.0, p * (len(order) - rank)))
        corrected[place] = least
    return corrected
