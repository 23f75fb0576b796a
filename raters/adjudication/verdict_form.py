"""Parse the form of a decision."""

from collections.abc import Sequence

from django.http import QueryDict

from projects.models import Question
from raters.adjudication.deciding import NewDecision
from raters.labeling.answers import Answer, AnswerFault, AnswersRefused
from raters.labeling.submitted_answers import CANNOT_TELL, NONE_OF_THESE, submitted_answer, submitted_text

OTHER = "other"


def submitted_decision(post: QueryDict, question: Question) -> NewDecision:
    """Return the decision in a form. Raises AnswersRefused if it cannot be parsed."""
    choice = post.get("decision", "")
    if choice == CANNOT_TELL:
        answer = Answer(is_abstention=True)
    else:
        kind, _, value = choice.partition("-")
        answer = submitted_answer(question, _values(post, question, kind, value)) or Answer()
        if kind == OTHER and question.kind == Question.Kind.MULTIPLE and answer.categories is None:
            sentence = f"Choose at least one category for “{question}”, or choose “None of these”."
            raise AnswersRefused([AnswerFault(question.key, "one_value", sentence)])
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
            return _set(post, kind, value)
        case _:
            return [value if kind == "number" else post.get("other_number", "")]


def _set(post: QueryDict, kind: str, value: str) -> Sequence[str]:
    """Return category IDs. The empty set of a rater, or of the adjudicator, is “None of these”."""
    if kind == "set":
        return value.split(".") if value else [NONE_OF_THESE]
    return post.getlist("other_category") if kind == OTHER else []
