"""The question and the raters of a stored result, as of the time of the report."""

from dataclasses import dataclass, replace

from reports.analysis.question import QuestionScope, scopes_of
from reports.models import QuestionAgreement


def n_cells(agreement: QuestionAgreement) -> int:
    """Return the number of cells in the confusion matrix of one pair."""
    return len(agreement.categories) ** 2


def scope_of(agreement: QuestionAgreement) -> QuestionScope:
    """Return the question as the report computed it."""
    report = agreement.report
    scopes = scopes_of(report.codebook, report.chosen)
    scope = next(scope for scope in scopes if scope.question["id"] == agreement.question_id)
    return scope if agreement.lead is None else replace(scope, lead=agreement.lead["id"])


@dataclass(frozen=True, slots=True)
class ReportRater:
    """A rater as of the time of the report."""

    id: int
    key: str
    kind: str
    n_labels: int


def raters_of(agreement: QuestionAgreement) -> list[ReportRater]:
    return [ReportRater(r["id"], r["key"], r["kind"], r["n_labels"]) for r in agreement.raters]
