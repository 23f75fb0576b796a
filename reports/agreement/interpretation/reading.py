"""A coefficient read on a scale: value, interval, word, and the source of the word, always together."""

from dataclasses import dataclass
from typing import TypedDict

from reports.agreement.interpretation.benchmark import Benchmark, probabilistic
from reports.agreement.interpretation.families import family_of
from reports.agreement.interpretation.scales import InterpretationBasis, InterpretationScale
from reports.agreement.results import Coefficient, Estimate


class WrongScale(ValueError):
    """Raised if a scale is applied to a coefficient that it was not made for."""


class BenchmarkJson(TypedDict):
    word: str | None
    certainty: float
    cumulative: dict[str, float]
    reason: str | None


class InterpretationJson(TypedDict):
    """A reading for API clients."""

    scale: str
    title: str
    source: str
    judged: str
    word: str | None
    low_word: str | None
    high_word: str | None
    judged_word: str | None
    probabilistic: BenchmarkJson


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """The reading of one coefficient on one scale.

    word: for the value, None if undefined. low_word, high_word: for both limits, None without an interval.
    benchmark: Gwet's, in addition; without a word if there is no standard error.
    """

    scale: InterpretationScale
    word: str | None
    low_word: str | None
    high_word: str | None
    benchmark: Benchmark

    @property
    def judged_word(self) -> str | None:
        """The word that the scale's authors would use: for the value, for both limits, or for the lower limit."""
        if self.scale.judged is InterpretationBasis.VALUE:
            return self.word
        if self.low_word is None or self.high_word is None:
            return None
        if self.scale.judged is InterpretationBasis.LOWER_LIMIT or self.low_word == self.high_word:
            return self.low_word
        return f"{self.low_word} to {self.high_word}"

    def flat(self) -> InterpretationJson:
        """Return all fields by name, for API clients."""
        return {
            "scale": self.scale.key,
            "title": self.scale.title,
            "source": self.scale.source,
            "judged": str(self.scale.judged),
            "word": self.word,
            "low_word": self.low_word,
            "high_word": self.high_word,
            "judged_word": self.judged_word,
            "probabilistic": {
                "word": self.benchmark.word,
                "certainty": self.benchmark.certainty,
                "cumulative": dict(zip(self.benchmark.words, self.benchmark.cumulative, strict=True)),
                "reason": str(self.benchmark.reason) or None,
            },
        }


def suits(scale: InterpretationScale, statistic: str, *, is_weighted: bool = False) -> bool:
    """Return whether the scale was made for the statistic of this name."""
    return family_of(statistic, is_weighted=is_weighted) in scale.families


def read(
    found: Coefficient | Estimate, statistic: str, scale: InterpretationScale, *, is_weighted: bool = False
) -> Interpretation:
    """Read the coefficient on the scale. Raises WrongScale if the scale was not made for it."""
    if not suits(scale, statistic, is_weighted=is_weighted):
        kind = f"weighted {statistic}" if is_weighted else statistic
        raise WrongScale(f"{scale.title} was not made for {kind}")
    return Interpretation(
        scale=scale,
        word=_word(scale, found.value),
        low_word=_word(scale, found.ci_low),
        high_word=_word(scale, found.ci_high),
        benchmark=_benchmark(found, scale),
    )


def _benchmark(found: Coefficient | Estimate, scale: InterpretationScale) -> Benchmark:
    if found.value is None or found.se is None:
        return Benchmark(reason=found.reason)
    return probabilistic(found.value, found.se, scale)


def _word(scale: InterpretationScale, value: float | None) -> str | None:
    return None if value is None else scale.word(value)
