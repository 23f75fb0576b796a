"""The keys of the labeling page, by the ids of what they choose."""

from collections.abc import Sequence
from dataclasses import dataclass

from projects.codebook.keys import Given, keys_by_owner, keys_given
from projects.models import Question


@dataclass(frozen=True, slots=True)
class PageKeys:
    """answers: by id of the category; what found no key is left out. fields: by id of the number or text question."""

    answers: dict[int, str]
    fields: dict[int, str]


def page_keys(questions: Sequence[Question], given: Given = ()) -> PageKeys:
    """given: the keys that a version of the codebook keeps; what has none yet gets one that nothing had."""
    keys = keys_by_owner(keys_given(questions, given))
    answers = {
        category.pk: keys[question.key, category.key]
        for question in questions
        for category in question.categories.all()
        if (question.key, category.key) in keys
    }
    fields = {question.pk: keys[question.key, ""] for question in questions if (question.key, "") in keys}
    return PageKeys(answers, fields)
