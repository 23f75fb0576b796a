"""The key of each answer on the labelling page: digits for the first question, letters for the others."""

from collections.abc import Iterator, Sequence

from projects.models import Category, Question

# Of the page itself: note, cannot tell, guidelines, undo.
RESERVED = frozenset("nsgu")
DIGITS = "1234567890"
LETTERS = "qwertyiopadfhjklzxcvbm"


def keys_of_answers(questions: Sequence[Question]) -> dict[int, str]:
    """By id of the category; what the codebook chose comes first, and what finds no key is left out."""
    chosen: dict[str, int] = {}
    waiting: list[tuple[Iterator[str], Category]] = []
    spare = iter(LETTERS)
    for place, question in enumerate(questions):
        pool = iter(DIGITS) if place == 0 else spare
        for category in question.categories.all():
            key = category.shortcut.lower()
            if key and key not in RESERVED and key not in chosen:
                chosen[key] = category.pk
            else:
                waiting.append((pool, category))
    for pool, category in waiting:
        key = next((letter for letter in pool if letter not in chosen), "")
        if key:
            chosen[key] = category.pk
    return {pk: key for key, pk in chosen.items()}
