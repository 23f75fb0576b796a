"""Agreement by window, each with the band of its interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from reports.drawing.marks import axis_from, format_of, once, placed, words
from reports.drawing.picture import Picture
from reports.drawing.specification import Layer, Part

WIDTH, HEIGHT = 700, 210
WIDEST = 130
# The width of a letter, and the minimum gap between two words.
LETTER, GAP = 7, 14
SHARE = "format(100 * datum.value, '.0f') + '%'"


@dataclass(frozen=True, slots=True)
class Point:
    """One window: its name below the axis, its value, and its limits, None if there are none."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    start: datetime
    end: datetime


class WindowMark(TypedDict):
    """A window in the drawing: center, ends of its band, and name, "" if there is no room."""

    x: float
    left: float
    right: float
    value: float | None
    low: float | None
    high: float | None
    name: str


class VersionMark(TypedDict):
    """A version of the guidelines at the time it was written. text: "" if there is no room."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class TimePlot:
    """The picture, and what it shows in addition to values and bands."""

    picture: Picture
    n_windows: int
    has_overall: bool
    has_versions: bool


@dataclass(frozen=True, slots=True)
class _Axis:
    """ticks: the labeled values, from the lower to the upper end."""

    ticks: list[float]
    is_share: bool
    is_bounded: bool

    @property
    def y(self) -> Part:
        written = (
            {"labelExpr": SHARE}
            if self.is_share
            else {"format": ".1f" if self.is_bounded else format_of(self.ticks)}
        )
        return {
            "type": "quantitative",
            "scale": {"domain": [self.ticks[0], self.ticks[-1]], "nice": False, "zero": False, "clamp": True},
            "axis": {"values": self.ticks, "grid": True, "title": None, **written},
        }


def time_plot(
    points: Sequence[Point],
    versions: Sequence[tuple[int, datetime]],
    *,
    overall: float | None,
    description: str,
    is_share: bool,
    is_bounded: bool = True,
) -> TimePlot | None:
    """Return the picture of at least two windows, of which one has a value; otherwise None.

    versions: numbers and times of guidelines versions. overall: the value for all labels. description: the text
    alternative. is_bounded: False for values in their own unit, without a maximum.
    """
    known = [value for p in points for value in (p.low, p.value, p.high) if value is not None]
    if len(points) < 2 or not known:
        return None
    known += [] if overall is None else [overall]
    ticks = axis_from(min(known)) if is_bounded else _ends(known)
    if not math.isfinite(ticks[-1] - ticks[0]):
        return None
    marks = _marks(points, versions)
    specification = {
        "width": WIDTH,
        "height": HEIGHT,
        "data": {"values": _windows(points)},
        "layer": _layers(_Axis(ticks, is_share, is_bounded), len(points), overall, marks),
    }
    picture = Picture(specification, kind="timeline", words=description)
    return TimePlot(picture, len(points), overall is not None, bool(marks))


def _ends(known: Sequence[float]) -> list[float]:
    """Return the ends of the axis and 0, which is one of them or lies between."""
    return sorted({min(0.0, *known), 0.0, max(0.0, *known) or 1.0})


def _windows(points: Sequence[Point]) -> list[WindowMark]:
    """Return each window in the middle of a unit interval, with the part of it that its band takes."""
    pitch = WIDTH / len(points)
    half, every = min(WIDEST / pitch, 0.86) / 2, _every(points, pitch)
    return [
        {
            "x": place + 0.5,
            "left": place + 0.5 - half,
            "right": place + 0.5 + half,
            "value": point.value,
            "low": point.low,
            "high": point.high,
            "name": "" if place % every else point.name,
        }
        for place, point in enumerate(points)
    ]


def _layers(axis: _Axis, n: int, overall: float | None, marks: Sequence[VersionMark]) -> list[Layer]:
    across: Part = {"type": "quantitative", "scale": {"domain": [0, n], "nice": False}, "axis": None}
    at: dict[str, Part] = {"x": {"field": "x", **across}, "y": {"field": "value", **axis.y}}
    return [
        _bands(axis, across),
        *([] if overall is None else [_overall(axis, overall)]),
        {"name": "course", "mark": {"type": "line", "style": "course"}, "encoding": at},
        {"name": "dots", "mark": {"type": "point", "style": "dot", "invalid": "filter"}, "encoding": at},
        placed(words("name", align="center", dy=22), x=at["x"], y={"value": "height"}),
        *_versions(marks, at["x"]),
    ]


def _bands(axis: _Axis, across: Part) -> Layer:
    return {
        "name": "bands",
        "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
        "mark": {"type": "rect", "style": "band"},
        "encoding": {
            "x": {"field": "left", **across},
            "x2": {"field": "right"},
            "y": {"field": "low", **axis.y},
            "y2": {"field": "high"},
        },
    }


def _overall(axis: _Axis, value: float) -> Layer:
    line: Layer = {"name": "overall", "mark": {"type": "rule", "style": "overall"}}
    return once({**line, "encoding": {"y": {"datum": value, **axis.y}}})


def _versions(marks: Sequence[VersionMark], x: Part) -> list[Layer]:
    if not marks:
        return []
    label_mark = words("text", "marked-words", align="center", dy=-14)
    return [
        {
            "name": "versions",
            "data": {"values": marks},
            "mark": {"type": "rule", "style": "marked"},
            "encoding": {"x": x},
        },
        {"data": {"values": marks}, **placed(label_mark, x=x, y={"value": 0})},
    ]


def _every(points: Sequence[Point], pitch: float) -> int:
    """Return the step between the names shown, so that they do not overlap."""
    longest = max(len(point.name) for point in points)
    return max(1, math.ceil((longest * LETTER + GAP) / pitch))


def _marks(points: Sequence[Point], versions: Sequence[tuple[int, datetime]]) -> list[VersionMark]:
    marks: list[VersionMark] = []
    free = 0.0
    for number, moment in sorted(versions, key=lambda version: version[1]):
        place = _place_of(moment, points)
        if place is None:
            continue
        x, text = WIDTH * place / len(points), f"guidelines {number}"
        half = len(text) * LETTER / 2
        has_room = x - half >= free - half * (not marks)
        marks.append({"x": place, "text": text if has_room else ""})
        free = x + half + GAP if has_room else free
    return marks


def _place_of(moment: datetime, points: Sequence[Point]) -> float | None:
    """Return the position of a time among the windows: within the first that ends after it, or on the border before."""
    if moment < points[0].start:
        return None
    for place, point in enumerate(points):
        if moment < point.start:
            return float(place)
        if moment <= point.end:
            return place + (moment - point.start) / max(point.end - point.start, datetime.resolution)
    return None
