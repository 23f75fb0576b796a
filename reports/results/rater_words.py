"""How the figures of a rater's page are written, and why there are none."""

from collections.abc import Mapping
from typing import Any

from reports.agreement.results import Reason
from reports.analysis import drift as rater_drift
from reports.analysis.reasons import words_of
from reports.results import rater as rater_figures
from reports.results.statistic_rows import measured_row

WHY = {
    rater_figures.HIDDEN: "It was computed with labels of rounds that are not revealed.",
    rater_figures.NO_REFERENCE: "No rater is declared as the reference.",
    rater_figures.IS_REFERENCE: "This is the reference.",
    rater_figures.NO_REPEATS: "No item was labelled twice. Plan blind repeats in a round to see whether a rater "
    "says the same again.",
    rater_figures.NOT_OF_KIND: "The measure needs categories of which one is chosen.",
    rater_figures.NOT_COMPUTED: "The report has no estimate.",
    rater_figures.NOT_COUNTED: "This rater does not count in the figures of all raters, of which this is one.",
    rater_drift.ONE_MOMENT: "The labels came at one moment, as those of an import do, so that nothing tells their "
    "order.",
    rater_drift.NO_SECONDS: "No label tells how long it took, as those of an import do not.",
    str(Reason.NO_OVERLAP): "There is no item that both labelled.",
}


def why(reason: str) -> str:
    return WHY.get(reason) or (words_of(reason).long if reason else "")


def value_shown(name: str, found: Mapping[str, Any]) -> tuple[str, str]:
    """A figure and its interval, or the reason why there is none, as they are written."""
    row = measured_row(name, found)
    return row.value, row.interval or words_of(found.get("reason") or "").short
