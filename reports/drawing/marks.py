"""Building blocks of Vega-Lite specifications."""

import math
from collections.abc import Sequence

from reports.drawing.specification import Layer, Part
from reports.drawing.theme import SIZE

# The engine's numbers have no more digits.
MOST_DIGITS = 15


def pixels(field: str) -> Part:
    """Return an encoding of a position given in units of the picture."""
    return {"field": field, "type": "quantitative", "scale": None, "axis": None}


def words(
    field: str, style: str = "text", *, align: str = "left", size: float = SIZE, dx: float = 0, dy: float = 0
) -> Layer:
    """Return a text mark for a field, `size` pixels high and offset from its position."""
    mark: Part = {"type": "text", "style": style, "align": align, "baseline": "middle", "fontSize": size}
    return {"mark": {**mark, "dx": dx, "dy": dy}, "encoding": {"text": {"field": field}}}


def once(layer: Layer) -> Layer:
    """Return the layer drawn once rather than for every row of the data."""
    return {"data": {"values": [{}]}, **layer}


def placed(layer: Layer, **encoding: Part) -> Layer:
    """Return the layer with these channels added."""
    return {**layer, "encoding": {**layer.get("encoding", {}), **encoding}}


def linked(layer: Layer, address: str = "address", description: str = "description") -> Layer:
    """Return the layer with a link and a description."""
    return placed(described(layer, description), href={"field": address})


def described(layer: Layer, description: str = "description") -> Layer:
    """Return the layer with a description of each mark, which is its title."""
    return placed({**layer, "mark": {**layer["mark"], "aria": True}}, description={"field": description})


def axis_from(lowest: float) -> list[float]:
    """Return ticks in fifths up to 1, from the fifth at or below the lowest value: at most 0 and at least -1."""
    first = max(-5, min(0, math.floor(round(lowest * 5, 9))))
    return [fifth / 5 for fifth in range(first, 6)]


def format_of(values: Sequence[float]) -> str:
    """Return the format of numbers in an unknown unit along an axis with these values, so that all ticks differ."""
    span = max(values) - min(values)
    digits = 3 - (math.floor(math.log10(span)) if span else 0)
    if all(not value or 1e-4 <= abs(value) < 1e9 for value in values):
        return f",.{min(max(0, digits), MOST_DIGITS)}~f"
    before = math.floor(math.log10(max(map(abs, values))))
    return f".{min(max(3, before + digits), MOST_DIGITS)}~e"
