"""Parse the form of a decision."""

from collections.abc import Sequence

from django.http import QueryDict

from projects.models import Question
from raters.adjudication.deciding import NewDecision
from raters.labeling.answers import Answer
from raters.labeling.submitted_answers import CANNOT_TELL, submitted_answer, submitted_text

OTHER = "other"


def submitted_decision(post: QueryDict, question: Question) -> NewDecision:
    """Return the decision in a form. Raises AnswersRefused if it cannot be parsed."""
    choice = post.get("decision", "")
    if choice == CANNOT_TELL:
        answer = Answer(is_abstention=True)
    else:
        kind, _, value = choice.partition("-")
        is_none = kind in {"set", OTHER}
        answer = submitted_answer(question, _values(post, question, kind, value), is_none=is_none) or Answer()
    return NewDecision(
        answer=answer,
        reason=submitted_text(post, "reason"),
        note=submitted_text(post, "note"),
        is_for_guidelines="for_guidelines" in post,
    )


def _values(post: QueryDict, question: Question, kind: str, value: str) -> Sequence[str]:
    """Return the chosen answer of a rater, or the adjudicator's own."""
    match question.kind:
        case Question.Kind.SINGLE:
            return [value] if kind == "category" else []
        case Question.Kind.MULTIPLE:
            return value.split(".") if kind == "set" else post.getlist("other_category")
        case _:
            return [value if kind == "number" else post.get("other_number", "")]
