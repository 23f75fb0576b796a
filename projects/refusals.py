"""Reasons why a project refuses a change."""

from core.refusals import Refused


class ProjectClosed(Refused):
    """A closed project accepts no labels and no new questions until a lead reopens it."""

    code = "closed"


class KeyTaken(Refused):
    """A key that must be unique already exists."""

    code = "key_taken"


class SlugTaken(KeyTaken):
    code = "slug_taken"
