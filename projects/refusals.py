"""Why a project refuses a change."""


class ProjectClosed(Exception):
    """A closed project takes no labels and no new questions until a lead opens it again."""


class KeyTaken(Exception):
    """A key that must be unique in its place is there already."""
