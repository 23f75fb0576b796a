"""The cells of a statistic in a row of any table."""

from core.tables.safe_cells import Cell
from reports.analysis.results import Figure

Row = tuple[Cell, ...]


def value_cells(found: Figure) -> Row:
    """Value, standard error, both ends of the interval, whether one was cut (1, or 0), and the reason if any."""
    is_clipped = None if found.is_clipped is None else int(found.is_clipped)
    return found.value, found.se, found.ci_low, found.ci_high, is_clipped, str(found.reason)
