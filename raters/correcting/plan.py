"""What a different answer type would do to a question's labels, and the reasons against it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from core.tables.jsonlines import PART
from projects.codebook.codebook_rules import MAX_CATEGORIES, MAX_MISSING, number_of
from projects.codebook.shared_reports import KIND, why_fixed
from projects.models import Category, Question, Round
from raters.models import Assignment

SINGLE, MULTIPLE, NUMBER, TEXT = Question.Kind
# The kinds that labels can be converted to and from.
KINDS = [choice for choice in Question.Kind.choices if choice[0] != TEXT]
FIRST = 5
# A rater whose last answer is more recent than this is labeling now.
AT_WORK = timedelta(minutes=15)
_COLUMN = {SINGLE: "category_id", MULTIPLE: "category_set", NUMBER: "number"}
_ANSWERS = """
SELECT {column}, count(*) FROM raters_label WHERE question_id = %(question)s AND NOT is_abstention
GROUP BY {column} ORDER BY {column}
"""
# Sets that are not exactly one category.
_NOT_ONE = """
SELECT category_set, count(*) FROM raters_label
WHERE question_id = %(question)s AND NOT is_abstention AND cardinality(category_set) <> 1
GROUP BY category_set ORDER BY count(*) DESC, category_set
"""


@dataclass(frozen=True, slots=True)
class Correction:
    """n_labels: converted labels. n_abstentions: unchanged. added: numbers that become categories. problems: why it is
    refused, one sentence each. numbers: the number of each category by ID, if the change is from or to numbers.
    """

    kind: str
    n_labels: int
    n_abstentions: int
    problems: list[str]
    added: list[float] = field(default_factory=list)
    numbers: Mapping[int, float] = field(default_factory=dict)


def planned(question: Question, kind: str) -> Correction:
    """Return the planned correction, without changing anything."""
    labels = question.labels.filter(is_abstention=False)
    if TEXT in {question.kind, kind}:
        n_abstentions = question.labels.filter(is_abstention=True).count()
        return Correction(
            kind, labels.count(), n_abstentions, ["Labels can’t be converted to or from free text."]
        )
    problems = [*_shared(question), *_at_work(question)]
    numbers: dict[int, float] = {}
    added: list[float] = []
    if kind == NUMBER:
        numbers, found = _numbers(question)
        problems += found
    if question.kind == MULTIPLE and kind in {SINGLE, NUMBER}:
        problems += _sets(question)
    if question.kind == NUMBER:
        numbers = _numbers(question, strictly=False)[0]
        added = _new_numbers(question, numbers)
        problems += _too_many(question, added)
    if kind == MULTIPLE and question.kind == SINGLE:
        keys = [category.key for category in question.categories.all() if PART in category.key]
        problems += [
            f"The key {key!r} contains {PART}, which separates categories in files." for key in keys[:FIRST]
        ]
    if kind == question.kind:
        problems = ["The question already has this answer type."]
    n_abstentions = question.labels.filter(is_abstention=True).count()
    return Correction(kind, labels.count(), n_abstentions, problems, added, numbers)


def _shared(question: Question) -> list[str]:
    why = why_fixed(question, KIND)
    return [why] if why else []


def _at_work(question: Question) -> list[str]:
    seen = Assignment.objects.filter(
        round__project=question.project_id,
        round__state=Round.State.OPEN,
        rater__isnull=False,
        last_seen_at__gt=timezone.now() - AT_WORK,
    )
    keys = list(seen.order_by("round__key").values_list("round__key", flat=True).distinct())
    if not keys:
        return []
    named = ", ".join(f"“{key}”" for key in keys)
    return [
        f"Raters are labeling in round {named} now. Close it first, or try again when nobody has labeled for "
        f"{AT_WORK.seconds // 60} minutes."
    ]


def _numbers(question: Question, *, strictly: bool = True) -> tuple[dict[int, float], list[str]]:
    """Return the number of each category, from its key or else its name, and problems: not a number, or not unique."""
    numbers: dict[int, float] = {}
    first: dict[float, Category] = {}
    problems = []
    for category in question.categories.all():
        number = number_of(category.key)
        number = number_of(category.name) if number is None else number
        if number is None:
            problems.append(f"“{category}” is not a number.")
        elif number in first:
            problems.append(f"“{first[number]}” and “{category}” are the same number.")
        else:
            numbers[category.pk] = number
            first[number] = category
    n_missing = question.categories.filter(pk__in=numbers, treated_as_missing=True).count()
    if n_missing > MAX_MISSING:
        problems.append(f"A number question can have at most {MAX_MISSING} missing values, not {n_missing}.")
    return numbers, _first(problems, "categories") if strictly else []


def _sets(question: Question) -> list[str]:
    names = {category.pk: str(category) for category in question.categories.all()}
    problems = []
    for chosen, n in rows_for_question(_NOT_ONE, question):
        chosen_names = " and ".join(f"“{names.get(pk, pk)}”" for pk in chosen) if chosen else "no category"
        problems.append(
            f"{n:,} label{' has' if n == 1 else 's have'} {chosen_names}, where exactly one is needed."
        )
    return _first(problems, "sets")


def _first(problems: Sequence[str], what: str) -> list[str]:
    n_more = len(problems) - FIRST
    return [*problems[:FIRST], f"{n_more:,} more {what} do not fit."] if n_more > 0 else list(problems)


def _new_numbers(question: Question, numbers: Mapping[int, float]) -> list[float]:
    """Return numbers used in labels or declared as missing that have no category yet."""
    used = {
        number + 0.0 for number, _ in rows_for_question(_ANSWERS.format(column=_COLUMN[NUMBER]), question)
    }
    return sorted((used | set(question.missing_values)) - set(numbers.values()))


def _too_many(question: Question, added: Sequence[float]) -> list[str]:
    n = len(added) + Category.with_merged.filter(question=question).count()
    if n > MAX_CATEGORIES:
        return [
            f"The labels have {len(added):,} different numbers; a question can have at most {MAX_CATEGORIES:,} "
            "categories."
        ]
    keys = {category.key.casefold() for category in Category.with_merged.filter(question=question)}
    return [f"The key {key!r} is taken by another category." for key in map(key_of, added) if key in keys][
        :FIRST
    ]


def key_of(number: float) -> str:
    """Return the shortest text that represents exactly this number."""
    return repr(number).removesuffix(".0")


def rows_for_question(query: str, question: Question) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, {"question": question.pk})
        return cursor.fetchall()
