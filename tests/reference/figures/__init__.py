"""Our figures by the statistic's name in reference rows."""

from tests.reference.figures import (
    all_raters,
    consensus,
    homogeneity,
    numbers,
    planning,
    sets,
    truth,
    two_raters,
)
from tests.reference.rows import NotComputedError, Row, Statistic

FAMILIES = (two_raters, homogeneity, truth, all_raters, numbers, sets, consensus, planning)
FIGURES: dict[str, Statistic] = {name: each for family in FAMILIES for name, each in family.FIGURES.items()}
SET_METRICS = ("jaccard", "masi", "dkpro_set_distance")


def statistic_of(row: Row) -> Statistic:
    """The function that computes what the row is about; alpha of sets is another one than alpha of categories."""
    name = "set_alpha" if row.options.get("metric") in SET_METRICS else row.statistic
    if name not in FIGURES:
        raise NotComputedError("no function")
    return FIGURES[name]
