"""Conversion of frozen page objects to template contexts."""

from dataclasses import fields
from typing import Any


class PageSection:
    """A frozen dataclass whose fields are template variables, for a page or a part of one."""

    __slots__ = ()


def context_of(page: PageSection) -> dict[str, Any]:
    """Return the fields of a page, with sections replaced by their fields; later fields override earlier ones."""
    found: dict[str, Any] = {}
    for name in (each.name for each in fields(page)):  # type: ignore[arg-type]
        value = getattr(page, name)
        found |= context_of(value) if isinstance(value, PageSection) else {name: value}
    return found
