"""Tables of confidence in a report: calibration, its steps, and agreement among confident labels."""

from collections.abc import Iterable, Iterator, Sequence

from reports.analysis.results import CalibrationFigures, Confidences
from reports.exports.result_columns import QUESTION, VALUE, ExportColumn, ResultTable, Row, value_cells
from reports.models import QuestionAgreement
from reports.results.confidence import confidences_in
from reports.store.stored_result import StoredResult

# The columns for all steps of a rater together, in order.
SUMMARY = (
    "n", "n_unknown", "stated", "share", "overconfidence", "error", "brier", "reliability", "resolution", "uncertainty",
    "within",
)  # fmt: skip
STEP = ("low", "high", "n", "stated", "n_right", "share", "ci_low", "ci_high")
RATER = ExportColumn("rater", "key; empty for all raters together")


def confidence_tables(agreements: Sequence[QuestionAgreement]) -> list[ResultTable]:
    """Return the tables; [] if no label has a confidence."""
    if not any(agreement.n_confidences for agreement in agreements):
        return []
    return [
        ResultTable(
            "calibration",
            "How accurate the stated confidence of labels is, for all raters together and for each.",
            (
                QUESTION,
                RATER,
                ExportColumn(
                    "against", "key of the reference, or consensus: the majority of the other raters"
                ),
                ExportColumn("n", "labels with a confidence that could be compared"),
                ExportColumn("n_unknown", "labels with a confidence that could not"),
                ExportColumn("stated", "mean confidence"),
                ExportColumn("share", "share of labels that are correct"),
                ExportColumn("overconfidence", "stated minus share"),
                ExportColumn("error", "expected calibration error"),
                ExportColumn("brier", "Brier score: reliability - resolution + uncertainty + within"),
                ExportColumn("reliability", "its first part"),
                ExportColumn("resolution", "its second part"),
                ExportColumn("uncertainty", "its third part"),
                ExportColumn("within", "what different confidences in one bin add; 0 without bins"),
                ExportColumn("reason", "why there are no figures; empty otherwise"),
            ),
            lambda: calibration_rows(agreements),
        ),
        ResultTable(
            "calibration_steps",
            "The labels at each stated confidence, and how many of them are correct.",
            (
                QUESTION,
                RATER,
                ExportColumn("low", "the confidence, or the lower bound of a bin (exclusive)"),
                ExportColumn("high", "the same, or the upper bound of the bin (inclusive)"),
                ExportColumn("n", "labels"),
                ExportColumn("stated", "their mean confidence"),
                ExportColumn("n_right", "how many are correct"),
                ExportColumn("share", "share that is right"),
                ExportColumn("ci_low", "lower limit of its confidence interval (Wilson)"),
                ExportColumn("ci_high", "upper limit"),
            ),
            lambda: step_rows(agreements),
        ),
        ResultTable(
            "confident_agreement",
            "Agreement among labels of at least each confidence: a selection, by the raters who count.",
            (
                QUESTION,
                ExportColumn("at_least", "the confidence that each label has at least"),
                ExportColumn("n_items", "items with such a label"),
                ExportColumn("n_labels", "such labels"),
                ExportColumn("share", "of the labels with a confidence"),
                ExportColumn("statistic", "name of the statistic"),
                *VALUE,
            ),
            lambda: confident_rows(agreements),
        ),
    ]


def _found(agreements: Iterable[QuestionAgreement]) -> Iterator[tuple[str, Confidences]]:
    for agreement in agreements:
        if agreement.n_confidences and not agreement.reason:
            yield agreement.question.key, confidences_in(StoredResult.of(agreement))


def _of_raters(found: Confidences) -> Iterator[tuple[str, CalibrationFigures]]:
    """Yield all raters together first, with an empty name."""
    yield "", found.overall
    for each in found.raters:
        yield each.rater, each.figures


def calibration_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for question, found in _found(agreements):
        for rater, figures in _of_raters(found):
            cells = (getattr(figures, name) for name in SUMMARY)
            yield question, rater, found.reference or found.against, *cells, figures.reason


def step_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for question, found in _found(agreements):
        for rater, figures in _of_raters(found):
            for step in figures.steps:
                yield question, rater, *(getattr(step, name) for name in STEP)


def confident_rows(agreements: Iterable[QuestionAgreement]) -> Iterator[Row]:
    for question, found in _found(agreements):
        for each in found.agreement:
            sizes = (each.at_least, each.n_items, each.n_labels, each.share)
            if each.percent_agreement is not None:
                yield question, *sizes, "percent_agreement", *value_cells(each.percent_agreement)
            yield question, *sizes, found.coefficient, *value_cells(each.coefficient)
