"""Reasons for missing figures, as terminal text."""

from collections.abc import Iterable, Mapping

from reports.agreement.results import Reason
from reports.analysis.reasons import words_of

COEFFICIENT_REASONS = {Reason.DEGENERATE_MARGINS: "no variation between items, so no CI"}


def in_words(reason: str, special: Mapping[Reason, str]) -> str:
    return special.get(Reason(reason)) or words_of(reason).phrase


def common_text(texts: Iterable[str | None]) -> str:
    """Return the text that all have in common, "" if there is none; None has no text."""
    known = {text for text in texts if text is not None}
    return known.pop() if len(known) == 1 else ""
