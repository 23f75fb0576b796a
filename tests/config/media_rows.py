"""Requests about media files, for the matrix of routes."""

from io import BytesIO
from typing import Any

from projects.media.media_files import store_media
from tests.finished import World
from tests.pictures import png


def media_args(world: World) -> list[Any]:
    """A file that no item names, made when it is first needed."""
    if not world.project.media.exists():
        store_media(world.project, "photos/1.png", BytesIO(png(3, 2)), by=world.lead)
    return [world.project.slug, world.project.media.get().pk]
