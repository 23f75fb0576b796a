"""Why a project refuses a change."""

from core.refusals import Refused


class ProjectClosed(Refused):
    """A closed project takes no labels and no new questions until a lead opens it again."""

    code = "closed"


class KeyTaken(Refused):
    """A key that must be unique in its place is there already."""

    code = "key_taken"


class SlugTaken(KeyTaken):
    code = "slug_taken"
