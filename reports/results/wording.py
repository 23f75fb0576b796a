"""How figures are written: names, values, intervals, and reasons for missing values."""

import math
from typing import Protocol

from core.templatetags.shown import MINUS, NONE, figure, percent
from reports.analysis.options import Options
from reports.analysis.reasons import UNFIT, words_of
from reports.models import Report

WEIGHTS = dict(Report.Weights.choices)
BY_QUESTION = "Weights by question"


def weights_of_report(options: Options) -> str:
    return BY_QUESTION if options.weights_by_question else WEIGHTS[str(options.weights)]


# Methods are stored with each figure and compared when a report is verified, so their words are changed only for
# display.
METHODS = {
    "bca": "BCa",
    "masi": "MASI",
    "jaccard": "Jaccard",
    "jackknife, t over items": "jackknife, t-based",
    "t over items": "t-based, items as units",
    "t over units": "t-based",
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

STRONG_BELOW = -0.2
N_STEPS = 10


class HasInterval(Protocol):
    """A figure, or a kappa of two raters, stored or just computed."""

    @property
    def ci_low(self) -> float | None: ...

    @property
    def ci_high(self) -> float | None: ...

    @property
    def is_clipped(self) -> bool | None: ...


def clipped_words(found: HasInterval, *, is_share: bool = False) -> str:
    """Return where an interval was truncated, such as “truncated at 1”; "" if it was not."""
    if not found.is_clipped:
        return ""
    bounds = [limit for limit in (found.ci_low, found.ci_high) if limit in (-1, 0, 1)]
    shown = [percent(limit) if is_share else figure(limit, 0) for limit in bounds]
    return f"truncated at {' and '.join(shown)}"


def method_shown(stored: str) -> str:
    """Return a method, or the method of an interval, for display."""
    for old, new in METHODS.items():
        stored = stored.replace(old, new)
    return stored


def short_reason(reason: str) -> str:
    return words_of(reason).short


def long_reason(reason: str) -> str:
    return UNFIT.get(reason) or words_of(reason).long


def step(kappa: float) -> str:
    """Return the CSS class of the color step of a value: two below chance, ten from chance to perfect."""
    if kappa < 0:
        return "below-2" if kappa < STRONG_BELOW else "below-1"
    return f"step-{min(int(kappa * N_STEPS), N_STEPS - 1)}"


def shown_interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """Format an interval: [0.27, 0.34]; "" if there is none."""
    if low is None or high is None:
        return ""
    return f"[{figure(low, digits)}, {figure(high, digits)}]"


def shown_shares(low: float | None, high: float | None, digits: int = 0) -> str:
    """Format an interval in percent: [27%, 34%]; "" if there is none."""
    if low is None or high is None:
        return ""
    return f"[{percent(low, digits)}, {percent(high, digits)}]"


def same_precision(*values: float | None, by: float | None) -> list[str]:
    """Format numbers in one unknown unit, all with the decimals that give `by` three digits."""
    if not by or not 1e-3 <= abs(by) < 1e9:
        return [measured(value) for value in values]
    digits = max(0, 2 - math.floor(math.log10(abs(by))))
    return [NONE if value is None else f"{value:,.{digits}f}".replace("-", MINUS) for value in values]


def measured(value: float | None) -> str:
    """Format a number in an unknown unit: four digits, or all before the decimal point."""
    if value is None:
        return NONE
    size = abs(value)
    if size and not 1e-3 <= size < 1e9:
        text = f"{value:.3e}"
    else:
        text = f"{value:,.0f}" if size >= 1000 else f"{value:.4g}"
    return text.replace("-", MINUS)
