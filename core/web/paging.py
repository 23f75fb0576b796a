"""Pages of long lists, selected by ?page=."""

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest

ON_A_PAGE = 50


def page_of(request: HttpRequest, rows: Any, *, size: int = ON_A_PAGE) -> "Page[Any]":
    """The requested page; an invalid number gives the first, one too high the last."""
    return Paginator(rows, size).get_page(request.GET.get("page"))
