"""What the address of a page asks for."""

from collections.abc import Collection

from django.http import HttpRequest


def chosen(request: HttpRequest, name: str, choices: Collection[str], default: str) -> str:
    """The choice that the address names; nonsense gives the default."""
    value = request.GET.get(name, default)
    return value if value in choices else default


def kept(request: HttpRequest, *but: str) -> list[tuple[str, str]]:
    """What else the address says, for a form that must not lose it."""
    return [(name, value) for name, values in request.GET.lists() if name not in but for value in values]
