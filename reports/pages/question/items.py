"""What the page of the items behind a figure of all raters shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest

from projects.models import Item, Project, Question
from projects.templatetags.shown import count, moment
from raters import queries as label_queries
from reports.computing.compared_sides import batches_of
from reports.models import QuestionAgreement
from reports.pages.measured import measured
from reports.pages.question.behind import MANY, WantedItems, items_behind
from reports.pages.question.head import question_head
from reports.pages.question.matrix import Rater, raters_of

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
    rows, n = _rows(agreement, wanted, start=(page - 1) * ITEMS_ON_A_PAGE)
    last = max(1, -(-n // ITEMS_ON_A_PAGE))
    return {
        **question_head(project, agreement),
        "words": words,
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
    found = [f"{words} {count(n)}" for words, n in counts]
    return ", ".join([*found, f"cannot tell {count(n_abstained)}"] if n_abstained else found)


@dataclass(frozen=True, slots=True)
class Among:
    """What `in` of an address means. most: None for any number of labels."""

    words: str
    least: int = 1
    differ: bool | None = None
    abstained: int = 0
    most: int | None = None


AMONG = {
    "dispute": Among("raters differ", least=2, differ=True),
    "agreement": Among("all agree", least=2, differ=False),
    "compared": Among("two raters or more have a label", least=2),
    "alone": Among("only one rater has a label", most=1),
    "abstained": Among("somebody could not tell", least=0, abstained=1),
}


def among_of(request: HttpRequest, agreement: QuestionAgreement) -> Among:
    name = request.GET.get("in", "")
    if name == "complete":
        return Among(f"all {count(agreement.n_raters)} raters have a label", least=agreement.n_raters)
    return AMONG.get(name, Among(""))


def wanted_of(request: HttpRequest, agreement: QuestionAgreement) -> tuple[WantedItems, str]:
    """What the address asks for, and in words."""
    ids = {category["key"]: category["id"] for category in agreement.categories}
    names = {category["key"]: category["name"] or category["key"] for category in agreement.categories}
    has = request.GET.getlist("has")[:2]
    rater = _rater(request, agreement)
    says = request.GET.get("says", "")
    if any(key not in ids for key in (*has, *([says] if says else []))):
        raise Http404("The report has no such category.")
    among = among_of(request, agreement)
    parts = [f"somebody says “{names[key]}”" for key in has]
    if rater is not None:
        parts.append(f"{rater.key} says “{names[says]}”" if says else f"{rater.key} has a label")
    if among.words:
        parts.append(among.words)
    batch, finished = _round(request, agreement), _finished(request)
    if batch is not None:
        parts.append(f"labels of the round “{request.GET['round']}” count")
    if finished is not None:
        parts.append(f"the last label was made from {moment(finished[0])} to {moment(finished[1])}")
    wanted = WantedItems(
        both=tuple(ids[key] for key in has),
        rater=rater.id if rater else None,
        says=ids[says] if says and rater else None,
        differ=among.differ,
        least=among.least,
        most=MANY if among.most is None else among.most,
        abstained=among.abstained,
        batch=batch,
        finished=finished,
    )
    return wanted, "Items where " + " and ".join(parts) if parts else "All items with a label"


def _round(request: HttpRequest, agreement: QuestionAgreement) -> int | None:
    key = request.GET.get("round")
    if key is None:
        return None
    found = batches_of(agreement).get(key)
    if found is None:
        raise Http404("The report has no such round.")
    return found


def _finished(request: HttpRequest) -> tuple[datetime, datetime] | None:
    texts = [request.GET.get(name, "") for name in ("from", "to")]
    if not any(texts):
        return None
    try:
        since, until = (datetime.fromisoformat(text[:40]) for text in texts)
    except ValueError:
        raise Http404("From and to are moments, such as 2026-03-02T09:00:00+00:00.") from None
    if since.tzinfo is None or until.tzinfo is None:
        raise Http404("From and to need a time zone, such as +00:00.")
    return since, until


def _rater(request: HttpRequest, agreement: QuestionAgreement) -> Rater | None:
    key = request.GET.get("rater")
    if key is None:
        return None
    for rater in raters_of(agreement):
        if rater.key == key:
            return rater
    raise Http404("The report has no such rater.")
