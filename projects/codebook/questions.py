"""All changes of questions."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max, ProtectedError

from core.field_changes import Changes, changes_of
from core.keys import look_alike
from core.shapes import Json
from projects.codebook.codebook_rules import (
    MAX_MISSING,
    VALUED,
    CategoryFields,
    check_category,
    check_values,
    was_labeled,
)
from projects.codebook.conditions import check_fields
from projects.codebook.imports import value_of
from projects.codebook.locking import locked_question, opened
from projects.codebook.number_rules import FIELDS as NUMBER_FIELDS
from projects.codebook.number_rules import check_numbers
from projects.codebook.ordering import moved, set_order
from projects.codebook.refusals import CodebookRefused
from projects.codebook.shared_reports import KIND, SCALE, refuse_if_shared
from projects.codebook.texts import check_texts
from projects.codebook.versions import store_version
from projects.events import record
from projects.final_rules import initial_rule, offered_rules
from projects.measures import offered_coefficients, offered_weights
from projects.models import Category, Event, Project, Question
from projects.refusals import KeyTaken

MAX_QUESTIONS = 500


@transaction.atomic
def create_question(
    project: Project, *, by: Any, categories: Sequence[CategoryFields] = (), **fields: Any
) -> Question:
    """Create a question at the end of the codebook, with its categories in the given order."""
    project = opened(project.pk)
    question = add_question(project, by=by, categories=categories, **fields)
    store_version(project)
    return question


def add_question(
    project: Project, *, by: Any, categories: Sequence[CategoryFields] = (), **fields: Any
) -> Question:
    """Add one of several questions; the caller locks the project and stores its version after the last one."""
    other = look_alike(fields["key"], project.questions.values_list("key", flat=True))
    if other is not None:
        raise KeyTaken.by(f"A question with the key {other!r}", fields["key"], other)
    if project.questions.count() >= MAX_QUESTIONS:
        raise CodebookRefused("too_many", f"A project can have at most {MAX_QUESTIONS} questions.")
    question = Question(project=project, position=_next_position(project), **fields)
    if "final_rule" not in fields:
        question.final_rule = initial_rule(question.kind, question.level)
    check_numbers(question, {})
    check_texts(question)
    check_fields(question)
    question.save()
    for position, category in enumerate(categories):
        check_category(question, category)
        Category.objects.create(question=question, position=position, **category)
    _log_change(question, by, "made")
    return question


def _next_position(project: Project) -> int:
    last = project.questions.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


@transaction.atomic
def change_question(question: Question, *, by: Any, **fields: Any) -> Question:
    """Change a question. Raises CodebookRefused for a kind that differs from that of its labels, and for a kind or
    scale on which a shared report depends; Question.DoesNotExist if it was deleted.
    """
    question = locked_question(question)
    if fields.get("kind", question.kind) != question.kind and not Question.Kind(fields["kind"]).is_compared:
        # Texts have no scale and no confidence, so the values of the earlier kind are reset.
        fields |= {"level": Question.Level.NOMINAL, "confidence": Question.Confidence.OFF}
    changed = changes_of(question, fields)
    if "missing_values" in fields:
        fields["missing_values"] = missing_values(question, fields["missing_values"])
        changed = changes_of(question, fields)
    if "level" in changed:
        refuse_if_shared(question, SCALE, field="level")
    if "kind" in changed:
        _check_kind(question, fields["kind"])
        if question.kind == Question.Kind.NUMBER:
            # These concern the numbers of a number question, and have no meaning for another kind.
            reset = {"missing_values": [], **NUMBER_FIELDS}
            changed |= changes_of(question, reset)
            fields |= reset
        elif question.kind == Question.Kind.TEXT:
            changed |= changes_of(question, {"max_length": None})
            fields["max_length"] = None
    for name in changed:
        setattr(question, name, fields[name])
    check_numbers(question, {})
    check_texts(question)
    check_fields(question)
    changed |= _fit_measure(question, changed)
    if "level" in changed:
        _fill_values(question)
        check_values(question)
    if changed:
        question.save(update_fields=list(changed))
        _log_change(question, by, "changed", changed=changed)
        store_version(question.project)
    return question


def _fit_measure(question: Question, changed: Mapping[str, Any]) -> Json:
    """Reset measures that no longer fit the scale. Raises CodebookRefused for one that was just chosen."""
    offered = {
        "coefficient": offered_coefficients(question.kind, question.level),
        "weights": offered_weights(question.kind, question.level),
    }
    reset: Json = {}
    for name, choices in offered.items():
        value = getattr(question, name)
        if not value or value in choices:
            continue
        if name in changed and not {"kind", "level"} & changed.keys():
            sentence = f"A {question.level} question can’t be judged by {value.replace('_', ' ')}."
            raise CodebookRefused("misfit", sentence, field=name)
        setattr(question, name, "")
        reset |= {name: ""}
    return reset | reset_final_rule(question)


def reset_final_rule(question: Question) -> Changes:
    """Reset the rule for final labels if it no longer fits the kind and scale, and return the changes."""
    if question.final_rule in offered_rules(question.kind, question.level):
        return {}
    reset = {"final_rule": initial_rule(question.kind, question.level), "final_threshold": None}
    changed = changes_of(question, reset)
    for name, value in reset.items():
        setattr(question, name, value)
    return changed


def missing_values(question: Question, values: Sequence[float]) -> list[float]:
    """Return the values without duplicates, in order. Raises CodebookRefused."""
    if values and question.kind != Question.Kind.NUMBER:
        sentence = "Only number questions have missing values. Treat a category as missing instead."
        raise CodebookRefused("not_a_number", sentence, field="missing_values")
    if len(values) > MAX_MISSING:
        sentence = f"A question can have at most {MAX_MISSING} missing values."
        raise CodebookRefused("too_many", sentence, field="missing_values")
    # Adding 0 turns -0 into 0.
    return sorted({value + 0.0 for value in values})


def _check_kind(question: Question, kind: str) -> None:
    if question.labels.exists():
        raise CodebookRefused(
            "question_has_labels",
            f"You can’t change the answer type of “{question.key}” because it has labels. "
            "Correct the answer type instead, which converts the labels.",
            field="kind",
        )
    refuse_if_shared(question, KIND, field="kind")
    if not Question.Kind(kind).has_categories and question.categories.exists():
        sentence = f"A {kind} question can’t have categories. Delete them first."
        raise CodebookRefused("has_categories", sentence, field="kind")


def _fill_values(question: Question) -> None:
    """On a numeric scale on which no category has a value, set values from keys that are numbers."""
    categories = list(question.categories.all())
    if question.level not in VALUED or any(category.value is not None for category in categories):
        return
    for category in categories:
        category.value = value_of(category.key, question.level)
    Category.objects.bulk_update(categories, ["value"])


@transaction.atomic
def delete_question(question: Question, *, by: Any) -> None:
    """Delete a question. Raises CodebookRefused if it has or ever had labels."""
    question = locked_question(question)
    if was_labeled(question):
        raise CodebookRefused(
            "question_has_labels",
            f"You can’t delete “{question.key}” because it has labels, now or in the history. "
            "If you no longer need it, make it optional.",
        )
    try:
        with transaction.atomic():
            for category in Category.with_merged.filter(question=question).order_by("merged_into"):
                category.delete()
            question.delete()
    except ProtectedError:
        sentence = f"You can’t delete “{question.key}” because reports use it."
        raise CodebookRefused("question_has_reports", sentence) from None
    record(Event.Kind.CODEBOOK_CHANGED, by=by, project=question.project, about=question.key, change="deleted")
    store_version(question.project)


@transaction.atomic
def order_questions(project: Project, ids: Sequence[int], *, by: Any) -> None:
    """Reorder the questions. Raises CodebookRefused unless each is listed exactly once."""
    project = opened(project.pk)
    set_order(project.questions.all(), ids, thing="question")
    record(Event.Kind.CODEBOOK_CHANGED, by=by, project=project, change="ordered")
    store_version(project)


@transaction.atomic
def move_question(question: Question, step: int, *, by: Any) -> None:
    """Move a question one position up (-1) or down (1); at the end, it stays."""
    project = opened(question.project_id)
    ids = list(project.questions.values_list("pk", flat=True))
    order_questions(project, moved(ids, question.pk, step), by=by)


def _log_change(question: Question, by: Any, change: str, **more: Any) -> None:
    record(
        Event.Kind.CODEBOOK_CHANGED,
        by=by,
        project=question.project,
        about=question.key,
        change=change,
        **more,
    )
