"""Reports shared by a link: what they say about a question is valid only while its kind and scale stay the same.

Modules of projects must not import reports, so reports passes a function to `provide` at startup.
"""

from collections.abc import Callable

from projects.codebook.refusals import CodebookRefused
from projects.models import Question

# Returns the ID of a shared report that uses the question, or None.
SharedReport = Callable[[Question], int | None]
_provided: list[SharedReport] = []
KIND, SCALE = "answer type", "scale"


def provide(shared_report: SharedReport) -> None:
    _provided[:] = [shared_report]


def why_fixed(question: Question, what: str) -> str:
    """Return why the answer type or scale of the question can't be changed; "" if it can."""
    report = _provided[0](question)
    if report is None:
        return ""
    return (
        f"Report {report} uses this question and was shared by a link, so its {what} can’t be changed. "
        "Create a new question instead."
    )


def refuse_if_shared(question: Question, what: str, *, field: str = "") -> None:
    """Raise CodebookRefused if the question can't be changed. field: of the form with the change."""
    if why := why_fixed(question, what):
        raise CodebookRefused("not_correctable", why, field=field)


def has_order(question: Question) -> bool:
    """Return whether the order of its categories is its scale."""
    return question.level != Question.Level.NOMINAL and question.has_categories
