"""The pages of two raters on a question, and of the items behind their figures."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from projects.access import project_to
from projects.roles import Permission
from raters.access import log_label_access
from reports.pages import listed_items
from reports.pages.contexts import context_of
from reports.pages.kinds import pages_of
from reports.pages.loaders import counted_pair_of, pair_of


@require_safe
def pair(request: HttpRequest, slug: str, pk: int, question: int, a: int, b: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    if a > b:
        return redirect(reverse("pair", args=[slug, pk, question, b, a], query=request.GET))
    result, pair = pair_of(project, pk, question, a, b)
    pages = pages_of(result)
    return render(request, pages.PAIR, context_of(pages.pair(request, result, pair)))


@require_safe
def pair_items(request: HttpRequest, slug: str, pk: int, question: int, a: int, b: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    pair = counted_pair_of(project, pk, question, a, b)
    log_label_access(request.user, project, "items of a pair")
    return render(request, "reports/pair/items.html", context_of(listed_items.pair_items(request, pair)))


@require_safe
def pair_item(
    request: HttpRequest, slug: str, pk: int, question: int, a: int, b: int, item: int
) -> HttpResponse:
    """Show one item with all its labels, while browsing the items of a cell."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    page = listed_items.pair_item(request, project, counted_pair_of(project, pk, question, a, b), item)
    return render(request, "items/item.html", context_of(page))
