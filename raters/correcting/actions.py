"""Correcting a question's answer type: either all its labels are converted without loss, or none."""

from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from projects.codebook.locking import locked_question
from projects.codebook.number_rules import FIELDS, forget_rules
from projects.codebook.questions import change_question, reset_final_rule
from projects.codebook.refusals import CodebookRefused
from projects.codebook.versions import store_version
from projects.events import record
from projects.models import MAX_VALUE, Category, Event, Question
from raters.correcting.plan import MULTIPLE, NUMBER, SINGLE, Correction, key_of, planned
from raters.labeling.saving import set_history_context

# Conversions from one kind to another. Numeric labels are joined with the number that each category stands for.
_CONVERT = {
    (SINGLE, MULTIPLE): """
        UPDATE raters_label l SET category_set = ARRAY[l.category_id::bigint], category_id = NULL
        WHERE l.question_id = %(question)s AND NOT l.is_abstention""",
    (MULTIPLE, SINGLE): """
        UPDATE raters_label l SET category_id = l.category_set[1], category_set = NULL
        WHERE l.question_id = %(question)s AND NOT l.is_abstention""",
    (SINGLE, NUMBER): """
        UPDATE raters_label l SET number = m.number, category_id = NULL
        FROM unnest(%(ids)s::bigint[], %(numbers)s::float8[]) m (id, number)
        WHERE l.question_id = %(question)s AND NOT l.is_abstention AND m.id = l.category_id""",
    (MULTIPLE, NUMBER): """
        UPDATE raters_label l SET number = m.number, category_set = NULL
        FROM unnest(%(ids)s::bigint[], %(numbers)s::float8[]) m (id, number)
        WHERE l.question_id = %(question)s AND NOT l.is_abstention AND m.id = l.category_set[1]""",
    (NUMBER, SINGLE): """
        UPDATE raters_label l SET category_id = m.id, number = NULL
        FROM unnest(%(ids)s::bigint[], %(numbers)s::float8[]) m (id, number)
        WHERE l.question_id = %(question)s AND NOT l.is_abstention AND m.number = l.number""",
    (NUMBER, MULTIPLE): """
        UPDATE raters_label l SET category_set = ARRAY[m.id], number = NULL
        FROM unnest(%(ids)s::bigint[], %(numbers)s::float8[]) m (id, number)
        WHERE l.question_id = %(question)s AND NOT l.is_abstention AND m.number = l.number""",
}  # fmt: skip


@transaction.atomic
def check_correction(question: Question, kind: str) -> Correction:
    """Return what the correction would do, without changing anything."""
    return planned(question, kind)


@transaction.atomic
def correct_kind(
    question: Question, kind: str, *, level: str = "", by: Any, source: str = "page"
) -> Correction:
    """Change the answer type, and the scale if one is given. Computed reports stay unchanged.

    Raises CodebookRefused, ProjectClosed, or Question.DoesNotExist if the question was deleted.
    """
    # Wait for labels being saved; later ones are checked against the new answer type.
    question = locked_question(question)
    found = planned(question, kind)
    if found.problems:
        raise CodebookRefused("not_correctable", " ".join(found.problems), field="kind")
    former = question.kind
    numbers = dict(found.numbers)
    if former == NUMBER:
        numbers |= _make_categories(question, found.added)
    _change_question(question, kind, numbers)
    set_history_context(by, f"correction by {source}")
    n_converted = _convert(question, (former, kind), numbers)
    if n_converted != found.n_labels:
        raise RuntimeError(f"{n_converted} labels of {found.n_labels} were converted")
    record(
        Event.Kind.CODEBOOK_CHANGED,
        by=by,
        project=question.project,
        about=question.key,
        change="answer type corrected",
        changed={"kind": {"old": former, "new": kind}},
        n_labels=n_converted,
    )
    store_version(question.project)
    if level and level != question.level:
        change_question(question, by=by, level=level)
    return found


def _make_categories(question: Question, added: list[float]) -> dict[int, float]:
    """Create a category for each number, after the existing ones."""
    last = question.categories.aggregate(last=Max("position"))["last"]
    start = 0 if last is None else last + 1
    made = Category.objects.bulk_create(
        Category(
            question=question,
            key=key_of(number),
            position=start + place,
            # The key still holds the number.
            value=number if abs(number) <= MAX_VALUE else None,
        )
        for place, number in enumerate(added)
    )
    return {category.pk: number for category, number in zip(made, added, strict=True)}


def _change_question(question: Question, kind: str, numbers: dict[int, float]) -> None:
    """Change the question; values treated as missing stay so when numbers become categories or the reverse."""
    if question.kind == NUMBER:
        missing = [pk for pk, number in numbers.items() if number in question.missing_values]
        question.categories.filter(pk__in=numbers).update(treated_as_missing=False)
        question.categories.filter(pk__in=missing).update(treated_as_missing=True)
        question.missing_values = []
        forget_rules(question)
    elif kind == NUMBER:
        flagged = question.categories.filter(treated_as_missing=True).values_list("pk", flat=True)
        question.missing_values = sorted(numbers[pk] for pk in flagged)
    question.kind = kind
    reset = reset_final_rule(question)
    question.save(update_fields=["kind", "missing_values", *FIELDS, *reset])


def _convert(question: Question, kinds: tuple[str, str], numbers: dict[int, float]) -> int:
    params: dict[str, int | list[int] | list[float]] = {
        "question": question.pk,
        "ids": list(numbers),
        "numbers": list(numbers.values()),
    }
    with connection.cursor() as cursor:
        cursor.execute(_CONVERT[Question.Kind(kinds[0]), Question.Kind(kinds[1])], params)
        return int(cursor.rowcount)
