"""The versions of a codebook that raters were shown, starting with the first round that opened.

Every change to the questions calls `store_version` at the end of its transaction. It stores a new version if anything
that raters see has changed, including the shortcut of each answer, which is never reassigned to another answer.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

from django.db import connection
from django.db.models import Max

from core.prepared import Param, PreparedQuery
from projects.codebook.conditions import check_conditions
from projects.codebook.content import StoredCodebook, questions_in_version, shortcuts_in, stored_codebook
from projects.codebook.refusals import CodebookRefused
from projects.codebook.shortcut_keys import Given, assign_shortcuts
from projects.models import CodebookVersion, Project, Question, Round
from projects.queries import current_guidelines_version

# Serializes changes, including opening rounds, with a separate class of lock; see projects.imports.import_lock.
_LOCK = "SELECT pg_advisory_xact_lock(7003, %s)"


def is_published(project: Project | int) -> bool:
    """Return whether raters may have seen the codebook, because a round was opened."""
    return Round.objects.filter(project=project).exclude(state=Round.State.DRAFT).exists()


_CURRENT = PreparedQuery(
    lambda: CodebookVersion.objects.filter(project=Param("project")).order_by("-number")[:1]
)


def current_version(project: Project | int) -> CodebookVersion | None:
    return _CURRENT.first(project=project if isinstance(project, int) else project.pk)


def current_number(project: Project | int) -> int:
    versions = CodebookVersion.objects.filter(project=project)
    return versions.aggregate(last=Max("number"))["last"] or 0


def assigned_shortcuts(project: Project | int) -> Given:
    """Return the shortcuts assigned so far; [] before the first round opens."""
    version = current_version(project)
    return [] if version is None else shortcuts_in(content_of(version))


def check_free(question: Question, shortcut: str | None, category: str) -> None:
    """Raise CodebookRefused if the shortcut is assigned to something else that is still asked."""
    version = current_version(question.project_id) if shortcut else None
    if version is None or not shortcut:
        return
    content = content_of(version)
    owner = dict(shortcuts_in(content)).get(shortcut)
    if owner in {None, (question.key, category)}:
        return
    names = {(asked.key, ""): str(asked) for asked in questions_in_version(content)}
    names |= {
        (asked.key, each.key): str(each)
        for asked in questions_in_version(content)
        for each in asked.categories
    }
    if owner in names:
        raise CodebookRefused(
            "shortcut_taken",
            f"“{names[owner]}” already uses this shortcut. Choose another.",
            field="shortcut",
        )


def content_of(version: CodebookVersion) -> StoredCodebook:
    return cast(StoredCodebook, version.content)


# Whether several changes form one operation, which stores one version at its end.
_in_one_act: ContextVar[bool] = ContextVar("in_one_act", default=False)


@contextmanager
def one_act() -> Iterator[None]:
    """Suspend storing versions inside the block; the caller stores one afterwards."""
    before = _in_one_act.set(True)
    try:
        yield
    finally:
        _in_one_act.reset(before)


def store_version(project: Project | int) -> int:
    """Store the current content as a version if it changed, and return its number; 0 before a round was opened.

    Every change of a codebook ends here. Raises CodebookRefused if it leaves a condition that can never be met.
    """
    check_conditions(project)
    if _in_one_act.get():
        return 0
    pk = project if isinstance(project, int) else project.pk
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [pk])
    if not is_published(pk):
        return 0
    before = current_version(pk)
    questions = list(Question.objects.filter(project=pk).prefetch_related("categories"))
    given = assign_shortcuts(questions, [] if before is None else shortcuts_in(content_of(before)))
    content, guidelines = stored_codebook(questions, given), current_guidelines_version(pk)
    if before is not None and (before.content, before.guidelines) == (content, guidelines):
        return before.number
    number = 1 if before is None else before.number + 1
    CodebookVersion.objects.create(project_id=pk, number=number, content=content, guidelines=guidelines)
    return number
