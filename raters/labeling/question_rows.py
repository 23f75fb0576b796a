"""The questions of the labeling page, each as its part of the form."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from projects.codebook.conditions import in_words
from projects.models import Category, Question
from raters.confidence import STEPS, percent
from raters.labeling.answers import Answer, AnswerFault
from raters.labeling.shortcuts import PageKeys

# More answers than this stand in columns, unless each has its definition below.
MANY = 10


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question as its part of the form. key: what leads to the field of a number or a text.

    condition: when it is asked, in words; empty for always.
    choices: each category with its key, and whether it is chosen. is_long: the categories stand in columns.
    number, text: as it stands in the field. revision: of the label that is shown, 0 for none. faults: sentences.
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

    @property
    def is_text(self) -> bool:
        return self.question.kind == Question.Kind.TEXT

    @property
    def is_typed(self) -> bool:
        return self.is_text or self.is_number

    @property
    def steps(self) -> list[tuple[str, str, str, str, bool]]:
        """What can be chosen of confidence: value, name, percentage, key, and whether it is chosen.

        A probability that is none of the steps is one more, so that saving again does not lose it.
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
        """As JSON, for the script."""
        return json.dumps(self.question.asked_if_categories)

    @property
    def is_number(self) -> bool:
        return self.question.kind == Question.Kind.NUMBER

    @property
    def limits(self) -> list[tuple[str, str]]:
        """What the number must be, for the script that tells the rater at once."""
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
    chosen = set() if answer is None else {answer.category, *(answer.categories or ())}
    categories = list(question.categories.all())
    return QuestionRow(
        question=question,
        key=keys.fields.get(question.pk, ""),
        choices=[
            (category, keys.answers.get(category.pk, ""), category.key in chosen) for category in categories
        ],
        is_scale=_is_scale(question, categories),
        is_long=len(categories) > MANY and not any(category.definition for category in categories),
        # A radio button that is chosen cannot be left again without one for nothing.
        can_be_cleared=question.kind == Question.Kind.SINGLE
        and not (question.is_required and not question.asked_if_question),
        is_answered=answer is not None,
        number="" if answer is None or answer.number is None else f"{answer.number!r}".removesuffix(".0"),
        is_abstention=answer is not None and answer.is_abstention,
        reason=answer.reason if answer else "",
        revision=revision,
        faults=[fault.sentence for fault in faults if fault.question == question.key],
        condition=in_words(question, questions),
        text="" if answer is None or answer.text is None else for_text_area(answer.text),
        confidence=answer.confidence if answer else None,
    )


def for_text_area(text: str) -> str:
    """A browser leaves out a line break at the beginning of a text area; with one more the text stays what it was."""
    return f"\n{text}" if text.startswith(("\n", "\r")) else text


def _is_scale(question: Question, categories: Sequence[Category]) -> bool:
    """Short answers of one scale stand in a row."""
    is_short = all(len(str(category)) <= 12 and not category.definition for category in categories)
    return question.kind == Question.Kind.SINGLE and 2 < len(categories) <= 7 and is_short
