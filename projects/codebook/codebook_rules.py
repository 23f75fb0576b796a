"""Rules that every codebook must satisfy."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Required, TypedDict

from django.db import connection

from core.keys import look_alike
from core.tables.jsonlines import PART
from projects.codebook.refusals import CodebookRefused
from projects.models import Category, Question

VALUED = {Question.Level.INTERVAL, Question.Level.RATIO}
MAX_CATEGORIES = 1000
# The most values of one question that are treated as missing.
MAX_MISSING = 50
SHORTCUTS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz")
# The keyboard shortcuts of the labeling page itself.
PAGE_KEYS = {
    "n": "the note",
    "s": "“Cannot tell”",
    "g": "the guidelines",
    "u": "undo",
    "x": "skip",
    "f": "“The guidelines do not cover this item”",
}

_IN_HISTORY = """
SELECT EXISTS (SELECT FROM raters_labelrevision WHERE question_id = %(question)s
    AND (%(category)s::bigint IS NULL OR category_id = %(category)s OR %(category)s = ANY (category_set)))
"""


def number_of(text: str) -> float | None:
    """Return the finite number that a key or name represents, or None."""
    try:
        number = float(text.replace("−", "-"))
    except ValueError:
        return None
    # Adding 0 turns -0 into 0.
    return number + 0.0 if math.isfinite(number) and "_" not in text else None


def was_labeled(question: Question, category: Category | None = None) -> bool:
    """Return whether labels have or ever had this category, or any label exists, according to their history."""
    with connection.cursor() as cursor:
        cursor.execute(_IN_HISTORY, {"question": question.pk, "category": category.pk if category else None})
        return bool(cursor.fetchone()[0])


class CategoryFields(TypedDict, total=False):
    """The fields of a new category. id: given to a category of a draft, which keeps it when published."""

    id: int
    key: Required[str]
    name: str
    definition: str
    examples: str
    value: float | None
    shortcut: str
    color: str
    treated_as_missing: bool


def check_category(question: Question, fields: Mapping[str, Any], *, but: Category | None = None) -> None:
    """Raise CodebookRefused if a category with these fields conflicts with the others of its question."""
    if not question.has_categories:
        raise CodebookRefused(question.kind, f"A {question.kind} question can’t have categories.")
    others = [c for c in Category.with_merged.filter(question=question) if but is None or c.pk != but.pk]
    if but is None:
        _check_key(question, fields["key"], others)
    if shortcut := fields.get("shortcut"):
        _check_shortcut(shortcut, others)
    value = fields.get("value")
    same = next((c for c in others if c.value == value and c.merged_into_id is None), None)
    if value is not None and question.level in VALUED and same:
        raise CodebookRefused(
            "equal_values", f"“{same}” already has this value. Choose another.", field="value"
        )


def _check_key(question: Question, key: str, others: Iterable[Category]) -> None:
    others = list(others)
    if len(others) >= MAX_CATEGORIES:
        raise CodebookRefused("too_many", f"A question can have at most {MAX_CATEGORIES:,} categories.")
    if PART in key and question.kind == Question.Kind.MULTIPLE:
        sentence = f"A key can’t contain {PART}, which separates categories in files."
        raise CodebookRefused("separator", sentence, field="key")
    for other in others:
        if look_alike(key, [other.key]) is not None:
            raise CodebookRefused("key_taken", _taken(other, key), field="key")


def _taken(other: Category, key: str) -> str:
    alike = "" if key == other.key else f", and {key!r} differs only by case or Unicode form"
    if other.merged_into_id is not None:
        return f"The key {other.key!r} belongs to a merged category{alike}. Choose another key."
    return f"A category with the key {other.key!r} already exists{alike}. Choose another key."


def _check_shortcut(shortcut: str, others: Iterable[Category]) -> None:
    if shortcut not in SHORTCUTS:
        raise CodebookRefused(
            "shortcut", "A shortcut must be a digit or a lowercase letter from a to z.", field="shortcut"
        )
    if does := PAGE_KEYS.get(shortcut):
        sentence = f"The labeling page uses {shortcut} for {does}. Choose another shortcut."
        raise CodebookRefused("shortcut_of_page", sentence, field="shortcut")
    if taken := next((c for c in others if c.shortcut == shortcut), None):
        raise CodebookRefused(
            "shortcut_taken", f"“{taken}” already uses this shortcut. Choose another.", field="shortcut"
        )


def check_values(question: Question) -> None:
    """Raise CodebookRefused if two categories of a numeric scale have the same value."""
    if question.level not in VALUED:
        return
    first: dict[float, Category] = {}
    for category in question.categories.all():
        if category.value is not None and first.setdefault(category.value, category) != category:
            sentence = (
                f"“{first[category.value]}” and “{category}” have the same value. Change one of them first."
            )
            raise CodebookRefused("equal_values", sentence, field="level")
