"""Words for coefficients on the scale that the project chose, with the source of the scale."""

from core.templatetags.shown import percent
from projects.models import Project
from projects.thresholds import ReadingScaleChoice
from reports.agreement.interpretation.families import Family
from reports.agreement.interpretation.reading import Interpretation, read, suits
from reports.agreement.interpretation.scales import (
    SCALES,
    InterpretationBasis,
    InterpretationScale,
    own_scale,
)
from reports.agreement.results import Estimate
from reports.analysis.catalog import MEAN_OF_PAIRS
from reports.analysis.results import Figure, Figures

MOST = 0.9999


def scale_of(project: Project) -> InterpretationScale | None:
    """Return the scale of the project; None if it shows figures without words."""
    if project.reading_scale == ReadingScaleChoice.NONE:
        return None
    if project.reading_scale != ReadingScaleChoice.OWN:
        return SCALES[project.reading_scale]
    steps = [(threshold["from"], threshold["name"]) for threshold in project.thresholds]
    return own_scale(steps, families=frozenset({Family(project.thresholds_for)}))


def reading_of(
    name: str, found: Figure, scale: InterpretationScale | None, *, is_weighted: bool = False
) -> Interpretation | None:
    """Return the reading of a stored statistic; None if there is none, or if the scale does not apply to it."""
    if scale is None or found.value is None or not suits(scale, name, is_weighted=is_weighted):
        return None
    estimate = Estimate(
        value=found.value,
        se=found.se,
        ci_low=found.ci_low,
        ci_high=found.ci_high,
        n=0,
        reason=found.reason,
        method="",
    )
    return read(estimate, name, scale, is_weighted=is_weighted)


def readings_of(
    found: Figures, scale: InterpretationScale | None, *, is_weighted: bool = False
) -> dict[str, Interpretation]:
    """Return the readings of the statistics to which the scale applies, by name.

    is_weighted: whether the mean of the pairs is of weighted kappas, which its name does not show.
    """
    readings = {
        name: reading_of(name, each, scale, is_weighted=is_weighted and name == MEAN_OF_PAIRS)
        for name, each in found.items()
    }
    return {name: reading for name, reading in readings.items() if reading is not None}


def interpretation_text(reading: Interpretation | None) -> str:
    """Return, for example: moderate; CI: fair to moderate; very likely at least fair (98%) – Landis & Koch 1977"""
    if reading is None:
        return ""
    parts = []
    if reading.low_word is not None and reading.low_word != reading.high_word:
        parts.append(
            f"CI: {named(reading.scale, reading.low_word)} to {named(reading.scale, reading.high_word)}"
        )
    if sure := certainty_of(reading):
        parts.append(sure)
    words = "; ".join([named(reading.scale, reading.word), *parts])
    return f"{words} – {reading.scale.title}"


def certainty_of(reading: Interpretation) -> str:
    """Return the certainty of the class by Gwet's benchmark: very likely at least fair (98%).

    "" for the lowest class, for which "or better" is always true.
    """
    word, chance = certain_class(reading)
    if not chance:
        return ""
    words = f"at least {named(reading.scale, word)}"
    return (
        f"{words} with {chance} probability"
        if chance.startswith("only")
        else f"very likely {words} ({chance})"
    )


def certain_class(reading: Interpretation) -> tuple[str, str]:
    """Return the best class that is certain enough, and the probability of it or a better one; ("", "") if none
    applies.

    Classes that begin at 0 or below are skipped: they are certain or show only that agreement is above chance. If no
    class above is certain enough, the first of them is returned, with “only” before its probability.
    """
    benchmark = reading.benchmark
    telling = [step.name for step in reading.scale.steps[1:] if step.start > 0]
    if benchmark.word is None or reading.word not in telling:
        return "", ""
    is_enough = benchmark.word in telling
    word = benchmark.word if is_enough else telling[0]
    chance = dict(zip(benchmark.words, benchmark.cumulative, strict=True))[word]
    # A sum that was rounded to 1 is not a certainty.
    in_words = percent(min(chance, MOST))
    return word, in_words if is_enough else f"only {in_words}"


def named(scale: InterpretationScale, word: str | None) -> str:
    """Return the name of a class within a sentence: in quotes unless it is an adjective for agreement."""
    # The class below a project's first threshold already has its name in quotes.
    is_plain = scale.judged is not InterpretationBasis.LOWER_LIMIT and scale.key != ReadingScaleChoice.OWN
    return f"{word}" if is_plain or (word and "“" in word) else f"“{word}”"


def of_scale(scale: InterpretationScale) -> str:
    """Return the beginning of a sentence on this scale."""
    return "By the thresholds of this project" if scale.key == "own" else f"On the scale of {scale.title}"
