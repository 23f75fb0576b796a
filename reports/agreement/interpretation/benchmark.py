"""Gwet's probabilistic benchmarking: the best class that a coefficient reaches with enough certainty."""

from dataclasses import dataclass

from scipy.special import ndtr

from reports.agreement.interpretation.scales import HIGHEST, LOWEST, InterpretationScale
from reports.agreement.results import Reason

CERTAINTY = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """Words, best first, with the probability of each class and of it or a better one; the word that is certain enough.

    word: None, with the reason, if there is no standard error.
    """

    words: tuple[str, ...] = ()
    probabilities: tuple[float, ...] = ()
    cumulative: tuple[float, ...] = ()
    word: str | None = None
    certainty: float = CERTAINTY
    reason: Reason = Reason.NONE


def probabilistic(
    value: float, se: float | None, scale: InterpretationScale, *, certainty: float = CERTAINTY
) -> Benchmark:
    """The best class for which the probability of it or a better one reaches `certainty`.

    value, se: a coefficient, clipped to [-1, 1], and its standard error. For the class from lb to ub:
    P = [Phi((value - lb) / se) - Phi((value - ub) / se)] / [Phi((value + 1) / se) - Phi((value - 1) / se)], a normal
    distribution truncated to [-1, 1]; cumulated from the best class.
    Undefined: no word without a standard error above 0 (`degenerate_se`).
    Raises ValueError if certainty is not between 0.5 and 1.
    Source: Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., chapter 6.
    """
    if not 0.5 <= certainty < 1:
        raise ValueError(f"certainty must be from 0.5 to below 1, got {certainty:g}")
    if not se:
        return Benchmark(certainty=certainty, reason=Reason.DEGENERATE_SE)
    # The ICC of the mean of several ratings can be below -1, which is treated as -1.
    value = min(max(value, LOWEST), HIGHEST)
    whole = float(ndtr((value - LOWEST) / se) - ndtr((value - HIGHEST) / se))
    probabilities = tuple(
        float(ndtr((value - low) / se) - ndtr((value - high) / se)) / whole
        for low, high in reversed(scale.bounds)
    )
    words = tuple(step.name for step in reversed(scale.steps))
    cumulative = tuple(min(1.0, sum(probabilities[: place + 1])) for place in range(len(words)))
    return Benchmark(
        words=words,
        probabilities=probabilities,
        cumulative=cumulative,
        # All classes together have probability 1, despite rounding of the sum.
        word=next((word for word, p in zip(words, cumulative, strict=True) if p >= certainty), words[-1]),
        certainty=certainty,
    )
