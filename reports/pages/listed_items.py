"""Lists of the items behind a number, for a question, a pair, and a rater."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.core.paginator import Page
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from core.numbers import whole_number
from core.templatetags.shown import count
from core.web.paging import page_of
from projects.models import Item, Project
from raters.access import log_label_access, refuse_blind
from raters.changed_labels import labels_changed_since
from raters.items.queries import ItemPage, excerpt, item_page
from raters.models import Assignment
from reports.access import RaterAccess
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.pages.address_choices import other_parameters
from reports.pages.contexts import PageSection
from reports.pages.heads import PairHead, RaterHead, owner_words, pair_head, rater_head
from reports.results.addresses import pair_address
from reports.results.items.pair_items import items_of_pair
from reports.results.items.query import ItemQuery
from reports.results.items.question_items import ListedItem, items_of_question
from reports.results.items.rater_items import RaterItems, items_of_rater
from reports.results.kinds import result_kind
from reports.results.wording import measured
from reports.store.requests import is_current
from reports.store.stored_result import StoredResult

ITEMS_ON_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class ItemLine:
    key: str
    pk: int
    excerpt: str
    labels: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionItemsPage(PageSection):
    """words: which items these are. first, last: which of them are shown; before, after: the pages, 0 for none."""

    project: Project
    report: Report
    agreement: QuestionAgreement
    has_changed: bool
    words: str
    q: str
    kept: Sequence[tuple[str, str]]
    n: int
    rows: Sequence[ItemLine]
    first: int
    last: int
    before: int
    after: int


def question_items(request: HttpRequest, result: StoredResult) -> QuestionItemsPage:
    """Return the items of a question in the query. Raises Http404 for anything the report does not have."""
    query = ItemQuery.parsed(request.GET)
    items = items_of_question(query, result)
    page = whole_number(request.GET.get("page", "1"), least=1, most=999_999) or 1
    start = (page - 1) * ITEMS_ON_A_PAGE
    rows, n = items.page(start, ITEMS_ON_A_PAGE)
    n_pages = max(1, -(-n // ITEMS_ON_A_PAGE))
    names = {category["id"]: category["name"] or category["key"] for category in result.categories}
    return QuestionItemsPage(
        project=result.report.project,
        report=result.report,
        agreement=result.row,
        has_changed=not is_current(result.report),
        words=items.title,
        q=query.searched,
        kept=other_parameters(request, "q", "page"),
        n=n,
        rows=[
            ItemLine(row.item.key, row.item.pk, excerpt(row.item), _answers_in_words(row, names))
            for row in rows
        ],
        first=start + 1,
        last=start + len(rows),
        before=page - 1 if 1 < page <= n_pages else 0,
        after=page + 1 if page < n_pages else 0,
    )


def _answers_in_words(row: ListedItem, names: Mapping[int, str]) -> str:
    """Return the answers on an item in words."""
    found = []
    for answer, n in row.answers:
        match answer:
            case list():
                chosen = [name for pk, name in names.items() if pk in answer]
                words = f"“{' + '.join(chosen)}”" if chosen else "“none”"
            case float():
                words = measured(answer)
            case _:
                words = names.get(answer, "?")
        # In parentheses, because names of categories and numbers may end in digits.
        found.append(f"{words} ({count(n)})")
    if row.n_abstained:
        found.append(f"cannot tell ({count(row.n_abstained)})")
    return ", ".join(found)


@dataclass(frozen=True, slots=True)
class AnswerPairRow:
    """An item in a list with two answers each. address: "" if the item may not be opened."""

    item: Item
    address: str
    excerpt: str
    first: str
    second: str
    differ: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PairItemsPage(PageSection):
    head: PairHead
    words: str
    page: Page
    rows: Sequence[AnswerPairRow]
    n: int
    has_changed: bool


def pair_items(request: HttpRequest, pair: PairAgreement) -> PairItemsPage:
    query = _of_two(request)
    items = items_of_pair(query, pair)
    page = page_of(request, items, size=ITEMS_ON_A_PAGE)
    names = [category["name"] or category["key"] for category in pair.agreement.categories]
    return PairItemsPage(
        head=pair_head(pair),
        words=items.title,
        page=page,
        rows=[
            AnswerPairRow(
                item=found.item,
                address=f"{found.item.pk}/{query}",
                excerpt=excerpt(found.item),
                first=names[found.a],
                second=names[found.b],
                differ=found.a != found.b,
            )
            for found in page
        ],
        n=len(items),
        has_changed=labels_changed_since(pair.agreement.report.head, [pair.agreement.question_id]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairItemPage(PageSection):
    """before, after: URLs of the adjacent items, "" for none."""

    project: Project
    page: ItemPage
    before: str
    after: str
    back: str
    back_words: str
    pair: PairAgreement
    pair_address: str


def pair_item(request: HttpRequest, project: Project, pair: PairAgreement, pk: int) -> PairItemPage:
    """Return one item with all its labels, while browsing the items of a cell."""
    item = get_object_or_404(Item.objects.select_related("project"), project=project, pk=pk)
    refuse_blind(request.user, item)
    log_label_access(request.user, project, item.key)
    query = _of_two(request)
    items = items_of_pair(query, pair)
    before, after = items.neighbors(pk)
    items_address = f"{pair_address(pair)}items/"
    return PairItemPage(
        project=project,
        page=item_page(item),
        before=f"{items_address}{before}/{query}" if before else "",
        after=f"{items_address}{after}/{query}" if after else "",
        back=f"{items_address}{query}",
        back_words=items.title,
        pair=pair,
        pair_address=pair_address(pair),
    )


def _of_two(request: HttpRequest) -> ItemQuery:
    """Return only the parameters for two answers."""
    asked = ItemQuery.parsed(request.GET)
    return ItemQuery(row=asked.row, column=asked.column, among=asked.among)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterItemsPage(PageSection):
    """n_hidden: items left out because the viewer still labels them. first, second: whose answers these are."""

    head: RaterHead
    is_of_repeats: bool
    page: Page
    n: int
    n_hidden: int
    rows: Sequence[AnswerPairRow]
    first: str
    second: str


def rater_items(request: HttpRequest, access: RaterAccess) -> RaterItemsPage:
    """Return the items of a rater in the query. Raises Http404 for an invalid query."""
    query = ItemQuery.parsed(request.GET)
    items = items_of_rater(query, access)
    page = page_of(request, items.items.tolist())
    start = (page.number - 1) * page.paginator.per_page
    return RaterItemsPage(
        head=rater_head(access, words=items.title),
        is_of_repeats=bool(query.repeat),
        page=page,
        n=len(items.items),
        n_hidden=items.n_hidden,
        rows=_rows_of_rater(access, items.at(np.arange(start, start + len(page)))),
        first="first" if query.repeat else owner_words(access),
        second="again" if query.repeat else result_kind(access.result.scope.kind).others_say,
    )


def _rows_of_rater(access: RaterAccess, rater_items: RaterItems) -> list[AnswerPairRow]:
    ids = rater_items.items.tolist()
    items = Item.objects.in_bulk(ids)
    if access.is_own:
        # The rater's own assignments, whose pages show the items.
        rows = Assignment.objects.filter(rater=access.rater.id, item__in=ids, pass_number=1)
        addresses = {
            item: reverse("label_item", args=[access.project.slug, place])
            for item, place in rows.values_list("item", "pk")
        }
    else:
        addresses = {pk: reverse("item", args=[access.project.slug, pk]) for pk in ids}
    names, is_same = access.result.category_names, rater_items.is_same
    return [
        AnswerPairRow(
            items[pk],
            addresses.get(pk, ""),
            excerpt(items[pk]),
            _answer(rater_items.first[place], names),
            _answer(rater_items.second[place], names) if rater_items.has_second[place] else "no consensus",
            bool(rater_items.has_second[place] and not is_same[place]),
        )
        for place, pk in enumerate(ids)
    ]


def _answer(value: Any, names: Sequence[str]) -> str:
    if isinstance(value, np.ndarray):
        return ", ".join(name for name, holds in zip(names, value, strict=True) if holds) or "none"
    return measured(float(value)) if isinstance(value, np.floating) else names[int(value)]
