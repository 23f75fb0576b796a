"""A forest plot: where each pair's kappa and its interval lie, as plain numbers for an SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

from projects.templatetags.shown import figure
from reports.pair_figures import Pair

LEFT = 290
RIGHT = 770
WIDTH = 840
TOP = 14
ROW = 24
MAX_NAME = 42


@dataclass(frozen=True, slots=True)
class Axis:
    """Kappa from `start` to 1, drawn from LEFT to RIGHT."""

    start: float

    def x(self, value: float) -> float:
        return round(LEFT + (value - self.start) / (1 - self.start) * (RIGHT - LEFT), 1)

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
    mean: float | None
    width: int = WIDTH
    top: int = TOP - 6
    name_x: int = LEFT - 16
    value_x: int = RIGHT + 16

    @property
    def bottom(self) -> int:
        return TOP + ROW * len(self.bars)

    @property
    def tick_y(self) -> int:
        return self.bottom + 18

    @property
    def height(self) -> int:
        return self.bottom + 26


def forest_of(
    pairs: Sequence[Pair], names: dict[int, str], *, mean: float | None, query: str
) -> Forest | None:
    """The plot of the pairs with a defined kappa, in their order; None if there is none."""
    drawn = [pair for pair in pairs if pair.kappa is not None]
    if not drawn:
        return None
    axis = Axis(_start(min(_lowest(pair) for pair in drawn)))
    n_ticks = round((1 - axis.start) / 0.2) + 1
    return Forest(
        ticks=[_tick(axis, axis.start + 0.2 * number) for number in range(n_ticks)],
        bars=[_bar(axis, pair, number, names, query) for number, pair in enumerate(drawn)],
        mean=axis.x_or_none(mean),
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


def _bar(axis: Axis, pair: Pair, number: int, names: dict[int, str], query: str) -> Bar:
    y = TOP + ROW * number + ROW // 2 - 4
    return Bar(
        name=shortened(f"{names[pair.rater_a]} × {names[pair.rater_b]}"),
        address=f"{pair.rater_a}/{pair.rater_b}/{query}",
        y=y,
        text_y=y + 4,
        x=axis.x(pair.kappa or 0.0),
        low=axis.x_or_none(pair.ci_low),
        high=axis.x_or_none(pair.ci_high),
        value=figure(pair.kappa),
    )


def shortened(name: str) -> str:
    return name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"
