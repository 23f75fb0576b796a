"""Correcting the answer type of a question: its labels are converted, without loss, or nothing is."""

from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from projects.codebook.locking import kept
from projects.codebook.numbers import FIELDS, forget_rules
from projects.codebook.questions import change_question, fit_final_rule
from projects.codebook.refusals import CodebookRefused
from projects.codebook.versions import keep_version
from projects.events import record
from projects.models import MAX_VALUE, Category, Event, Question
from raters.correcting.plan import MULTIPLE, NUMBER, SINGLE, Correction, key_of, planned
from raters.labeling.saving import tell_history

# From one kind to another. The labels of numbers are joined by the numbers that categories are.
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
    """What it would do. Nothing is changed."""
    return planned(question, kind)


@transaction.atomic
def correct_kind(
    question: Question, kind: str, *, level: str = "", by: Any, source: str = "page"
) -> Correction:
    """Another answer type, and another scale if one is given. Reports that are computed stay as they are.

    Raises CodebookRefused, ProjectClosed, or Question.DoesNotExist for one that is gone.
    """
    # Labels that are being saved are waited for; those that come later are checked against the new answer type.
    question = kept(question)
    found = planned(question, kind)
    if found.problems:
        raise CodebookRefused("not_correctable", " ".join(found.problems), field="kind")
    former = question.kind
    numbers = dict(found.numbers)
    if former == NUMBER:
        numbers |= _make_categories(question, found.added)
    _change_question(question, kind, numbers)
    tell_history(by, f"correction by {source}")
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
    keep_version(question.project)
    if level and level != question.level:
        change_question(question, by=by, level=level)
    return found


def _make_categories(question: Question, added: list[float]) -> dict[int, float]:
    """A category for each number, behind those that there are."""
    last = question.categories.aggregate(last=Max("position"))["last"]
    start = 0 if last is None else last + 1
    made = Category.objects.bulk_create(
        Category(
            question=question,
            key=key_of(number),
            position=start + place,
            # The key still says which number it is.
            value=number if abs(number) <= MAX_VALUE else None,
        )
        for place, number in enumerate(added)
    )
    return {category.pk: number for category, number in zip(made, added, strict=True)}


def _change_question(question: Question, kind: str, numbers: dict[int, float]) -> None:
    """What is treated as missing stays so: numbers as categories, and categories as numbers."""
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
    reset = fit_final_rule(question)
    question.save(update_fields=["kind", "missing_values", *FIELDS, *reset])


def _convert(question: Question, kinds: tuple[str, str], numbers: dict[int, float]) -> int:
    params: dict[str, Any] = {
        "question": question.pk,
        "ids": list(numbers),
        "numbers": list(numbers.values()),
    }
    with connection.cursor() as cursor:
        cursor.execute(_CONVERT[Question.Kind(kinds[0]), Question.Kind(kinds[1])], params)
        return int(cursor.rowcount)
