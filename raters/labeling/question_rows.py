"""The questions of the labeling page as rows of its form."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from projects.codebook.conditions import in_words
from projects.models import Category, Question
from raters.confidence_scale import STEPS, percent
from raters.labeling.answers import Answer, AnswerFault
from raters.labeling.shortcuts import PageKeys

# More categories than this are shown in columns, unless they have definitions.
MANY = 10


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question as a row of the form. key: shortcut to the field of a number or text, or to “None of these”.

    condition: when it is asked, in words; "" for always.
    choices: each category with its shortcut and whether it is chosen. is_none: “None of these” is chosen.
    is_long: show the categories in columns.
    number, text: the content of the field. revision: that of the shown label, 0 for none. faults: error messages.
    """

    question: Question
    key: str
    choices: list[tuple[Category, str, bool]]
    is_scale: bool
    is_long: bool
    can_be_cleared: bool
    is_answered: bool
    number: str
    is_abstention: bool
    reason: str
    revision: int
    faults: list[str]
    condition: str = ""
    text: str = ""
    confidence: float | None = None
    is_none: bool = False

    @property
    def is_text(self) -> bool:
        return self.question.kind == Question.Kind.TEXT

    @property
    def is_typed(self) -> bool:
        return self.is_text or self.is_number

    @property
    def steps(self) -> list[tuple[str, str, str, str, bool]]:
        """The confidence options: value, name, percentage, shortcut, and whether it is chosen.

        A probability other than the steps is added as an option, so that saving again does not lose it.
        """
        found = [
            (step.value, step.name, step.percent, step.key, step.probability == self.confidence)
            for step in STEPS
        ]
        if self.confidence is not None and not any(is_chosen for *_, is_chosen in found):
            found.append((repr(self.confidence), "Other", percent(self.confidence), "", True))
        return found

    @property
    def is_multiple(self) -> bool:
        return self.question.kind == Question.Kind.MULTIPLE

    @property
    def asked_categories(self) -> str:
        """The categories for which the question is asked, as JSON for the script."""
        return json.dumps(self.question.asked_if_categories)

    @property
    def is_number(self) -> bool:
        return self.question.kind == Question.Kind.NUMBER

    @property
    def limits(self) -> list[tuple[str, str]]:
        """Constraints on the number, for client-side validation."""
        question = self.question
        if not question.number_rule:
            return []
        numbers = {name: getattr(question, name) for name in ("minimum", "maximum", "step")}
        found = [(name, repr(number)) for name, number in numbers.items() if number is not None]
        missing = " ".join(map(repr, question.missing_values))
        whole = [("whole", "yes")] if question.is_whole else []
        return [("rule", question.number_rule), *found, *whole, ("missing", missing)]


def question_row(
    question: Question,
    answer: Answer | None,
    keys: PageKeys,
    *,
    revision: int = 0,
    faults: Sequence[AnswerFault] = (),
    questions: Sequence[Question] = (),
) -> QuestionRow:
    refused = [fault for fault in faults if fault.question == question.key]
    typed = next((fault.typed for fault in refused if fault.typed), "")
    number = "" if answer is None or answer.number is None else f"{answer.number!r}".removesuffix(".0")
    chosen = set() if answer is None else {answer.category, *(answer.categories or ())}
    categories = list(question.categories.all())
    return QuestionRow(
        question=question,
        key=keys.fields.get(question.pk, "") or keys.none.get(question.pk, ""),
        choices=[
            (category, keys.answers.get(category.pk, ""), category.key in chosen) for category in categories
        ],
        is_scale=_is_scale(question, categories),
        is_long=len(categories) > MANY and not any(category.definition for category in categories),
        # A radio group needs an option for no answer to be cleared.
        can_be_cleared=question.kind == Question.Kind.SINGLE
        and not (question.is_required and not question.asked_if_question),
        is_answered=answer is not None,
        number=typed or number,
        is_abstention=answer is not None and answer.is_abstention,
        reason=answer.reason if answer else "",
        revision=revision,
        faults=[fault.sentence for fault in refused],
        condition=in_words(question, questions),
        text="" if answer is None or answer.text is None else for_text_area(answer.text),
        confidence=answer.confidence if answer else None,
        is_none=answer is not None and answer.categories == (),
    )


def for_text_area(text: str) -> str:
    """Prepend a line break if the text starts with one, since browsers drop the first line break of a text area."""
    return f"\n{text}" if text.startswith(("\n", "\r")) else text


def _is_scale(question: Question, categories: Sequence[Category]) -> bool:
    """Return whether the categories are few and short enough to be shown in one row."""
    is_short = all(len(str(category)) <= 12 and not category.definition for category in categories)
    return question.kind == Question.Kind.SINGLE and 2 < len(categories) <= 7 and is_short
