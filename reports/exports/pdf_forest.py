"""A forest plot for a document of Typst: values with their intervals on one scale, and the same in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.exports.prose import number
from reports.exports.typeset import string
from reports.pages.shown import shown_interval

# Draws rows of (name, value, start, end, told) from `low` to 1; none stands for what there is not.
DRAWING = """
#let forest(rows, ticks, low) = {
  let (name, plot, beside, row) = (62mm, 62mm, 36mm, 5.2mm)
  let at(value) = name + plot * ((calc.clamp(value, low, 1) - low) / (1 - low))
  let below = row * rows.len()
  block(width: name + plot + beside, height: below + 6mm, align(left + top, {
    for tick in ticks {
      place(dx: at(tick), line(angle: 90deg, length: below + 1mm, stroke: 0.3pt + luma(190)))
      place(dx: at(tick) - 4mm, dy: below + 1.5mm, box(width: 8mm, align(center, text(7pt, str(tick)))))
    }
    for (place-of, (words, value, start, end, told)) in rows.enumerate() {
      let y = row * place-of + row / 2
      place(dy: y - 1.6mm, box(width: name - 3mm, height: 1em, clip: true, text(8pt, words)))
      if start != none {
        place(dx: at(start), dy: y, line(length: at(end) - at(start), stroke: 1.2pt + rgb("#0072b2")))
      }
      place(dx: at(value) - 0.9mm, dy: y - 0.9mm, circle(radius: 0.9mm, fill: rgb("#0072b2")))
      place(dx: name + plot + 3mm, dy: y - 1.6mm, text(8pt, told))
    }
  }))
}
"""


FROM_0, FROM_BELOW = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (-1.0, -0.5, 0.0, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Point:
    """low, high: the interval, or None for both."""

    name: str
    value: float
    low: float | None
    high: float | None

    @property
    def told(self) -> str:
        return f"{number(self.value, 2)}  {shown_interval(self.low, self.high)}".rstrip()

    @property
    def code(self) -> str:
        low, high = (
            ("none", "none") if self.low is None or self.high is None else (plain(self.low), plain(self.high))
        )
        return f"({string(self.name)}, {plain(self.value)}, {low}, {high}, {string(self.told)})"


def forest(points: Sequence[Point]) -> str:
    """The call that draws them."""
    low = max(
        -1.0, min([0.0, *(each for point in points for each in (point.value, point.low) if each is not None)])
    )
    ticks = (
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        if low == 0
        else [tick for tick in (-1.0, -0.5, 0.0, 0.5, 1.0) if tick >= low]
    )
    rows = "".join(f"{point.code}, " for point in points)
    return f"forest(({rows}), ({', '.join(map(plain, ticks))}), {plain(low)})"


def in_words(points: Sequence[Point]) -> str:
    told = [f"{point.name} {number(point.value, 2)}{_interval(point)}" for point in points]
    return "Forest plot. " + "; ".join(told) + "."


def _interval(point: Point) -> str:
    if point.low is None or point.high is None:
        return ""
    return f" from {number(point.low, 2)} to {number(point.high, 2)}"


def plain(value: float) -> str:
    """A number as Typst reads it."""
    return f"{value:.6f}"
