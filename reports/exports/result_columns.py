"""Building blocks of the flat tables of results: columns with descriptions, and the cells of a statistic."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.tables.safe_cells import Cell
from reports.analysis.results import Figure

Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class ExportColumn:
    name: str
    what: str


@dataclass(frozen=True, slots=True)
class ResultTable:
    """One table: its name (of a file or sheet), its contents, and its rows, created on request."""

    name: str
    what: str
    columns: tuple[ExportColumn, ...]
    rows: Callable[[], Iterable[Row]]


QUESTION = ExportColumn("question", "key of the question")
REASON = ExportColumn("reason", "why the value or its CI is missing; empty otherwise")
CLIPPED = ExportColumn("is_clipped", "1 if a limit was truncated at the bound of the statistic's range")
VALUE = (
    ExportColumn("value", "the statistic; empty if undefined"),
    ExportColumn("se", "its standard error"),
    ExportColumn("ci_low", "lower limit of its confidence interval"),
    ExportColumn("ci_high", "upper limit of its confidence interval"),
    CLIPPED,
    REASON,
)
METHOD = (
    ExportColumn("method", "which definition was used"),
    ExportColumn("interval_method", "how the CI was computed"),
)
BASIS = (
    ExportColumn("n_items", "items used"),
    ExportColumn("n_raters", "raters used"),
    ExportColumn("n_labels", "labels used"),
)


def value_cells(found: Figure) -> Row:
    """Return value, standard error, CI limits, whether one was truncated (1 or 0), and the reason, if any."""
    is_clipped = None if found.is_clipped is None else int(found.is_clipped)
    return found.value, found.se, found.ci_low, found.ci_high, is_clipped, str(found.reason)
