"""Requests about the codebook, for the matrix of routes: what each takes, and what it changes."""

from typing import Any

from projects.codebook import categories, drafts, questions
from projects.codebook.guidelines import write_guidelines
from projects.models import Question
from tests.finished import World


def labeled_args(world: World) -> list[Any]:
    return [world.project.slug, world.agreement.question_id]


def free_question(world: World) -> Question:
    """A question without labels, made when it is first needed."""
    found = world.project.questions.filter(key="free").first()
    return found or questions.create_question(
        world.project, by=world.lead, key="free", categories=[{"key": "a"}, {"key": "b"}]
    )


def free_args(world: World) -> list[Any]:
    return [world.project.slug, free_question(world).pk]


def category_args(world: World) -> list[Any]:
    return [world.project.slug, free_question(world).categories.first().pk]  # type: ignore[union-attr]


def category_in_question_args(world: World) -> list[Any]:
    question = free_question(world)
    return [world.project.slug, question.pk, question.categories.first().pk]  # type: ignore[union-attr]


def spare_args(world: World) -> list[Any]:
    """A category that nobody misses, in its question."""
    question = free_question(world)
    spare = categories.add_category(question, by=world.lead, key=f"spare-{question.categories.count()}")
    return [world.project.slug, question.pk, spare.pk]


def draft_args(world: World) -> list[Any]:
    """A draft with one change."""
    edit: drafts.Edit = {
        "do": "change_question",
        "about": free_question(world).pk,
        "given": {"prompt": "Which one?"},
    }
    drafts.add_edits(world.project, [edit], by=world.lead)
    return [world.project.slug]


def guidelines_args(world: World) -> list[Any]:
    write_guidelines(world.project, "Look twice.", by=world.lead)
    return [world.project.slug, 1]
