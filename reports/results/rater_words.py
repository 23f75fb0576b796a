"""How the figures of a rater's page are written, and why there are none."""

from collections.abc import Mapping
from typing import Any

from reports.agreement.results import Reason
from reports.analysis import drift as rater_drift
from reports.analysis.reasons import words_of
from reports.results import rater as rater_figures
from reports.results.statistic_rows import measured_row

WHY = {
    rater_figures.HIDDEN: "Not shown, because it uses labels of rounds that have not been revealed.",
    rater_figures.NO_REFERENCE: "This project has no default reference.",
    rater_figures.IS_REFERENCE: "This rater is the reference.",
    rater_figures.NO_REPEATS: "No item was labeled twice. Plan blind repeats in a round to measure intra-rater "
    "reliability.",
    rater_figures.NOT_OF_KIND: "Available for single-choice questions only.",
    rater_figures.NOT_COMPUTED: "This report has no estimate.",
    rater_figures.NOT_COUNTED: "Not available, because this rater is excluded from overall coefficients.",
    rater_drift.ONE_MOMENT: "All labels have the same timestamp, as after an import, so their order is "
    "unknown.",
    rater_drift.NO_SECONDS: "No labeling times were recorded. Imported labels have none.",
    str(Reason.NO_OVERLAP): "No shared items.",
}


def why(reason: str) -> str:
    return WHY.get(reason) or (words_of(reason).long if reason else "")


def value_shown(name: str, found: Mapping[str, Any]) -> tuple[str, str]:
    """A figure and its interval, or the reason why there is none, as they are written."""
    row = measured_row(name, found)
    return row.value, row.interval or words_of(found.get("reason") or "").short
