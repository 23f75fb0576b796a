"""How close each rater's labels are to those of the others."""

from dataclasses import dataclass, replace
from typing import Self

from reports.analysis.results.raters import SIGNIFICANT


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterVersusOthers:
    """value: over the n_items that others labeled too. difference: from the others on items with three or more labels,
    positive where the rater's value is larger. p_value: for no difference, corrected by Holm; None: no test.
    """

    rater: str
    n_items: int
    value: float | None
    ci_low: float | None
    ci_high: float | None
    difference: float | None
    difference_ci_low: float | None
    difference_ci_high: float | None
    p_value: float | None = None

    def tested(self, p_value: float | None) -> Self:
        return replace(self, p_value=p_value)

    @property
    def is_beyond_chance(self) -> bool:
        return self.p_value is not None and self.p_value < SIGNIFICANT


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersVersusOthers:
    """measure: "agreement", in [0, 1], or "difference", in the unit of the numbers, where smaller is closer."""

    measure: str
    n_tested: int
    raters: tuple[RaterVersusOthers, ...]

    @property
    def lowest_first(self) -> list[RaterVersusOthers]:
        """Return the raters, those farthest from the others first; those without a value last."""
        sign = 1 if self.measure == "agreement" else -1
        return sorted(
            self.raters,
            key=lambda each: (each.value is None, sign * (each.value or 0.0), each.rater),
        )
