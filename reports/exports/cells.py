"""Building blocks of the flat tables of results: columns with descriptions, and the cells of a statistic."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.tables.safe_cells import Cell
from reports.analysis.results import Figure

Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    what: str


@dataclass(frozen=True, slots=True)
class ResultTable:
    """One table: its name (of a file or sheet), its contents, and its rows, created on request."""

    name: str
    what: str
    columns: tuple[Column, ...]
    rows: Callable[[], Iterable[Row]]


QUESTION = Column("question", "key of the question")
REASON = Column("reason", "why the value or its CI is missing; empty otherwise")
CLIPPED = Column("is_clipped", "1 if a limit was truncated at the bound of the statistic's range")
VALUE = (
    Column("value", "the statistic; empty if undefined"),
    Column("se", "its standard error"),
    Column("ci_low", "lower limit of its confidence interval"),
    Column("ci_high", "upper limit of its confidence interval"),
    CLIPPED,
    REASON,
)
METHOD = (
    Column("method", "which definition was used"),
    Column("interval_method", "how the CI was computed"),
)
BASIS = (
    Column("n_items", "items used"),
    Column("n_raters", "raters used"),
    Column("n_labels", "labels used"),
)


def value_cells(found: Figure) -> Row:
    """Return value, standard error, CI limits, whether one was truncated (1 or 0), and the reason, if any."""
    is_clipped = None if found.is_clipped is None else int(found.is_clipped)
    return found.value, found.se, found.ci_low, found.ci_high, is_clipped, str(found.reason)
