"""Two raters' numbers as Bland and Altman draw them: differences against means, as plain numbers for an SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.pages.measured import measured

WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 70, 640, 14, 262
# More dots than this are a cloud that takes long to draw.
MAX_DOTS = 2000


@dataclass(frozen=True, slots=True)
class Dot:
    """address, words: of the item and what is said of it; "" where the picture stands by itself."""

    x: float
    y: float
    address: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A horizontal line with what it is written at its right end."""

    y: float
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Tick:
    x: float
    text: str


@dataclass(frozen=True, slots=True)
class Plot:
    dots: list[Dot]
    lines: list[Line]
    ticks: list[Tick]
    words: str
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = RIGHT
    tick_y: int = BOTTOM + 24


def difference_plot(
    numbers: Sequence[tuple[float, float]],
    figures: Mapping[str, Any],
    links: Sequence[tuple[str, str]] = (),
) -> Plot | None:
    """The plot of these pairs of numbers with the lines of the report; None without limits, or with too many dots.

    links: address and words of the item of each dot.
    """
    lower, bias, upper = (
        figures[name]["value"] for name in ("bland_altman_lower", "bland_altman_bias", "bland_altman_upper")
    )
    if lower is None or upper is None or not 2 <= len(numbers) <= MAX_DOTS:
        return None
    # Halves first: the sum of the largest numbers would overflow.
    means = [a / 2 + b / 2 for a, b in numbers]
    differences = [a - b for a, b in numbers]
    x = _Axis(min(means), max(means), LEFT, RIGHT)
    y = _Axis(min([lower, 0, *differences]), max([upper, 0, *differences]), BOTTOM, TOP)
    return Plot(
        dots=[
            Dot(x.at(mean), y.at(gap), *link)
            for mean, gap, link in zip(means, differences, links or [("", "")] * len(means), strict=True)
        ],
        lines=[
            Line(y.at(0), "zero", ""),
            Line(y.at(bias), "bias", f"bias {measured(bias)}"),
            Line(y.at(lower), "limit", f"limit {measured(lower)}"),
            Line(y.at(upper), "limit", f"limit {measured(upper)}"),
        ],
        ticks=[Tick(x.at(value), measured(value)) for value in x.ends],
        words=f"Differences of {len(numbers)} items against their means: bias {measured(bias)}, "
        f"limits of agreement {measured(lower)} to {measured(upper)}",
    )


@dataclass(frozen=True, slots=True)
class _Axis:
    """Values from `low` to `high`, drawn from `start` to `stop`."""

    low: float
    high: float
    start: int
    stop: int

    @property
    def ends(self) -> list[float]:
        return [self.low] if self.low == self.high else [self.low, self.high]

    def at(self, value: float) -> float:
        share = 0.5 if self.low == self.high else (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.stop - self.start), 1)
