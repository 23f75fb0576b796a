"""Agreement window by window, each with the band of its interval, as plain numbers for an SVG."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from projects.templatetags.shown import figure, in_percent
from reports.pages.measured import measured

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760, 46, 752, 26, 236
WIDEST = 130
# Room that a letter takes, and that there is between two words at least.
LETTER, GAP = 7, 14


@dataclass(frozen=True, slots=True)
class Point:
    """One window: what it is called below the axis, its value and limits, None where there are none."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Slot:
    """The window in units of the drawing. band_y, band_height: of the interval, None without one."""

    x: float
    left: float
    right: float
    y: float | None
    band_y: float | None
    band_height: float | None
    name: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A version of the guidelines at the moment it was written; text is "" where there is no room for it."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class Tick:
    y: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePlot:
    """lines: points of the line through neighbouring windows. overall: where the value of all labels lies, or None."""

    slots: list[Slot]
    marks: list[Mark]
    ticks: list[Tick]
    lines: list[str]
    overall: float | None
    width: int = WIDTH
    height: int = BOTTOM + 34
    left: int = LEFT
    right: int = RIGHT
    top: int = TOP
    bottom: int = BOTTOM
    name_y: int = BOTTOM + 22
    mark_y: int = TOP - 9

    @property
    def band_width(self) -> float:
        return round(self.slots[0].right - self.slots[0].left, 1)


def time_plot(
    points: Sequence[Point],
    versions: Sequence[tuple[int, datetime]],
    *,
    overall: float | None,
    is_share: bool,
    is_bounded: bool = True,
) -> TimePlot | None:
    """The picture of two windows or more of which one has a value; else None.

    versions: numbers of guidelines and when they were written. overall: the value of all labels. is_bounded: False for
    values in a unit of their own, which have no highest one.
    """
    known = [value for p in points for value in (p.low, p.value, p.high) if value is not None]
    if len(points) < 2 or not known:
        return None
    if is_bounded:
        axis = _Axis(_start(min(known)), len(points))
    else:
        axis = _Axis(min(0.0, *known), len(points), max(0.0, *known) or 1.0)
    if not math.isfinite(axis.end - axis.start):
        return None
    every = _every(points, axis.pitch)
    slots = [_slot(axis, place, p, place % every == 0) for place, p in enumerate(points)]
    return TimePlot(
        slots=slots,
        marks=_marks(axis, points, versions),
        ticks=_ticks(axis, is_share=is_share) if is_bounded else _ends(axis),
        lines=_lines(slots),
        overall=None if overall is None else axis.y(overall),
    )


@dataclass(frozen=True, slots=True)
class _Axis:
    """Values from `start` to `end` upwards, n windows side by side."""

    start: float
    n: int
    end: float = 1.0

    @property
    def pitch(self) -> float:
        return (RIGHT - LEFT) / self.n

    def y(self, value: float) -> float:
        return round(BOTTOM - (value - self.start) / (self.end - self.start) * (BOTTOM - TOP), 1)

    def x(self, place: float) -> float:
        """place: 0 where the first window begins, 1 where it ends and the next one begins."""
        return round(LEFT + place * self.pitch, 1)


def _start(lowest: float) -> float:
    """The fifth at or below the lowest limit, 0 at most and -1 at least."""
    return max(-1.0, min(0.0, math.floor(lowest * 5) / 5))


def _ticks(axis: _Axis, *, is_share: bool) -> list[Tick]:
    n_ticks = round((1 - axis.start) / 0.2) + 1
    values = [axis.start + 0.2 * k for k in range(n_ticks)]
    return [Tick(axis.y(value), _tick(value, is_share=is_share)) for value in values]


def _ends(axis: _Axis) -> list[Tick]:
    """Where the axis begins and ends, and 0, which is one of them or between."""
    return [Tick(axis.y(value), measured(value)) for value in sorted({axis.start, 0.0, axis.end})]


def _tick(value: float, *, is_share: bool) -> str:
    return in_percent(f"{100 * value:.0f}") if is_share else figure(value, 1)


def _every(points: Sequence[Point], pitch: float) -> int:
    """Every which name is written, so that none runs into the next."""
    longest = max(len(point.name) for point in points)
    return max(1, math.ceil((longest * LETTER + GAP) / pitch))


def _slot(axis: _Axis, place: int, point: Point, is_named: bool) -> Slot:
    x, half = axis.x(place + 0.5), min(WIDEST, 0.86 * axis.pitch) / 2
    has_band = point.low is not None and point.high is not None
    # Limits beyond the axis end at it.
    top = axis.y(min(axis.end, point.high)) if point.high is not None else None
    low = axis.y(max(axis.start, point.low)) if point.low is not None else None
    return Slot(
        x=x,
        left=round(x - half, 1),
        right=round(x + half, 1),
        y=None if point.value is None else axis.y(max(axis.start, point.value)),
        band_y=top if has_band else None,
        band_height=round(low - top, 1) if low is not None and top is not None else None,
        name=point.name if is_named else "",
    )


def _lines(slots: Sequence[Slot]) -> list[str]:
    """Stretches of neighbours that have a value."""
    found: list[list[str]] = [[]]
    for slot in slots:
        if slot.y is None:
            found.append([])
        else:
            found[-1].append(f"{slot.x},{slot.y}")
    return [" ".join(points) for points in found if len(points) > 1]


def _marks(axis: _Axis, points: Sequence[Point], versions: Sequence[tuple[int, datetime]]) -> list[Mark]:
    marks: list[Mark] = []
    free = 0.0
    for number, moment in sorted(versions, key=lambda version: version[1]):
        place = _place_of(moment, points)
        if place is None:
            continue
        x, text = axis.x(place), f"guidelines {number}"
        half = len(text) * LETTER / 2
        has_room = x - half >= free
        marks.append(Mark(x, text if has_room else ""))
        free = x + half + GAP if has_room else free
    return marks


def _place_of(moment: datetime, points: Sequence[Point]) -> float | None:
    """Where a moment lies among the windows: inside the first that ends after it, or on the border before that."""
    if moment < points[0].start:
        return None
    for place, point in enumerate(points):
        if moment < point.start:
            return float(place)
        if moment <= point.end:
            return place + (moment - point.start) / max(point.end - point.start, datetime.resolution)
    return None
