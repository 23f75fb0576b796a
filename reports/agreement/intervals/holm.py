"""Holm's correction of several tests for having made them all."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """P-values corrected so that any of them is below a level by chance alone no more often than that level says.

    p_values: of the tests, in any order; None where there is none, which counts as no test. The smallest is multiplied
    by the number of tests, the next by one less, and so on; none may be below one before it, nor above 1.
    Source: Holm 1979, Scandinavian Journal of Statistics 6(2), 65-70.
    """
    order = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    least = 0.0
    for rank, (p, place) in enumerate(order):
        least = max(least, min(1.0, p * (len(order) - rank)))
        corrected[place] = least
    return corrected
