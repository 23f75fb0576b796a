"""A forest plot: where each pair's kappa and its interval lie, as plain numbers for an SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

from projects.templatetags.shown import figure
from reports.pages.pair.figures import Pair

TOP = 14


@dataclass(frozen=True, slots=True)
class Shape:
    """Where the axis begins and ends, how wide the drawing is, how high a row, how long a name may be."""

    left: int
    right: int
    width: int
    row: int
    max_name: int
    name: str


WIDE = Shape(left=290, right=770, width=840, row=24, max_name=42, name="wide")
NARROW = Shape(left=212, right=448, width=508, row=28, max_name=23, name="narrow")


@dataclass(frozen=True, slots=True)
class Axis:
    """Kappa from `start` to 1, drawn from left to right."""

    start: float
    shape: Shape

    def x(self, value: float) -> float:
        left, right = self.shape.left, self.shape.right
        return round(left + (value - self.start) / (1 - self.start) * (right - left), 1)

    def x_or_none(self, value: float | None) -> float | None:
        return None if value is None else self.x(value)


@dataclass(frozen=True, slots=True)
class Tick:
    x: float
    text: str
    is_zero: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """One pair: the dot at `x`, the interval from `low` to `high` if there is one, in units of the drawing."""

    name: str
    address: str
    y: float
    text_y: float
    x: float
    low: float | None
    high: float | None
    value: str


@dataclass(frozen=True, slots=True)
class Forest:
    ticks: list[Tick]
    bars: list[Bar]
    shape: Shape
    top: int = TOP - 6

    @property
    def name_x(self) -> int:
        return self.shape.left - 16

    @property
    def value_x(self) -> int:
        return self.shape.right + 16

    @property
    def bottom(self) -> int:
        return TOP + self.shape.row * len(self.bars)

    @property
    def tick_y(self) -> int:
        return self.bottom + 18

    @property
    def height(self) -> int:
        return self.bottom + 26


def forest_of(
    pairs: Sequence[Pair], names: dict[int, str], *, shape: Shape, query: str | None = None
) -> Forest | None:
    """The plot of the pairs with a defined kappa, in their order; None if there is none.

    query: what the address of a pair ends with; None for a plot that leads nowhere.
    """
    drawn = [pair for pair in pairs if pair.kappa is not None]
    if not drawn:
        return None
    axis = Axis(_start(min(_lowest(pair) for pair in drawn)), shape)
    n_ticks = round((1 - axis.start) / 0.2) + 1
    return Forest(
        ticks=[_tick(axis, axis.start + 0.2 * number) for number in range(n_ticks)],
        bars=[_bar(axis, pair, number, names, query) for number, pair in enumerate(drawn)],
        shape=shape,
    )


def _lowest(pair: Pair) -> float:
    return min(value for value in (pair.kappa, pair.ci_low) if value is not None)


def _start(lowest: float) -> float:
    """The fifth at or below the lowest limit, 0 at most and -1 at least."""
    start = 0.0
    while start > lowest and start > -1:
        start = round(start - 0.2, 1)
    return start


def _tick(axis: Axis, value: float) -> Tick:
    return Tick(axis.x(value), figure(value, 1), abs(value) < 1e-9)


def _bar(axis: Axis, pair: Pair, number: int, names: dict[int, str], query: str | None) -> Bar:
    y = TOP + axis.shape.row * number + axis.shape.row // 2 - 4
    return Bar(
        name=pair_name(names[pair.rater_a], names[pair.rater_b], axis.shape.max_name),
        address="" if query is None else f"{pair.rater_a}/{pair.rater_b}/{query}",
        y=y,
        text_y=y + 4,
        x=axis.x(pair.kappa or 0.0),
        low=axis.x_or_none(pair.ci_low),
        high=axis.x_or_none(pair.ci_high),
        value=figure(pair.kappa),
    )


def pair_name(a: str, b: str, length: int) -> str:
    """Both names, cut inside if they are too long: raters are often told apart by a number at the end alone."""
    room = length - len(" × ")
    half = room // 2
    room_a = max(half, room - len(b)) if len(b) < half else half
    return f"{_cut_inside(a, room_a)} × {_cut_inside(b, room - min(room_a, len(a)))}"


def _cut_inside(name: str, length: int) -> str:
    if len(name) <= length:
        return name
    n_last = (length - 1) // 2
    return f"{name[: length - 1 - n_last]}…{name[-n_last:]}"


def shortened(name: str, length: int) -> str:
    return name if len(name) <= length else name[: length - 1] + "…"
