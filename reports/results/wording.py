"""What the figures are called and how they are read out."""

from collections.abc import Mapping
from typing import Any, Protocol

from core.templatetags.shown import figure, percent
from reports.analysis.reasons import UNFIT, words_of
from reports.models import Report

WEIGHTS = dict(Report.Weights.choices)

# Methods are stored with each figure and compared when a report is verified: their words change only where shown.
METHODS = {
    "jackknife, t over items": "jackknife, t-based",
    "t over items": "t-based, items as units",
    "items by their labels": "items weighted by number of labels",
    "items by their pairs of labels": "items weighted by number of label pairs",
    "all labels of an item alike": "items with identical labels",
    "item mean": "mean over items",
    "items that all raters labelled": "complete items",
    "items with a label of every rater": "complete items",
    "with the standard error under no agreement beyond chance": "standard error under the null hypothesis",
    "df without empty pairs of categories": "df excluding empty category pairs",
    "df of categories with disagreement": "df from categories with disagreement",
    "one category against the rest": "one category vs. the rest",
    "one against the rest": "one vs. the rest",
    "pairs of labels": "label pairs",
}


class WithLimits(Protocol):
    """A kappa of two raters, stored or just computed."""

    @property
    def ci_low(self) -> float | None: ...

    @property
    def ci_high(self) -> float | None: ...

    @property
    def is_clipped(self) -> bool | None: ...


def clipped_words(found: Mapping[str, Any], *, is_share: bool = False) -> str:
    """Where the interval of a stored figure was truncated: truncated at 1; "" where it was not."""
    return cut_at(found["ci_low"], found["ci_high"], is_share=is_share) if found.get("is_clipped") else ""


def clipped_words_of(kappa: WithLimits) -> str:
    return cut_at(kappa.ci_low, kappa.ci_high) if kappa.is_clipped else ""


def cut_at(low: float | None, high: float | None, *, is_share: bool = False) -> str:
    bounds = [limit for limit in (low, high) if limit in (-1, 0, 1)]
    shown = [percent(limit) if is_share else figure(limit, 0) for limit in bounds]
    return f"truncated at {' and '.join(shown)}"


def method_shown(stored: str) -> str:
    """A method, or the method of an interval, as people read it."""
    for old, new in METHODS.items():
        stored = stored.replace(old, new)
    return stored.replace("bca", "BCa")


def short_reason(reason: str) -> str:
    return words_of(reason).short


def long_reason(reason: str) -> str:
    return UNFIT.get(reason) or words_of(reason).long
