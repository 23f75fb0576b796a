"""What a scale of interpretation says of the figures of a file."""

from collections.abc import Mapping, Sequence
from typing import Any

from reports.agreement.reading.reading import Reading
from reports.agreement.reading.scales import Judged, ReadingScale
from reports.analysis.catalogue import plain_title_of
from reports.analysis.results import Figure, Json, PairResult
from reports.command.tables import UNDEFINED, Row, columns_of, shown_figure
from reports.results.scale_readings import reading_of, readings_of

JUDGED = {
    Judged.VALUE: "",
    Judged.INTERVAL: "; interprets the CI",
    Judged.LOWER_LIMIT: "; interprets the lower limit of the CI",
}


def coefficient_readings(
    found: Mapping[str, Any], scale: ReadingScale | None, *, is_weighted: bool = False
) -> Json:
    """By the name of the coefficient, as JSON; those that the scale was not made for are not there."""
    readings = readings_of(found, scale, is_weighted=is_weighted)
    return {name: reading.flat() for name, reading in readings.items()}


def pair_readings(
    pairs: Sequence[PairResult], scale: ReadingScale | None, *, is_weighted: bool
) -> list[Json]:
    """For each pair its reading, as JSON to be joined to the pair; {} without a scale."""
    if scale is None:
        return [{}] * len(pairs)
    return [{"reading": _flat(_of_pair(pair, scale, is_weighted))} for pair in pairs]


def _of_pair(kappa: PairResult, scale: ReadingScale, is_weighted: bool) -> Reading | None:
    found = Figure(value=kappa.kappa, se=kappa.se, ci_low=kappa.ci_low, ci_high=kappa.ci_high)
    return reading_of("cohen_kappa", found, scale, is_weighted=is_weighted)


def _flat(reading: Reading | None) -> Json | None:
    return None if reading is None else reading.flat()


def readings_as_text(
    readings: Mapping[str, Any], coefficients: Mapping[str, Any], scale: ReadingScale | None
) -> list[str]:
    """A table with a row for each coefficient that the scale was made for; [] without a scale."""
    if scale is None:
        return []
    title = f"Interpretation: {scale.title}{JUDGED[scale.judged]}"
    if not readings:
        return [f"{title}\n  The scale applies to none of these coefficients."]
    rows = [_row(name, found, coefficients[name]["value"]) for name, found in readings.items()]
    certainty = 100 * next(iter(readings.values()))["probabilistic"]["certainty"]
    head = ("", "value", "class", "CI", f"{certainty:g}% certain", "")
    return [f"{title}\n" + columns_of([head, *rows], n_left=1)]


def _row(name: str, found: Mapping[str, Any], value: float) -> Row:
    words = [found["low_word"], found["high_word"]]
    interval = UNDEFINED if None in words else " to ".join(dict.fromkeys(words))
    certain = found["probabilistic"]["word"]
    certain = UNDEFINED if certain is None else f"at least {certain}"
    return plain_title_of(name), shown_figure(value), found["word"], interval, certain, ""
