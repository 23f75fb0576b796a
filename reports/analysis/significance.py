"""When a difference between two sets of items counts as beyond chance: one rule for all pages, the API, and exports.

The p-values of the differences that are shown together are corrected together: those between all rounds, windows, or
groups, but not the one between two sides that somebody chose. Pages say which of the two it is.
"""

from collections.abc import Sequence

from reports.agreement.few_items import are_few
from reports.agreement.intervals.difference import Difference
from reports.agreement.intervals.holm import holm
from reports.analysis.results import WindowChange


def has_few_items(found: Difference) -> bool:
    return are_few(min(found.n_first, found.n_second))


def tested_changes(
    found: Sequence[Difference], steps: Sequence[tuple[int, int]], *, confidence: float
) -> tuple[WindowChange, ...]:
    """Return the differences with their verdicts; steps: the positions of the two sides of each.

    Holm's correction covers all of these differences that have enough items.
    """
    corrected = holm([None if has_few_items(each) else each.p_value for each in found])
    return tuple(
        WindowChange.of(each, step, p_corrected=p, has_few_items=has_few_items(each), alpha=1 - confidence)
        for step, each, p in zip(steps, found, corrected, strict=True)
    )


def is_beyond_chance(found: Difference, *, confidence: float) -> bool:
    """Return the verdict on a single difference."""
    [change] = tested_changes([found], [(0, 1)], confidence=confidence)
    return change.is_beyond_chance
