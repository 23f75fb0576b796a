"""What stands below a picture that is a file of its own."""

from core.templatetags.shown import moment
from reports.models import QuestionAgreement


def about(row: QuestionAgreement, *more: str) -> str:
    """Where it comes from, in a line."""
    report = row.report
    parts = (
        report.project.name,
        row.question.key,
        *more,
        f"report {report.pk} of {moment(report.finished_at)}",
    )
    return " · ".join(part for part in parts if part)
