"""Requests about adjudication, for the matrix of routes: what each takes."""

from typing import Any

from tests.finished import World

ADJUDICATE = (302, 404, 404, 403, 200, 200)
SEE_DISPUTES = (302, 404, 404, 200, 200, 200)
GOES_ON = (302, 404, 404, 403, 302, 302)
API_ADJUDICATE = (401, 404, 404, 403, 200, 200)
API_SEE_DISPUTES = (401, 404, 404, 200, 200, 200)


def case_args(world: World) -> list[Any]:
    return [world.project.slug, world.item.pk, world.agreement.question_id]


def item_args(world: World) -> list[Any]:
    return [world.project.slug, world.item.pk]


def bulk_args(world: World) -> list[Any]:
    """Nothing was decided in bulk."""
    return [world.project.slug, "0123456789ab"]


def kind_args(world: World) -> list[Any]:
    return [world.project.slug, "csv"]


def rule_args(world: World) -> list[Any]:
    return [world.project.slug, world.agreement.question_id]
