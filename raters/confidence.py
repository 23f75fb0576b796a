"""How sure raters are of an answer: four steps, each the probability that the answer is right.

A model, or a file, may give any probability from 0 to 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """key: of the keyboard, with Shift."""

    probability: float
    name: str
    key: str

    @property
    def value(self) -> str:
        """As a form sends it."""
        return repr(self.probability)

    @property
    def percent(self) -> str:
        return percent(self.probability)

    def __str__(self) -> str:
        return f"{self.name} ({self.percent})"


STEPS = (
    Step(0.25, "Guessing", "1"),
    Step(0.5, "Unsure", "2"),
    Step(0.75, "Fairly sure", "3"),
    Step(1.0, "Certain", "4"),
)
_BY_PROBABILITY: Mapping[float, Step] = {step.probability: step for step in STEPS}


def percent(probability: float) -> str:
    """75%, or 99.5%: no more decimals than it has."""
    return f"{100 * probability:.12g}%"


def is_probability(number: float) -> bool:
    return 0 <= number <= 1


def in_words(confidence: float | None) -> str:
    """fairly sure (75%); 83% sure; empty for none."""
    if confidence is None:
        return ""
    step = _BY_PROBABILITY.get(confidence)
    return str(step).lower() if step else f"{percent(confidence)} sure"
