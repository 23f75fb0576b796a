"""What the figures are called and how they are read out."""

from collections.abc import Mapping
from typing import Any, Protocol

from core.templatetags.shown import figure, percent
from reports.analysis.reasons import UNFIT, words_of
from reports.models import Report

# Why a whole question has no results. Keys are the arguments of reports.scopes.QuestionUnfit.
UNFIT = {
    "no_categories": "This question has no categories yet.",
    "equal_values": "Two categories have the same value, so distances between them mean nothing.",
    "values_missing": "Some categories have no value; an interval or ratio question needs one for each.",
    "negative_values": "Some categories have a value below 0, and ratios need values of 0 or more.",
    "matrix_misfit": "The weights of your own do not go with the categories as they are now.",
    "too_many_sets": "There are too many different sets of categories.",
    "too_many_cells": "There are too many raters for this many categories; choose fewer.",
}
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
