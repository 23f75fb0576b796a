"""How the figures of one rater are written, and the reasons for missing ones."""

from reports.agreement.results import Reason
from reports.analysis.drift import NO_SECONDS, ONE_MOMENT
from reports.analysis.rater_bias import NOT_OF_KIND
from reports.analysis.reasons import words_of
from reports.analysis.results import Figure
from reports.results.statistic_rows import measured_row

HIDDEN = "hidden"
NO_REFERENCE = "no_reference"
IS_REFERENCE = "is_reference"
NO_REPEATS = "no_repeats"
NOT_COMPUTED = "not_computed"
NOT_COUNTED = "not_counted"
WHY = {
    HIDDEN: "Not shown, because it uses labels of rounds that have not been revealed.",
    NO_REFERENCE: "This project has no default reference.",
    IS_REFERENCE: "This rater is the reference.",
    NO_REPEATS: "No item was labeled twice. Plan blind repeats in a round to measure intra-rater "
    "reliability.",
    NOT_OF_KIND: "Available for single-choice questions only.",
    NOT_COMPUTED: "This report has no estimate.",
    NOT_COUNTED: "Not available, because this rater is excluded from overall coefficients.",
    ONE_MOMENT: "All labels have the same timestamp, as after an import, so their order is unknown.",
    NO_SECONDS: "No labeling times were recorded. Imported labels have none.",
    str(Reason.NO_OVERLAP): "No shared items.",
}


def why(reason: str) -> str:
    return WHY.get(reason) or (words_of(reason).long if reason else "")


def value_shown(name: str, found: Figure) -> tuple[str, str]:
    """Return a formatted figure, and its interval or the reason why there is none."""
    row = measured_row(name, found)
    return row.value, row.interval or words_of(found.reason).short
