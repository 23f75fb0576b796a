"""Merging one category into another: the labels move, and their history keeps the earlier values."""

from typing import Any

from django.db import connection, transaction
from django.db.models import Q

from projects.codebook.categories import log_change, now
from projects.codebook.refusals import CodebookRefused
from projects.codebook.versions import store_version
from projects.models import Category
from raters.labeling.saving import set_history_context

# A set that had both contains the kept one once; it stays ascending, as the database requires.
_MOVE = """
UPDATE raters_label SET
    category_id = CASE WHEN category_id = %(gone)s THEN %(kept)s ELSE category_id END,
    category_set = CASE
        WHEN %(gone)s = ANY (category_set)
            THEN ARRAY(SELECT DISTINCT unnest(array_replace(category_set, %(gone)s, %(kept)s)) ORDER BY 1)
        ELSE category_set
    END
WHERE question_id = %(question)s AND (category_id = %(gone)s OR %(gone)s = ANY (category_set))
"""
_COUNT = """
SELECT count(*) FROM raters_label
WHERE question_id = %(question)s AND (category_id = %(gone)s OR %(gone)s = ANY (category_set))
"""


def n_labels_of(category: Category) -> int:
    """Return how many labels have the category, alone or in a set."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"question": category.question_id, "gone": category.pk})
        return int(cursor.fetchone()[0])


@transaction.atomic
def merge_category(category: Category, into: Category, *, by: Any, source: str = "page") -> int:
    """Move all labels of a category to another category of its question; return how many were moved.

    The merged category stays as a row that can no longer be chosen. Reports keep the codebook they were made with.
    Raises CodebookRefused, ProjectClosed, or Category.DoesNotExist if a category was deleted.
    """
    category = now(category)
    if into.question_id != category.question_id or into.pk == category.pk:
        raise CodebookRefused("into", "Choose a different category of the same question.", field="into")
    into = Category.objects.get(pk=into.pk)
    set_history_context(by, f"merge by {source}")
    with connection.cursor() as cursor:
        cursor.execute(_MOVE, {"question": category.question_id, "gone": category.pk, "kept": into.pk})
        n_moved: int = cursor.rowcount
    # Categories merged into this one move along, so that the history can resolve them in one step.
    Category.with_merged.filter(Q(pk=category.pk) | Q(merged_into=category)).update(
        merged_into=into, position=None, shortcut=""
    )
    log_change(category, by, "merged", into=into.key, n_labels=n_moved)
    store_version(category.question.project)
    return n_moved
