"""Reports that others could read by a link: what they say of a question holds only while its kind and scale stay.

No module of projects may import reports; whoever knows of them is given to `provide` when the program starts.
"""

from collections.abc import Callable

from projects.codebook.refusals import CodebookRefused
from projects.models import Question

# The id of a report that uses the question and was shared, if there is one.
SharedReport = Callable[[Question], int | None]
_provided: list[SharedReport] = []
KIND, SCALE = "answer type", "scale"


def provide(shared_report: SharedReport) -> None:
    _provided[:] = [shared_report]


def why_fixed(question: Question, what: str) -> str:
    """Why the answer type or the scale of the question can't be changed, "" if it can."""
    report = _provided[0](question)
    if report is None:
        return ""
    return (
        f"Report {report} uses this question and was shared by a link, so its {what} can’t be changed. "
        "Create a new question instead."
    )


def refuse_if_shared(question: Question, what: str, *, field: str = "") -> None:
    """Raises CodebookRefused. field: of the form in which this was asked for."""
    if why := why_fixed(question, what):
        raise CodebookRefused("not_correctable", why, field=field)


def has_order(question: Question) -> bool:
    """Whether the order of its categories is its scale."""
    return question.level != Question.Level.NOMINAL and question.has_categories
