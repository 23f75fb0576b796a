"""What the pages of the items behind a pair show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from core.web.paging import page_of
from projects.models import Item, Project
from raters.access import note_look, refuse_blind
from raters.items import queries as label_queries
from reports.models import PairAgreement
from reports.pages.pair import behind
from reports.pages.pair.page import pair_address, pair_head
from reports.results.confusion import Category, categories_of
from reports.sources.history import labels_changed_since

ITEMS_ON_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class Cell:
    """Which cell of the table the address names: positions of row and column, or where the two differ or agree."""

    row: int | None
    column: int | None
    differ: bool | None
    query: str
    words: str


def cell_of(request: HttpRequest, pair: PairAgreement) -> Cell:
    """Raises Http404 for a category that the report does not know."""
    categories = categories_of(pair)
    row = _position(categories, request.GET.get("row"))
    column = _position(categories, request.GET.get("column"))
    differ = {"dispute": True, "agreement": False}.get(request.GET.get("in", ""))
    named = {name: request.GET[name] for name in ("row", "column", "in") if name in request.GET}
    return Cell(row, column, differ, _encoded(named), _words(pair, categories, row, column, differ))


def _position(categories: Sequence[Category], key: str | None) -> int | None:
    if key is None:
        return None
    for place, category in enumerate(categories):
        if category.key == key:
            return place
    raise Http404("The report has no such category.")


def _encoded(named: Mapping[str, str]) -> str:
    return f"?{urlencode(named)}" if named else ""


def _words(
    pair: PairAgreement,
    categories: Sequence[Category],
    row: int | None,
    column: int | None,
    differ: bool | None,
) -> str:
    parts = []
    if row is not None:
        parts.append(f"{pair.rater_a} labeled “{categories[row]}”")
    if column is not None:
        parts.append(f"{pair.rater_b} labeled “{categories[column]}”")
    if differ is not None:
        parts.append("they disagree" if differ else "they agree")
    return "Items where " + " and ".join(parts) if parts else "All shared items"


def _wanted(cell: Cell) -> behind.Wanted:
    return behind.Wanted(cell.row, cell.column, cell.differ)


@dataclass(frozen=True, slots=True)
class TwoAnswers:
    """One item of a list with two answers to each. address: "" for an item that is not to be opened."""

    item: Item
    address: str
    excerpt: str
    first: str
    second: str
    differ: bool


def pair_items(request: HttpRequest, project: Project, pair: PairAgreement) -> dict[str, Any]:
    cell = cell_of(request, pair)
    items = behind.ItemsBehind(pair, _wanted(cell))
    page = page_of(request, items, size=ITEMS_ON_A_PAGE)
    categories = categories_of(pair)
    return {
        **pair_head(project, pair),
        "cell": cell,
        "page": page,
        "rows": [_item_row(found, categories, cell) for found in page],
        "n": len(items),
        "has_changed": labels_changed_since(pair.agreement.report.head, [pair.agreement.question_id]),
    }


def _item_row(found: behind.ItemBehind, categories: Sequence[Category], cell: Cell) -> TwoAnswers:
    return TwoAnswers(
        item=found.item,
        address=f"{found.item.pk}/{cell.query}",
        excerpt=label_queries.excerpt(found.item),
        first=str(categories[found.a]),
        second=str(categories[found.b]),
        differ=found.a != found.b,
    )


def pair_item(request: HttpRequest, project: Project, pair: PairAgreement, pk: int) -> dict[str, Any]:
    item = get_object_or_404(Item.objects.select_related("project"), project=project, pk=pk)
    refuse_blind(request.user, item)
    note_look(request.user, project, item.key)
    cell = cell_of(request, pair)
    before, after = behind.neighbours(pair, _wanted(cell), pk)
    items_address = f"{pair_address(project, pair)}items/"
    return {
        "project": project,
        "page": label_queries.item_page(item),
        "before": f"{items_address}{before}/{cell.query}" if before else "",
        "after": f"{items_address}{after}/{cell.query}" if after else "",
        "back": items_address + cell.query,
        "back_words": cell.words,
        "pair": pair,
        "pair_address": pair_address(project, pair),
    }
