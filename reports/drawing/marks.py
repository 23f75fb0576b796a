"""Parts that several specifications of Vega-Lite are put together from."""

import math
from collections.abc import Sequence

from reports.drawing.look import SIZE
from reports.drawing.specification import Layer, Part

# More than these no number of the engine has.
MOST_DIGITS = 15


def pixels(field: str) -> Part:
    """A place that is told in units of the picture."""
    return {"field": field, "type": "quantitative", "scale": None, "axis": None}


def words(
    field: str, style: str = "text", *, align: str = "left", size: float = SIZE, dx: float = 0, dy: float = 0
) -> Layer:
    """The text of a field, `size` pixels high and so far from its place."""
    mark: Part = {"type": "text", "style": style, "align": align, "baseline": "middle", "fontSize": size}
    return {"mark": {**mark, "dx": dx, "dy": dy}, "encoding": {"text": {"field": field}}}


def once(layer: Layer) -> Layer:
    """The same mark by itself, not for every row of the data."""
    return {"data": {"values": [{}]}, **layer}


def placed(layer: Layer, **encoding: Part) -> Layer:
    """The same mark with these channels too."""
    return {**layer, "encoding": {**layer.get("encoding", {}), **encoding}}


def linked(layer: Layer, address: str = "address", said: str = "said") -> Layer:
    """The same mark, which leads to an address and says something to whoever points at it."""
    return placed(
        {**layer, "mark": {**layer["mark"], "aria": True}},
        href={"field": address},
        description={"field": said},
    )


def axis_from(lowest: float) -> list[float]:
    """Ticks in fifths up to 1, from the fifth at or below the lowest value on: from 0 at most and -1 at least."""
    first = max(-5, min(0, math.floor(round(lowest * 5, 9))))
    return [fifth / 5 for fifth in range(first, 6)]


def format_of(values: Sequence[float]) -> str:
    """How numbers in a unit that is not known are written along an axis between two of these: each tick differently."""
    span = max(values) - min(values)
    digits = 3 - (math.floor(math.log10(span)) if span else 0)
    if all(not value or 1e-4 <= abs(value) < 1e9 for value in values):
        return f",.{min(max(0, digits), MOST_DIGITS)}~f"
    before = math.floor(math.log10(max(map(abs, values))))
    return f".{min(max(3, before + digits), MOST_DIGITS)}~e"
