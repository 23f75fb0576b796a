"""The page of one rater of a question, and the items behind its figures."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reports.pages.one_rater import rater_page
from reports.pages.one_rater_items import rater_items
from reports.rater_access import sight_of


@never_cache
@require_safe
def rater(request: HttpRequest, slug: str, pk: int, question: int, rater: int) -> HttpResponse:
    """One rater beside the others; the own page of a rater where the lead allows it."""
    sight = sight_of(request.user, slug, pk, rater, question=question)
    return render(request, "reports/rater.html", rater_page(request, sight))


@never_cache
@require_safe
def items(request: HttpRequest, slug: str, pk: int, question: int, rater: int) -> HttpResponse:
    sight = sight_of(request.user, slug, pk, rater, question=question)
    return render(request, "reports/rater_items.html", rater_items(request, sight))
