"""Raters' confidence in the labels that a report read, computed on request for pages, API, and exports."""

from core.templatetags.shown import count
from reports.agreement.results import Reason
from reports.analysis.confidence import confidences_of
from reports.analysis.kinds import kind_of
from reports.analysis.results import CalibrationFigures, Confidences
from reports.analysis.results.confidence import CONSENSUS, NOT_OF_KIND, NOTHING_KNOWN
from reports.results.against_reference import reference_of
from reports.results.kinds import stored_coefficient
from reports.sources.label_columns import read_stated
from reports.store.stored_result import StoredResult

# The most labels read for a page or a response.
MAX_LABELS = 500_000
ALPHA = "krippendorff_alpha"
WHY = {
    NOT_OF_KIND: "Calibration needs answers that are correct or incorrect, so there is none for numbers.",
    NOTHING_KNOWN: "No label with a confidence could be compared: there is no reference label and no majority of the "
    "other raters for its item.",
    str(
        Reason.TOO_LARGE
    ): f"This report has more than {MAX_LABELS:,} labels for this question, which are too many to "
    "compare on a page.",
}


def confidences_in(result: StoredResult, *, reference: str = "") -> Confidences:
    """Compare confidence with correctness. reference: the key of a rater; "" for the report's or a declared one, if
    any.

    Without a reference, labels are compared with the consensus.
    """
    coefficient = stored_coefficient(result.row)
    if coefficient not in kind_of(result.scope).part_names:
        coefficient = ALPHA
    if result.row.n_labels > MAX_LABELS:
        nothing = CalibrationFigures(n=0, n_unknown=0, reason=str(Reason.TOO_LARGE))
        return Confidences(
            against=CONSENSUS, reference=None, n_stated=result.row.n_confidences, overall=nothing, raters=(),
            coefficient=coefficient, agreement=(), reason=Reason.TOO_LARGE,
        )  # fmt: skip
    found = reference_of(result, reference)
    return confidences_of(
        result.scope,
        read_stated(result.row),
        result.row.raters,
        result.counted.ids,
        reference=next((each for each in result.row.raters if found and each["id"] == found.id), None),
        coefficient=coefficient,
    )


def against_words(found: Confidences) -> str:
    """Return what labels are compared with."""
    if found.reference is not None:
        return f"correct: the same label as {found.reference}"
    return "correct: the same label as the majority of the other raters"


def unknown_words(figures: CalibrationFigures) -> str:
    """Return a sentence on the labels that could not be compared; "" if there are none."""
    n = figures.n_unknown
    if not n:
        return ""
    return f"{count(n)} more label{'' if n == 1 else 's'} with a confidence could not be compared."
