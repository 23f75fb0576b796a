"""What the page of the items behind a figure of all raters shows."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest

from projects.models import Project
from projects.templatetags.shown import count
from raters import queries as label_queries
from reports.models import QuestionAgreement
from reports.pages.contexts import question_head
from reports.pages.matrix import Rater, raters_of
from reports.pages.question_behind import WantedItems, items_behind

ITEMS_ON_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class ItemRow:
    key: str
    pk: int
    excerpt: str
    said: str


def items(request: HttpRequest, project: Project, agreement: QuestionAgreement) -> dict[str, Any]:
    """The items of a question that the address asks for. Raises Http404 for what the report does not know."""
    wanted, words = wanted_of(request, agreement)
    number = request.GET.get("page", "1")
    page = max(1, int(number)) if number.isascii() and number.isdigit() and len(number) < 7 else 1
    found, n = items_behind(agreement, wanted, start=(page - 1) * ITEMS_ON_A_PAGE, size=ITEMS_ON_A_PAGE)
    names = {category["id"]: category["name"] or category["key"] for category in agreement.categories}
    last = max(1, -(-n // ITEMS_ON_A_PAGE))
    return {
        **question_head(project, agreement),
        "words": words,
        "n": n,
        "rows": [
            ItemRow(
                split.item.key,
                split.item.pk,
                label_queries.excerpt(split.item),
                ", ".join(f"{names.get(category, '?')} {count(times)}" for category, times in split.counts),
            )
            for split in found
        ],
        "number": page,
        "last": last,
        "before": page - 1 if 1 < page <= last else 0,
        "after": page + 1 if page < last else 0,
    }


def wanted_of(request: HttpRequest, agreement: QuestionAgreement) -> tuple[WantedItems, str]:
    """What the address asks for, and in words."""
    ids = {category["key"]: category["id"] for category in agreement.categories}
    names = {category["key"]: category["name"] or category["key"] for category in agreement.categories}
    has = request.GET.getlist("has")[:2]
    rater = _rater(request, agreement)
    says = request.GET.get("says", "")
    if any(key not in ids for key in (*has, *([says] if says else []))):
        raise Http404("The report has no such category.")
    differ = {"dispute": True, "agreement": False}.get(request.GET.get("in", ""))
    parts = [f"somebody says “{names[key]}”" for key in has]
    if rater is not None:
        parts.append(f"{rater.key} says “{names[says]}”" if says else f"{rater.key} has a label")
    if differ is not None:
        parts.append("raters differ" if differ else "all agree")
    wanted = WantedItems(
        both=tuple(ids[key] for key in has),
        rater=rater.id if rater else None,
        says=ids[says] if says and rater else None,
        differ=differ,
    )
    return wanted, "Items where " + " and ".join(parts) if parts else "All items with a label"


def _rater(request: HttpRequest, agreement: QuestionAgreement) -> Rater | None:
    key = request.GET.get("rater")
    if key is None:
        return None
    for rater in raters_of(agreement):
        if rater.key == key:
            return rater
    raise Http404("The report has no such rater.")
