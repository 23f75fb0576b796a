"""A Bland–Altman plot of two raters' numbers: differences against means."""

import math
from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from reports.analysis.results import Figure
from reports.drawing.marks import format_of, linked, once, placed, words
from reports.drawing.picture import Picture
from reports.drawing.specification import Layer, Part
from reports.results.wording import measured

WIDTH, HEIGHT = 570, 250
# More dots are a cloud that takes long to draw.
MAX_DOTS = 2000


class DifferenceDot(TypedDict):
    """An item: the mean and difference of its two numbers, and its link, if any."""

    mean: float
    gap: float
    address: NotRequired[str]
    description: NotRequired[str]


def difference_plot(
    numbers: Sequence[tuple[float, float]],
    figures: Mapping[str, Figure],
    links: Sequence[tuple[str, str]] = (),
) -> Picture | None:
    """Return the plot of these pairs with the lines of the report; None without limits, or with too many dots.

    links: URL and text of the item of each dot.
    """
    lower, bias, upper = (
        figures[name].value for name in ("bland_altman_lower", "bland_altman_bias", "bland_altman_upper")
    )
    if lower is None or bias is None or upper is None or not 2 <= len(numbers) <= MAX_DOTS:
        return None
    dots = _dots(numbers, links)
    means, gaps = [dot["mean"] for dot in dots], [dot["gap"] for dot in dots]
    across, up = _axis(min(means), max(means)), _axis(min(lower, 0, *gaps), max(upper, 0, *gaps))
    if across is None or up is None:
        return None
    description = (
        f"Bland–Altman plot of {len(numbers)} items: bias {measured(bias)}, "
        f"limits of agreement {measured(lower)} to {measured(upper)}"
    )
    layers = [*_lines(lower, bias, upper, up), _cloud(across, up, has_links=bool(links))]
    specification = {"width": WIDTH, "height": HEIGHT, "data": {"values": dots}, "layer": layers}
    return Picture(specification, kind="differences", words=description, has_links=bool(links))


def _dots(numbers: Sequence[tuple[float, float]], links: Sequence[tuple[str, str]]) -> list[DifferenceDot]:
    # Halved first, because the sum of the largest numbers would overflow.
    dots: list[DifferenceDot] = [{"mean": a / 2 + b / 2, "gap": a - b} for a, b in numbers]
    for dot, (address, description) in zip(dots, links, strict=False):
        dot["address"], dot["description"] = address, description
    return dots


def _axis(low: float, high: float) -> Part | None:
    """Return an axis with labels at its ends; None if the range overflows."""
    if not math.isfinite(high - low):
        return None
    if low == high:
        low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
    return {
        "type": "quantitative",
        "scale": {"domain": [low, high], "nice": False, "zero": False, "padding": 10},
        "axis": {"tickCount": 5, "grid": False, "format": format_of([low, high])},
    }


def _lines(lower: float, bias: float, upper: float, up: Part) -> list[Layer]:
    """Return horizontal lines, all but that at 0 with a label at the right end."""
    zero: Layer = {"mark": {"type": "rule", "style": "zero"}, "encoding": {"y": {"datum": 0, **_titled(up)}}}
    lines = [("bias", bias), ("limit", lower), ("limit", upper)]
    rows: list[Part] = [{"y": value, "text": f"{name} {measured(value)}"} for name, value in lines]
    at: dict[str, Part] = {"y": {"field": "y", **_titled(up)}}
    return [
        once(zero),
        _rules("bias", rows[:1], "bias", at),
        _rules("limits", rows[1:], "limit", at),
        {"data": {"values": rows}, **placed(words("text", "strong", dx=10), **at, x={"value": "width"})},
    ]


def _rules(name: str, rows: Sequence[Part], style: str, at: Mapping[str, Part]) -> Layer:
    return {"name": name, "data": {"values": rows}, "mark": {"type": "rule", "style": style}, "encoding": at}


def _titled(up: Part) -> Part:
    return {**up, "title": "difference"}


def _cloud(across: Part, up: Part, *, has_links: bool) -> Layer:
    dots: Layer = {
        "name": "dots",
        "mark": {"type": "point", "style": "dot", "size": 40, "opacity": 0.7},
        "encoding": {
            "x": {"field": "mean", "title": "mean", **across},
            "y": {"field": "gap", **_titled(up)},
        },
    }
    return linked(dots) if has_links else dots
