"""Keyboard shortcuts of the labeling page: assigned once, and not reassigned.

Digits go to the first question, letters to the others; number and text questions have a shortcut that focuses the
field. Choices in the codebook take precedence. After a round has opened, `projects.codebook.versions` stores the
shortcuts assigned.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from projects.codebook.codebook_rules import PAGE_KEYS
from projects.models import Question

DIGITS = "1234567890"
LETTERS = "qwertyiopadhjklzcvbm"

# The owner of a shortcut: the keys of the question and the category, "" for the field of a number or text.
Owner = tuple[str, str]
# In the order of assignment: the last shortcut of an owner is in effect.
Given = Sequence[tuple[str, Owner]]


def assign_shortcuts(questions: Sequence[Question], given: Given = ()) -> list[tuple[str, Owner]]:
    """Return all shortcuts ever assigned, with new ones for owners that have none; categories must be prefetched.

    An assigned shortcut never moves, unless the codebook chooses another one, in which case the old one is not reused.
    A shortcut whose owner was deleted is reassigned only if no other is left, or if the codebook chooses it.
    """
    owners, now = dict(given), keys_by_owner(given)
    present = {owner for question in questions for owner in _owners(question)}
    for key, owner in _chosen(questions):
        before = owners.get(key)
        if now.get(owner) != key and (before in {None, owner} or before not in present):
            # At the end, because the last of several is in effect.
            owners.pop(key, None)
            owners[key] = owner
    have_one = set(owners.values())
    waiting = [[owner for owner in _owners(each) if owner not in have_one] for each in questions]
    # If digits start numbers, they are not used for answers, where they would be typed by habit.
    begins_numbers = bool(given) and not any(key in DIGITS for key, _ in given) and _has_number(questions)
    of_categories = [[owner for owner in group if owner[1]] for group in waiting]
    of_fields = [[owner for owner in group if not owner[1]] for group in waiting]
    if not begins_numbers:
        _give(owners, _free(owners, DIGITS), of_categories[:1])
    # A first question with more answers than digits gets the letters left by the others.
    _give(owners, _free(owners, LETTERS), [*of_categories[1:], *of_categories[:1], *of_fields])
    left_behind = [key for key, owner in given if owner not in present]
    _give(owners, [key for key in left_behind if owners[key] not in present], waiting)
    return list(owners.items())


def keys_by_owner(given: Given) -> dict[Owner, str]:
    return {owner: key for key, owner in given}


def _owners(question: Question) -> Iterator[Owner]:
    if not question.has_categories:
        yield question.key, ""
        return
    for category in question.categories.all():
        yield question.key, category.key


def _chosen(questions: Iterable[Question]) -> Iterator[tuple[str, Owner]]:
    """Yield shortcuts chosen in the codebook; if several owners chose the same, the first one gets it."""
    seen: set[str] = set()
    for question in questions:
        if not question.has_categories:
            continue
        for category in question.categories.all():
            key = category.shortcut.lower()
            if key and key not in PAGE_KEYS and key not in seen:
                seen.add(key)
                yield key, (question.key, category.key)


def _has_number(questions: Iterable[Question]) -> bool:
    return any(question.kind == Question.Kind.NUMBER for question in questions)


def _free(owners: dict[str, Owner], keys: str) -> list[str]:
    return [key for key in keys if key not in owners]


def _give(owners: dict[str, Owner], keys: Iterable[str], waiting: Iterable[Iterable[Owner]]) -> None:
    """Assign the shortcuts one by one to owners without one."""
    have_one = set(owners.values())
    without = [owner for owner in chain.from_iterable(waiting) if owner not in have_one]
    for key, owner in zip(keys, without, strict=False):
        owners.pop(key, None)
        owners[key] = owner
