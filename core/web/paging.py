"""Pages of long lists, selected by ?page=."""

from functools import cached_property
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest

ON_A_PAGE = 50


class FirstRowsPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of the first `most` rows; no more are counted, so that a longer list takes no more time."""

    def __init__(self, rows: Any, size: int, most: int) -> None:
        super().__init__(rows[:most], size)
        self._rows, self._most = rows, most

    @cached_property
    def is_cut(self) -> bool:
        return bool(self._rows[self._most : self._most + 1])


class CountedPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of rows whose number is known."""

    def __init__(self, rows: Any, size: int, n_rows: int) -> None:
        super().__init__(rows, size)
        self._n_rows = n_rows

    @cached_property
    def count(self) -> int:
        return self._n_rows


def page_of(
    request: HttpRequest,
    rows: Any,
    *,
    size: int = ON_A_PAGE,
    most: int | None = None,
    n_rows: int | None = None,
) -> "Page[Any]":
    """The requested page; an invalid number gives the first, one too high the last.

    most: list no more rows. n_rows: how many there are, if that is known.
    """
    if n_rows is not None:
        paginator: Paginator[Any] = CountedPaginator(rows, size, n_rows)
    else:
        paginator = Paginator(rows, size) if most is None else FirstRowsPaginator(rows, size, most)
    return paginator.get_page(request.GET.get("page"))
