"""Keyboard shortcuts of the labeling page, by the IDs of what they select."""

from collections.abc import Sequence
from dataclasses import dataclass

from projects.codebook.shortcut_keys import DIGITS, LETTERS, Given, assign_shortcuts, keys_by_owner
from projects.models import Question


@dataclass(frozen=True, slots=True)
class PageKeys:
    """answers: by category ID, without those that got no key. fields: by ID of number and text questions.

    none: of “None of these”, by ID of the questions with several categories.
    """

    answers: dict[int, str]
    fields: dict[int, str]
    none: dict[int, str]


def page_keys(questions: Sequence[Question], given: Given = ()) -> PageKeys:
    """Return the shortcuts. given: keys fixed by a codebook version; others get keys that were never used."""
    assigned = assign_shortcuts(questions, given)
    keys = keys_by_owner(assigned)
    answers = {
        category.pk: keys[question.key, category.key]
        for question in questions
        for category in question.categories.all()
        if (question.key, category.key) in keys
    }
    fields = {question.pk: keys[question.key, ""] for question in questions if (question.key, "") in keys}
    return PageKeys(answers, fields, _none_keys(questions, {key for key, _ in assigned}))


def _none_keys(questions: Sequence[Question], taken: set[str]) -> dict[int, str]:
    """Return a key for “None of these” of each question.

    From the end of what is free: new categories take keys from the beginning, so these stay the same.
    """
    # If no answer has a digit, digits may begin numbers.
    zero = [DIGITS[-1]] if DIGITS[0] in taken else []
    free = [key for key in [*zero, *reversed(LETTERS)] if key not in taken]
    asked = [question.pk for question in questions if question.kind == Question.Kind.MULTIPLE]
    return dict(zip(asked, free, strict=False))
