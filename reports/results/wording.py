"""What the figures are called and how they are read out."""

from collections.abc import Mapping
from typing import Any, Protocol

from core.templatetags.shown import figure, percent
from reports.analysis.reasons import UNFIT, words_of
from reports.models import Report

WEIGHTS = dict(Report.Weights.choices)


class WithLimits(Protocol):
    """A kappa of two raters, stored or just computed."""

    @property
    def ci_low(self) -> float | None: ...

    @property
    def ci_high(self) -> float | None: ...

    @property
    def is_clipped(self) -> bool: ...


def clipped_words(found: Mapping[str, Any], *, is_share: bool = False) -> str:
    """Where the interval of a stored figure was cut: cut at 1; "" where it was not."""
    return cut_at(found["ci_low"], found["ci_high"], is_share=is_share) if found.get("is_clipped") else ""


def clipped_words_of(kappa: WithLimits) -> str:
    return cut_at(kappa.ci_low, kappa.ci_high) if kappa.is_clipped else ""


def cut_at(low: float | None, high: float | None, *, is_share: bool = False) -> str:
    bounds = [limit for limit in (low, high) if limit in (-1, 0, 1)]
    shown = [percent(limit) if is_share else figure(limit, 0) for limit in bounds]
    return f"cut at {' and '.join(shown)}"


def short_reason(reason: str) -> str:
    return words_of(reason).short


def long_reason(reason: str) -> str:
    return UNFIT.get(reason) or words_of(reason).long
