"""A small drawing of a coefficient with its interval, next to the criterion; the sentence above it has the figures."""

from dataclasses import dataclass

from core.templatetags.shown import figure, percent
from reports.results.primary import Primary

# The drawing is WIDTH units wide; the axis leaves MARGIN on both sides for half of a text.
WIDTH, MARGIN = 420.0, 24.0
# Texts on the same line need this much space between their centers, in the same units.
TEXT = 64.0


@dataclass(frozen=True, slots=True)
class AxisEnd:
    x: float
    text: str


@dataclass(frozen=True, slots=True)
class CriterionAxis:
    """Places are in units of the drawing. ends: those whose texts do not overlap that of the criterion."""

    state: str
    low: float
    high: float
    value: float
    value_text: str
    criterion: float
    criterion_text: str
    ends: list[AxisEnd]
    zero: float | None

    @property
    def length(self) -> float:
        return self.high - self.low


def criterion_axis(primary: Primary) -> CriterionAxis | None:
    """Return the drawing from 0, or from the lower limit of the interval if that is negative, to 1; None without an
    interval.
    """
    found, criterion = primary.figure, primary.measure.criterion
    if found.value is None or found.ci_low is None or found.ci_high is None:
        return None
    lowest = min(0.0, found.ci_low, criterion)

    def x(value: float) -> float:
        return round(MARGIN + (WIDTH - 2 * MARGIN) * (value - lowest) / (1 - lowest), 1)

    show = percent if primary.is_share else figure
    ends = [AxisEnd(x(value), show(value)) for value in (lowest, 1.0)]
    return CriterionAxis(
        state=primary.state,
        low=x(found.ci_low),
        high=x(found.ci_high),
        value=x(found.value),
        value_text=show(found.value),
        criterion=x(criterion),
        criterion_text=primary.criterion,
        ends=[end for end in ends if abs(end.x - x(criterion)) > TEXT],
        zero=x(0.0) if lowest < 0 else None,
    )
