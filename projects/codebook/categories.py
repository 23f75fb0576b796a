"""All changes of categories except merging, which moves labels: see `raters.merging.actions`."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max

from core.field_changes import changes_of
from projects.codebook.codebook_rules import VALUED, check_category, was_labeled
from projects.codebook.imports import value_of
from projects.codebook.locking import locked_question
from projects.codebook.ordering import moved, set_order
from projects.codebook.refusals import CodebookRefused
from projects.codebook.shared_reports import SCALE, has_order, refuse_if_shared
from projects.codebook.versions import check_free, store_version
from projects.events import record
from projects.models import Category, Event, Question


@transaction.atomic
def add_category(question: Question, *, by: Any, **fields: Any) -> Category:
    """Add a category at the end of the scale."""
    question = locked_question(question)
    if question.level in VALUED and fields.get("value") is None:
        fields["value"] = value_of(fields["key"], question.level)
    check_category(question, fields)
    check_free(question, fields.get("shortcut"), fields["key"])
    last = question.categories.aggregate(last=Max("position"))["last"]
    category = Category.objects.create(question=question, position=0 if last is None else last + 1, **fields)
    log_change(category, by, "added")
    store_version(question.project)
    return category


@transaction.atomic
def change_category(category: Category, *, by: Any, **fields: Any) -> Category:
    """Change the fields of a category other than its key. Raises Category.DoesNotExist if it was deleted."""
    category = now(category)
    changed = changes_of(category, fields)
    check_category(category.question, {name: fields[name] for name in changed}, but=category)
    check_free(category.question, fields["shortcut"] if "shortcut" in changed else "", category.key)
    if "value" in changed and category.question.level in VALUED:
        refuse_if_shared(category.question, SCALE, field="value")
    if not changed:
        return category
    for name in changed:
        setattr(category, name, fields[name])
    category.save(update_fields=list(changed))
    log_change(category, by, "changed", changed=changed)
    store_version(category.question.project)
    return category


@transaction.atomic
def delete_category(category: Category, *, by: Any) -> None:
    """Delete a category. Raises CodebookRefused if it has or ever had labels."""
    category = now(category)
    if was_labeled(category.question, category):
        raise CodebookRefused(
            "category_has_labels",
            f"You can’t delete “{category}” because it is used in labels or their history. "
            "Rename it, or merge it into another category.",
        )
    if taken_in := Category.with_merged.filter(merged_into=category).first():
        sentence = (
            f"You can’t delete “{category}” because “{taken_in}” was merged into it. Merge it into "
            "another category instead."
        )
        raise CodebookRefused("category_has_merged", sentence)
    log_change(category, by, "deleted")
    category.delete()
    store_version(category.question.project)


@transaction.atomic
def order_categories(question: Question, ids: Sequence[int], *, by: Any) -> None:
    """Reorder the categories; for an ordinal question, the order is the scale. Raises CodebookRefused."""
    question = locked_question(question)
    if has_order(question) and list(ids) != list(question.categories.values_list("pk", flat=True)):
        refuse_if_shared(question, SCALE)
    set_order(question.categories.all(), ids, thing="category")
    record(Event.Kind.CODEBOOK_CHANGED, by=by, project=question.project, about=question.key, change="ordered")
    store_version(question.project)


@transaction.atomic
def move_category(category: Category, step: int, *, by: Any) -> None:
    """Move a category one position up (-1) or down (1); at the end, it stays."""
    category = now(category)
    ids = list(category.question.categories.values_list("pk", flat=True))
    order_categories(category.question, moved(ids, category.pk, step), by=by)


def now(category: Category) -> Category:
    """Return the current category, with its question locked for a change."""
    question = locked_question(category.question)
    category = Category.objects.get(pk=category.pk)
    category.question = question
    return category


def log_change(category: Category, by: Any, change: str, **more: Any) -> None:
    question = category.question
    record(
        Event.Kind.CODEBOOK_CHANGED,
        by=by,
        project=question.project,
        about=f"{question.key}: {category.key}",
        change=f"category {change}",
        **more,
    )
