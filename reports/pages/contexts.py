"""From the frozen page that a function builds to the context of its template."""

from dataclasses import fields
from typing import Any


class PageSection:
    """A frozen dataclass whose fields are names of a template, on a page by itself or within another one."""

    __slots__ = ()


def context_of(page: PageSection) -> dict[str, Any]:
    """The fields of a page, and those of its sections in place of them; what comes later counts."""
    found: dict[str, Any] = {}
    for name in (each.name for each in fields(page)):  # type: ignore[arg-type]
        value = getattr(page, name)
        found |= context_of(value) if isinstance(value, PageSection) else {name: value}
    return found
