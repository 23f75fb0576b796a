"""What the figures of one question say, in plain sentences and four tiles; nothing here sets a threshold."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from projects.templatetags.shown import count, figure, percent
from reports.models import QuestionAgreement
from reports.pages.matrix import shown_interval
from reports.pages.pair_figures import Spread
from reports.pages.scale_reading import of_scale, reading_of, scale_of
from reports.wording import COEFFICIENTS, long_reason, short_reason

TILES = ["fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "percent_agreement"]


@dataclass(frozen=True, slots=True)
class Tile:
    name: str
    value: str
    interval: str
    method: str


def tiles_of(agreement: QuestionAgreement) -> list[Tile]:
    return [_tile(name, agreement.coefficients.get(name, {})) for name in TILES]


def _tile(name: str, found: Mapping[str, Any]) -> Tile:
    value, reason = found.get("value"), found.get("reason", "")
    show = percent if name == "percent_agreement" else figure
    interval = shown_interval(found.get("ci_low"), found.get("ci_high"))
    if name == "percent_agreement" and interval:
        interval = f"{percent(found['ci_low'])} to {percent(found['ci_high'])}"
    return Tile(
        COEFFICIENTS[name],
        show(value) if value is not None else "–",
        interval or short_reason(reason),
        found.get("method", ""),
    )


def expected_by_chance(agreement: QuestionAgreement) -> float | None:
    """The agreement that Fleiss' kappa takes for chance: pe in kappa = (pa - pe) / (1 - pe)."""
    observed = agreement.coefficients.get("percent_agreement", {}).get("value")
    kappa = agreement.coefficients.get("fleiss_kappa", {}).get("value")
    if observed is None or kappa is None or kappa == 1:
        return None
    return (observed - kappa) / (1 - kappa)


def sentences_of(agreement: QuestionAgreement, spread: Spread, weights: str) -> list[str]:
    sentences = [
        _agreement_sentence(agreement),
        _kappa_sentence(agreement),
        _spread_sentence(agreement, spread, weights),
    ]
    return [sentence for sentence in sentences if sentence]


def _agreement_sentence(agreement: QuestionAgreement) -> str:
    observed = agreement.coefficients.get("percent_agreement", {}).get("value")
    if observed is None:
        return ""
    sentence = f"Two labels of one item agree {percent(observed)} of the time, on average over items"
    expected = expected_by_chance(agreement)
    if expected is None:
        return f"{sentence}."
    return f"{sentence}; chance alone, with categories used as often as here, would give {percent(expected)}."


def _kappa_sentence(agreement: QuestionAgreement) -> str:
    found = agreement.coefficients.get("fleiss_kappa", {})
    if found.get("value") is None:
        return f"Fleiss’ κ is undefined. {long_reason(found.get('reason', ''))}"
    reading = reading_of("fleiss_kappa", found, scale_of(agreement.report.project))
    if reading is None:
        return ""
    value = figure(found["value"])
    sentence = f"{of_scale(reading.scale)} a Fleiss’ κ of {value} is “{reading.word}”, which is a convention"
    if reading.low_word is None:
        return f"{sentence}."
    if reading.low_word == reading.high_word:
        return f"{sentence}; so is the whole interval."
    return f"{sentence}; its interval reaches from “{reading.low_word}” to “{reading.high_word}”."


def _spread_sentence(agreement: QuestionAgreement, spread: Spread, weights: str) -> str:
    if spread.low is None:
        return ""
    sentence = f"Cohen’s κ of the pairs ({weights.lower()}) ranges from {figure(spread.low)} to {figure(spread.high)}"
    if not spread.n_undefined:
        return f"{sentence}."
    verb = "is" if spread.n_undefined == 1 else "are"
    return f"{sentence}; {count(spread.n_undefined)} of {count(agreement.n_pairs)} pairs {verb} undefined."
