"""Keyboard shortcuts of the labeling page, by the IDs of what they select."""

from collections.abc import Sequence
from dataclasses import dataclass

from projects.codebook.shortcut_keys import Given, assign_shortcuts, keys_by_owner
from projects.models import Question


@dataclass(frozen=True, slots=True)
class PageKeys:
    """answers: by category ID, without those that got no key. fields: by ID of number and text questions."""

    answers: dict[int, str]
    fields: dict[int, str]


def page_keys(questions: Sequence[Question], given: Given = ()) -> PageKeys:
    """Return the shortcuts. given: keys fixed by a codebook version; others get keys that were never used."""
    keys = keys_by_owner(assign_shortcuts(questions, given))
    answers = {
        category.pk: keys[question.key, category.key]
        for question in questions
        for category in question.categories.all()
        if (question.key, category.key) in keys
    }
    fields = {question.pk: keys[question.key, ""] for question in questions if (question.key, "") in keys}
    return PageKeys(answers, fields)
