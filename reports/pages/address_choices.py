"""Choices in the query string of a page."""

from collections.abc import Collection

from django.http import HttpRequest


def chosen(request: HttpRequest, name: str, choices: Collection[str], default: str) -> str:
    """Return the choice in the query string; an invalid value gives the default."""
    value = request.GET.get(name, default)
    return value if value in choices else default


def other_parameters(request: HttpRequest, *but: str) -> list[tuple[str, str]]:
    """Return the other parameters of the query string, for a form that must keep them."""
    return [(name, value) for name, values in request.GET.lists() if name not in but for value in values]
