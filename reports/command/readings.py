"""Interpretations of a file's figures on a scale."""

from collections.abc import Mapping, Sequence

from reports.agreement.interpretation.reading import Interpretation
from reports.agreement.interpretation.scales import InterpretationBasis, InterpretationScale
from reports.analysis.catalog import PLAIN, title_in
from reports.analysis.results import Figure, Figures, PairResult
from reports.command.text_tables import UNDEFINED, Row, columns_of, shown_figure
from reports.results.scale_readings import reading_of

JUDGED = {
    InterpretationBasis.VALUE: "",
    InterpretationBasis.INTERVAL: "; interprets the CI",
    InterpretationBasis.LOWER_LIMIT: "; interprets the lower limit of the CI",
}


def pair_readings(
    pairs: Sequence[PairResult], scale: InterpretationScale | None, *, is_weighted: bool
) -> list[Interpretation | None]:
    """Return the reading of each pair's kappa; [] without a scale."""
    if scale is None:
        return []
    found = (Figure(value=pair.kappa, se=pair.se, ci_low=pair.ci_low, ci_high=pair.ci_high) for pair in pairs)
    return [reading_of("cohen_kappa", each, scale, is_weighted=is_weighted) for each in found]


def readings_as_text(
    readings: Mapping[str, Interpretation],
    coefficients: Figures,
    scale: InterpretationScale | None,
    *,
    is_weighted: bool,
) -> list[str]:
    """Return a table with a row for each coefficient to which the scale applies; [] without a scale."""
    if scale is None:
        return []
    title = f"Interpretation: {scale.title}{JUDGED[scale.judged]}"
    if not readings:
        return [f"{title}\n  The scale applies to none of these coefficients."]
    rows = [
        _row(title_in(name, is_weighted=is_weighted).translate(PLAIN), found, coefficients[name].value)
        for name, found in readings.items()
    ]
    certainty = 100 * next(iter(readings.values())).benchmark.certainty
    head = ("", "value", "class", "CI", f"{certainty:g}% certain", "")
    return [f"{title}\n" + columns_of([head, *rows], n_left=1)]


def _row(title: str, found: Interpretation, value: float | None) -> Row:
    words = dict.fromkeys(word for word in (found.low_word, found.high_word) if word is not None)
    interval = UNDEFINED if found.low_word is None or found.high_word is None else " to ".join(words)
    certain = UNDEFINED if found.benchmark.word is None else f"at least {found.benchmark.word}"
    return title, shown_figure(value), found.word or "", interval, certain, ""
