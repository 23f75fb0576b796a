"""How sure raters are of an answer: four steps, each a probability that the answer is right.

Models and imported files may give any probability from 0 to 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConfidenceChoice:
    """key: the keyboard key, pressed with Shift."""

    probability: float
    name: str
    key: str

    @property
    def value(self) -> str:
        """The value as submitted by a form."""
        return repr(self.probability)

    @property
    def percent(self) -> str:
        return percent(self.probability)

    def __str__(self) -> str:
        return f"{self.name} ({self.percent})"


STEPS = (
    ConfidenceChoice(0.25, "Guessing", "1"),
    ConfidenceChoice(0.5, "Unsure", "2"),
    ConfidenceChoice(0.75, "Fairly sure", "3"),
    ConfidenceChoice(1.0, "Certain", "4"),
)
_BY_PROBABILITY: Mapping[float, ConfidenceChoice] = {step.probability: step for step in STEPS}


def percent(probability: float) -> str:
    """Return a percentage such as 75% or 99.5%, with no more decimals than needed."""
    return f"{100 * probability:.12g}%"


def is_probability(number: float) -> bool:
    return 0 <= number <= 1


def in_words(confidence: float | None) -> str:
    """Return, for example, "fairly sure (75%)" or "83% sure"; empty for None."""
    if confidence is None:
        return ""
    step = _BY_PROBABILITY.get(confidence)
    return str(step).lower() if step else f"{percent(confidence)} sure"
