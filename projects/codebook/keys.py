"""The keys of the labeling page: given once, and never to anything else.

Digits for the first question, letters for the others; a number or a text question has one that leads to its field.
What the codebook chose comes first. Once a round has opened, `projects.codebook.versions` keeps what was given.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from projects.codebook.checks import PAGE_KEYS
from projects.models import Question

DIGITS = "1234567890"
LETTERS = "qwertyiopadhjklzcvbm"

# What a key belongs to: the key of the question, and that of the category, "" for the field of a number or a text.
Owner = tuple[str, str]
# In the order in which they were given: the last one of an owner is its key.
Given = Sequence[tuple[str, Owner]]


def keys_given(questions: Sequence[Question], given: Given = ()) -> list[tuple[str, Owner]]:
    """All keys that were ever given, with those for what has none yet; their categories are prefetched.

    What is never moves: another key is chosen for a category in the codebook, or it has lost its first one for good.
    A key whose owner is gone is given again only if no other is left, or if the codebook chooses it.
    """
    owners, now = dict(given), keys_by_owner(given)
    present = {owner for question in questions for owner in _owners(question)}
    for key, owner in _chosen(questions):
        before = owners.get(key)
        if now.get(owner) != key and (before in {None, owner} or before not in present):
            # At the end: of several, the last one counts.
            owners.pop(key, None)
            owners[key] = owner
    have_one = set(owners.values())
    waiting = [[owner for owner in _owners(each) if owner not in have_one] for each in questions]
    # Where digits begin a number, they are no answers: they would be typed from habit.
    begins_numbers = bool(given) and not any(key in DIGITS for key, _ in given) and _has_number(questions)
    of_categories = [[owner for owner in group if owner[1]] for group in waiting]
    of_fields = [[owner for owner in group if not owner[1]] for group in waiting]
    if not begins_numbers:
        _give(owners, _free(owners, DIGITS), of_categories[:1])
    # A first question with more answers than digits takes the letters that the others leave.
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
    """The first of several that chose the same."""
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
    """The keys to those that have none, one by one."""
    have_one = set(owners.values())
    without = [owner for owner in chain.from_iterable(waiting) if owner not in have_one]
    for key, owner in zip(keys, without, strict=False):
        owners.pop(key, None)
        owners[key] = owner
