"""A forest plot of the coefficients of pairs with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from core.templatetags.shown import figure
from reports.drawing.marks import axis_from, linked, once, placed, words
from reports.drawing.picture import Picture
from reports.drawing.specification import Layer, Part
from reports.results.question_pairs import Pair
from reports.results.wording import shown_interval


@dataclass(frozen=True, slots=True)
class Shape:
    """The width of the axis and the height of a row, in pixels, and the maximum length of a name."""

    axis: int
    row: int
    max_name: int
    name: str


WIDE = Shape(axis=480, row=24, max_name=42, name="wide")
NARROW = Shape(axis=236, row=28, max_name=23, name="narrow")


class ForestRow(TypedDict):
    """A pair or coefficient with its value and limits. label: the formatted value. address: its link, if any."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    label: str
    address: NotRequired[str]
    description: NotRequired[str]


def forest_of(
    pairs: Sequence[Pair], names: dict[int, str], *, shape: Shape, description: str, query: str | None = None
) -> Picture | None:
    """Return the plot of the pairs with a defined coefficient, in order; None if there are none.

    description: the text alternative. query: appended to the URL of a pair; None for a plot without links.
    """
    rows = [_row(pair, names, shape, query) for pair in pairs if pair.kappa is not None]
    return forest(rows, shape=shape, description=description) if rows else None


def forest(rows: Sequence[ForestRow], *, shape: Shape, description: str) -> Picture:
    lowest = min(each for row in rows for each in (row["value"], row["low"]) if each is not None)
    has_links = "address" in rows[0]
    return Picture(
        {
            "data": {"values": [{**row, "row": place} for place, row in enumerate(rows)]},
            "width": shape.axis,
            "height": {"step": shape.row},
            "encoding": {"y": {"field": "row", "type": "ordinal", "axis": None, "scale": {"padding": 0}}},
            "layer": [*_layers(axis_from(lowest)), *([_hit()] if has_links else [])],
        },
        kind=f"forest {shape.name}",
        words=description,
        has_links=has_links,
    )


def _row(pair: Pair, names: dict[int, str], shape: Shape, query: str | None) -> ForestRow:
    name, value = pair_name(names[pair.rater_a], names[pair.rater_b], shape.max_name), figure(pair.kappa)
    row: ForestRow = {
        "name": name,
        "value": pair.kappa,
        "low": pair.ci_low,
        "high": pair.ci_high,
        "label": value,
    }
    if query is None:
        return row
    description = (
        f"{names[pair.rater_a]} × {names[pair.rater_b]}: {value} {shown_interval(pair.ci_low, pair.ci_high)}"
    )
    return {**row, "address": f"{pair.rater_a}/{pair.rater_b}/{query}", "description": description.strip()}


def _layers(ticks: Sequence[float]) -> list[Layer]:
    scale: Part = {"domain": [ticks[0], 1], "clamp": True, "nice": False}
    axis: Part = {"values": list(ticks), "format": ".1f", "grid": True, "title": None}
    x = {"type": "quantitative", "scale": scale, "axis": axis}
    whole: dict[str, Part] = {"y": {"value": 0}, "y2": {"value": "height"}}
    return [
        once({"mark": {"type": "rule", "style": "zero"}, "encoding": {"x": {"datum": 0, **x}, **whole}}),
        {
            "name": "intervals",
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "style": "interval"},
            "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
        },
        {
            "name": "dots",
            "mark": {"type": "point", "style": "dot"},
            "encoding": {"x": {"field": "value", **x}},
        },
        placed(words("name", align="right"), x={"value": -14}),
        placed(words("label", "strong", dx=14), x={"value": "width"}),
    ]


def _hit() -> Layer:
    mark = {"type": "rect", "style": "hit"}
    return linked({"mark": mark, "encoding": {"x": {"value": 0}, "x2": {"value": "width"}}})


def pair_name(a: str, b: str, length: int) -> str:
    """Return both names, shortened in the middle if too long, as raters often differ only in a number at the end."""
    room = length - len(" × ")
    half = room // 2
    room_a = max(half, room - len(b)) if len(b) < half else half
    return f"{_cut_inside(a, room_a)} × {_cut_inside(b, room - min(room_a, len(a)))}"


def _cut_inside(name: str, length: int) -> str:
    if len(name) <= length:
        return name
    n_last = (length - 1) // 2
    return f"{name[: length - 1 - n_last]}…{name[-n_last:]}"
