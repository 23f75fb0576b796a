"""Our figures by the statistic's name in reference rows."""

from tests.reference.figures import all_raters, two_raters
from tests.reference.rows import NotComputedError, Row, Statistic

FIGURES: dict[str, Statistic] = two_raters.FIGURES | all_raters.FIGURES
SET_METRICS = ("jaccard", "masi", "dkpro_set_distance")


def statistic_of(row: Row) -> Statistic:
    """The function that computes what the row is about; alpha of sets is another one than alpha of categories."""
    name = "set_alpha" if row.options.get("metric") in SET_METRICS else row.statistic
    if name not in FIGURES:
        raise NotComputedError("no function")
    return FIGURES[name]
