"""The keys of the labeling page: digits for the first question, letters for the others; numbers have one each."""

from collections.abc import Container, Sequence

from projects.codebook.checks import PAGE_KEYS
from projects.models import Category, Question

DIGITS = "1234567890"
LETTERS = "qwertyiopadhjklzcvbm"


def keys_of_answers(questions: Sequence[Question]) -> dict[int, str]:
    """By id of the category; what the codebook chose comes first, and what finds no key is left out."""
    chosen: dict[str, int] = {}
    waiting: list[list[Category]] = []
    for question in questions:
        waiting.append([])
        for category in question.categories.all():
            key = category.shortcut.lower()
            if key and key not in PAGE_KEYS and key not in chosen:
                chosen[key] = category.pk
            else:
                waiting[-1].append(category)
    _give(chosen, DIGITS, waiting[:1])
    # A first question with more answers than digits takes the letters that the others leave.
    _give(chosen, LETTERS, waiting[1:] + waiting[:1])
    return {pk: key for key, pk in chosen.items()}


def keys_of_numbers(questions: Sequence[Question], *, taken: Container[str]) -> dict[int, str]:
    """By id of the question: the key that leads to where its number is typed, of those that no answer has."""
    numbers = [question.pk for question in questions if question.kind == Question.Kind.NUMBER]
    free = (key for key in LETTERS if key not in taken)
    return dict(zip(numbers, free, strict=False))


def _give(chosen: dict[str, int], keys: str, waiting: Sequence[Sequence[Category]]) -> None:
    has_one = set(chosen.values())
    categories = (
        category for of_question in waiting for category in of_question if category.pk not in has_one
    )
    free = (key for key in keys if key not in chosen)
    chosen |= {key: category.pk for key, category in zip(list(free), categories, strict=False)}
