"""What a worker computes for a page when the report is done: two reports, agreement over time, two sides."""

from collections.abc import Callable
from typing import Any

from core.runs.lease import Lease, RunFailed, RunLost
from reports.analysis.steps import Tell
from reports.models import LaterFigures, QuestionAgreement
from reports.store.over_time import Asked, OverTimeRefused, over_time
from reports.store.sides import ComparisonRefused, compared
from reports.store.two_reports import two_reports

AGREEMENTS = QuestionAgreement.objects.select_related("report__project", "question")


def compute_later(lease: Lease[LaterFigures]) -> None:
    """Compute the leased figures and write them with `done`, or the sentence why there are none."""
    figures = lease.run
    compute = COMPUTED[LaterFigures.What(figures.what)]
    try:
        result = compute(figures, AGREEMENTS.get(pk=figures.agreement_id), lease.tick)
    except (ComparisonRefused, OverTimeRefused) as refused:
        raise RunFailed(str(refused)) from None
    if not figures.finish(result=result):
        raise RunLost


def _two_reports(figures: LaterFigures, agreement: QuestionAgreement, tell: Tell) -> dict[str, Any]:
    return two_reports(AGREEMENTS.get(pk=str(figures.before_id)), agreement, tell)


def _over_time(figures: LaterFigures, agreement: QuestionAgreement, tell: Tell) -> dict[str, Any]:
    return over_time(agreement, Asked.of_json(figures.asked), tell)


def _sides(figures: LaterFigures, agreement: QuestionAgreement, tell: Tell) -> dict[str, Any]:
    return compared(agreement, figures.asked["first"], figures.asked["second"], tell)


COMPUTED: dict[LaterFigures.What, Callable[[LaterFigures, QuestionAgreement, Tell], dict[str, Any]]] = {
    LaterFigures.What.TWO_REPORTS: _two_reports,
    LaterFigures.What.OVER_TIME: _over_time,
    LaterFigures.What.SIDES: _sides,
}
