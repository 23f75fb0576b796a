"""What the page of the items behind a figure of all raters shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from core.numbers import whole_number
from core.templatetags.shown import count
from projects.models import Item, Project, Question
from raters.items import queries as label_queries
from reports.models import QuestionAgreement
from reports.pages.choices import kept
from reports.pages.question.asked_items import wanted_of, words_of
from reports.pages.question.behind import WantedItems, items_behind
from reports.pages.question.head import question_head
from reports.results.measured import measured

ITEMS_ON_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class ItemRow:
    key: str
    pk: int
    excerpt: str
    said: str


def items(request: HttpRequest, project: Project, agreement: QuestionAgreement) -> dict[str, Any]:
    """The items of a question that the address asks for. Raises Http404 for what the report does not know."""
    wanted, words = wanted_of(request, project, agreement)
    page = whole_number(request.GET.get("page", "1"), least=1, most=999_999) or 1
    rows, n = _rows(agreement, wanted, start=(page - 1) * ITEMS_ON_A_PAGE)
    last = max(1, -(-n // ITEMS_ON_A_PAGE))
    return {
        **question_head(project, agreement),
        "words": words,
        "q": words_of(request),
        "kept": kept(request, "q", "page"),
        "n": n,
        "rows": rows,
        "number": page,
        "last": last,
        "before": page - 1 if 1 < page <= last else 0,
        "after": page + 1 if page < last else 0,
    }


def _rows(agreement: QuestionAgreement, wanted: WantedItems, *, start: int) -> tuple[list[ItemRow], int]:
    names = {category["id"]: category["name"] or category["key"] for category in agreement.categories}
    is_single = agreement.question.kind == Question.Kind.SINGLE
    split, n = items_behind(agreement, wanted, start=start, size=ITEMS_ON_A_PAGE)
    rows = [
        _row(
            each.item,
            [(names.get(one, "?") if is_single else _answer(one, names), k) for one, k in each.answers],
            each.n_abstained,
        )
        for each in split
    ]
    return rows, n


def _row(item: Item, counts: Sequence[tuple[str, int]], n_abstained: int) -> ItemRow:
    return ItemRow(item.key, item.pk, label_queries.excerpt(item), _said(counts, n_abstained))


def _answer(answer: float | list[int], names: Mapping[int, str]) -> str:
    if not isinstance(answer, list):
        return measured(answer)
    chosen = [name for pk, name in names.items() if pk in answer]
    return f"“{' + '.join(chosen)}”" if chosen else "“none”"


def _said(counts: Sequence[tuple[str, int]], n_abstained: int) -> str:
    # In brackets: names of categories, and numbers all the more, end in figures of their own.
    found = [f"{words} ({count(n)})" for words, n in counts]
    return ", ".join([*found, f"cannot tell ({count(n_abstained)})"] if n_abstained else found)
