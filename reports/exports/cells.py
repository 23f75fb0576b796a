"""The cells of a statistic in a row of any table."""

from collections.abc import Mapping
from typing import Any

from core.tables.safe_cells import Cell

Row = tuple[Cell, ...]


def value_cells(found: Mapping[str, Any]) -> Row:
    """Value, standard error, both ends of the interval, whether one was cut (1, or 0), and the reason if any."""
    is_clipped = found.get("is_clipped")
    return (
        found.get("value"),
        found.get("se"),
        found.get("ci_low"),
        found.get("ci_high"),
        None if is_clipped is None else int(is_clipped),
        found.get("reason") or "",
    )
