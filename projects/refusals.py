"""Reasons why a project refuses a change."""

from typing import Self

from core.refusals import Refused


class ProjectClosed(Refused):
    """A closed project accepts no labels and no new questions until a lead reopens it."""

    code = "closed"


class KeyTaken(Refused):
    """A key that must be unique already exists, or one that looks like it. field: where it was entered."""

    code = "key_taken"
    field = "key"

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.errors = [{"field": self.field, "code": self.code, "detail": sentence}] if self.field else []

    @classmethod
    def by(cls, what: str, key: str, other: str, *, ask: str = "Choose another key.") -> Self:
        """what: the thing with the other key, such as “A question with the key 'tone'”. ask: what to do."""
        if key == other:
            return cls(f"{what} already exists. {ask}")
        return cls(f"{what} already exists, and {key!r} differs only by case or Unicode form. {ask}")


class CopiedKeyTaken(KeyTaken):
    """A key of something that is copied exists; nobody entered it."""

    field = ""


class SlugTaken(KeyTaken):
    code = "slug_taken"
    field = "slug"
