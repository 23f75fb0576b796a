"""A report compared with the previous one: what changed in its data, and its main figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reports.analysis.catalog import title_of
from reports.models import QuestionAgreement, Report
from reports.results.kinds import COMMON, main_coefficient, stored_coefficient
from reports.results.report_changes import ChangesBetweenReports, changes_between, report_before


@dataclass(frozen=True, slots=True)
class CoefficientChange:
    """The main coefficient of one question, then and now; None if undefined."""

    question_id: int
    question: str
    title: str
    then: float | None
    now: float | None


@dataclass(frozen=True, slots=True)
class PreviousReport:
    report: Report
    changes: ChangesBetweenReports
    figures: tuple[CoefficientChange, ...]


def earlier_of(report: Report, agreements: Sequence[QuestionAgreement]) -> PreviousReport | None:
    """Return the previous report. agreements: those of this report. None if it is the first on its questions and
    rounds.
    """
    before = report_before(report)
    if before is None:
        return None
    by_question = {
        row.question_id: row for row in before.questions.only("report", "question", "coefficients")
    }
    figures = (
        _moved(by_question[agreement.question_id], agreement)
        for agreement in agreements
        if agreement.question_id in by_question
    )
    return PreviousReport(before, changes_between(before, report), tuple(figures))


def _moved(then: QuestionAgreement, now: QuestionAgreement) -> CoefficientChange:
    chosen = stored_coefficient(now)
    name = chosen if chosen in now.coefficients else COMMON
    return CoefficientChange(
        question_id=now.question_id,
        question=now.question.key,
        title=title_of(main_coefficient(now) if name == chosen else name),
        then=_value(then.coefficients, name),
        now=_value(now.coefficients, name),
    )


def _value(coefficients: Mapping[str, Mapping[str, float | None]], name: str) -> float | None:
    return coefficients.get(name, {}).get("value")
