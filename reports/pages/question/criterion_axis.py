"""A small drawing of a coefficient with its interval and the criterion; the sentences above it say the same."""

from dataclasses import dataclass

from core.templatetags.shown import figure, percent
from reports.results.primary import Primary

# Positions are in the units of the drawing. The margins have room for half of the longest text, that of the criterion.
WIDTH, MARGIN = 420.0, 46.0
LEFT, RIGHT = MARGIN, WIDTH - MARGIN
# The least distance between the centers of the criterion's text and the text at an end.
SPACING = 64.0


@dataclass(frozen=True, slots=True)
class AxisEnd:
    """text: "" where it would overlap that of the criterion."""

    x: float
    text: str


@dataclass(frozen=True, slots=True)
class CriterionAxis:
    """zero: None if the axis begins there."""

    state: str
    ends: tuple[AxisEnd, AxisEnd]
    zero: float | None
    low: float
    high: float
    value: float
    value_text: str
    criterion: float
    criterion_text: str

    @property
    def length(self) -> float:
        """The length of the interval."""
        return self.high - self.low


def criterion_axis(primary: Primary) -> CriterionAxis | None:
    """Return an axis from 0 to 1, or from the lower limit of the interval if that is negative; None without an
    interval.
    """
    found, criterion = primary.figure, primary.measure.criterion
    if found.value is None or found.ci_low is None or found.ci_high is None:
        return None
    lowest = min(0.0, found.ci_low, criterion)

    def x(value: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * (min(value, 1.0) - lowest) / (1 - lowest), 1)

    show = percent if primary.is_share else figure

    def end(value: float) -> AxisEnd:
        return AxisEnd(x(value), show(value) if abs(x(value) - x(criterion)) > SPACING else "")

    return CriterionAxis(
        state=primary.state,
        ends=(end(lowest), end(1.0)),
        zero=x(0.0) if lowest < 0 else None,
        low=x(found.ci_low),
        high=x(found.ci_high),
        value=x(found.value),
        value_text=show(found.value),
        criterion=x(criterion),
        criterion_text=primary.criterion,
    )
