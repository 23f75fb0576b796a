"""Copies all questions, or none, from another project or from a template into a project."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from core.keys import look_alike
from core.shapes import Json
from projects.codebook.guidelines import write_guidelines
from projects.codebook.locking import opened
from projects.codebook.questions import add_question
from projects.codebook.starters import Starter
from projects.codebook.versions import store_version
from projects.models import Category, Project, Question
from projects.refusals import CopiedKeyTaken

QUESTION_FIELDS = (
    "key",
    "prompt",
    "kind",
    "level",
    "is_required",
    "allows_abstention",
    "confidence",
    "missing_values",
    "coefficient",
    "weights",
    "criterion",
    "minimum",
    "maximum",
    "is_whole",
    "step",
    "unit",
    "tolerance",
    "max_length",
    "asked_if_question",
    "asked_if_categories",
    "final_rule",
    "final_threshold",
    "final_takes_references",
)
CATEGORY_FIELDS = (
    "key",
    "name",
    "definition",
    "examples",
    "value",
    "shortcut",
    "color",
    "treated_as_missing",
)


def described(project: Project) -> list[Json]:
    """Return the questions of a project with their categories, in a form that can be recreated elsewhere."""
    return [
        _fields(question, QUESTION_FIELDS)
        | {"categories": [_fields(category, CATEGORY_FIELDS) for category in question.choices]}
        for question in project.questions.prefetch_related("categories")
    ]


def _fields(thing: Question | Category, names: Sequence[str]) -> Json:
    return {name: getattr(thing, name) for name in names}


@transaction.atomic
def copy_codebook(
    source: Project, target: Project, *, by: Any, with_guidelines: bool = False
) -> list[Question]:
    """Copy a codebook. Raises KeyTaken for a key that the target has, ProjectClosed if its codebook is closed."""
    made = _add(target, described(source), by=by)
    if with_guidelines and source.guidelines:
        write_guidelines(target, source.guidelines, by=by)
    return made


@transaction.atomic
def start_from(starter: Starter, project: Project, *, by: Any) -> list[Question]:
    """Create the questions of a template and, if the project has none, its guidelines."""
    made = _add(project, starter.questions, by=by)
    project.refresh_from_db(fields=["guidelines"])
    if not project.guidelines:
        write_guidelines(project, starter.guidelines, by=by)
    return made


def _add(project: Project, questions: Sequence[Json], *, by: Any) -> list[Question]:
    project = opened(project.pk)
    present = list(project.questions.values_list("key", flat=True))
    for question in questions:
        if (taken := look_alike(question["key"], present)) is not None:
            what = f"Nothing was copied: a question with the key {taken!r}"
            raise CopiedKeyTaken.by(what, question["key"], taken, ask="Choose another codebook.")
    made = [add_question(project, by=by, **question) for question in questions]
    store_version(project)
    return made
