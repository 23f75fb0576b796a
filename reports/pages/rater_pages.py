"""The page of one rater on a question, the items behind its figures, and its pictures."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from reports.access import rater_access
from reports.pages.contexts import context_of
from reports.pages.listed_items import rater_items
from reports.pages.picture_pages import parts_of, picture_response
from reports.pages.rater.drift_windows import drift_picture
from reports.pages.rater.rater_page import distribution_picture, rater_page

PICTURES = {"drift": drift_picture, "distribution": distribution_picture}


@require_safe
def rater(request: HttpRequest, slug: str, pk: int, question: int, rater: int) -> HttpResponse:
    """Show one rater compared with the others, or raters their own page, if the lead allows it."""
    access = rater_access(request.user, slug, pk, rater, question=question)
    return render(request, "reports/rater/page.html", context_of(rater_page(request, access)))


@require_safe
def items(request: HttpRequest, slug: str, pk: int, question: int, rater: int) -> HttpResponse:
    access = rater_access(request.user, slug, pk, rater, question=question)
    return render(request, "reports/rater/items.html", context_of(rater_items(request, access)))


@require_safe
def picture(request: HttpRequest, slug: str, pk: int, question: int, rater: int, file: str) -> HttpResponse:
    """Return a picture of the rater over time, or of the rater's use of categories, as a file."""
    access = rater_access(request.user, slug, pk, rater, question=question)
    which, extension = parts_of(file, PICTURES)
    name = f"{access.agreement.question.key}-{access.rater.key}-{which}"
    answer = picture_response(request, access.agreement.report, PICTURES[which](access), name, extension)
    return answer or redirect("report_rater", slug, pk, question, rater)
