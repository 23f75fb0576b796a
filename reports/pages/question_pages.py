"""The pages of one question of a report: figures, raters, categories, network, and the items behind numbers."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_POST, require_safe

from core.keys import MAX_KEY
from core.numbers import whole_number
from core.web.refusals import refusals_as_messages
from projects.access import permissions_in, project_to
from projects.items.lists import MOST_ITEMS, make_list
from projects.roles import Permission
from raters.access import log_label_access
from reports.models import FindingNote
from reports.pages import listed_items
from reports.pages.comparing.rounds_overview import rounds_overview
from reports.pages.contexts import context_of
from reports.pages.kinds import pages_of
from reports.pages.loaders import (
    categories_of,
    compared,
    computed_result_of,
    listed_result_of,
    result_of,
    stated_result_of,
)
from reports.pages.question.category_page import category_context
from reports.pages.question.confidence_page import confidence_page
from reports.pages.question.models_section import models_section
from reports.pages.question.network_page import network_context
from reports.results.addresses import items_address, question_address
from reports.results.findings import with_notes
from reports.results.followed_findings import followed_findings
from reports.results.items.query import ItemQuery
from reports.results.items.question_items import items_of_question
from reports.store.finding_notes import UnknownFinding, note_finding

# As many items as a team can discuss at once.
DISCUSSED = 20


@require_safe
# A matrix of 200 raters has 1.5 megabytes, which compress to a seventh.
@gzip_page
def question(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = result_of(project, pk, question)
    pages, permissions = pages_of(result), permissions_in(request.user, project)
    more = {
        "may_ask": Permission.ASK_REPORTS in permissions,
        "may_share": Permission.SHARE_REPORTS in permissions,
        "most_note": FindingNote.MAX_TEXT,
        "rounds_overview": rounds_overview(result),
        "models": models_section(result),
    }
    context = context_of(pages.question(request, result))
    findings, followed = context.get("findings"), None
    # Notes name their authors and the raters they concern, so guests do not see them.
    if request.user.is_authenticated:
        findings, followed = with_notes(findings, result), followed_findings(result)
    return render(request, pages.QUESTION, context | more | {"findings": findings, "followed": followed})


@require_POST
def finding_note(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Save a note on one of the findings of the report."""
    project = project_to(request.user, slug, Permission.ASK_REPORTS)
    result = result_of(project, pk, question)
    finding, text = (request.POST.get(name, "").strip() for name in ("finding", "text"))
    with refusals_as_messages(request):
        try:
            note_finding(result, finding, text, by=request.user)
        except UnknownFinding as unknown:
            raise Http404(str(unknown)) from None
        messages.success(request, "Saved the note.")
    return redirect(f"{question_address(result.row)}#findings")


@require_safe
def raters(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show each rater; for single choices, also compared with the consensus and the reference."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = computed_result_of(project, pk, question)
    return render(request, "reports/rater/list.html", context_of(pages_of(result).raters(request, result)))


@require_safe
def categories(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show the categories of a single choice: agreement on each, confusions, and raters' biases."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = categories_of(project, pk, question)
    return render(request, "reports/question/categories.html", context_of(category_context(result)))


@require_safe
def confidence(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show raters' confidence in their labels, and how often these were right."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = stated_result_of(project, pk, question)
    page = confidence_page(result, reference=request.GET.get("reference", ""))
    return render(request, "reports/question/confidence.html", context_of(page))


@require_safe
def network(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Show which raters agree above a cutoff, for more raters than a matrix can show clearly."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = compared(result_of(project, pk, question))
    return render(request, "reports/question/network.html", context_of(network_context(request, result)))


@require_safe
def items(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """List the items behind an overall figure, most disputed first."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    result = listed_result_of(project, pk, question)
    log_label_access(request.user, project, "items of a question")
    more = {
        "may_list": Permission.ASK_REPORTS in permissions_in(request.user, project),
        "most_listed": MOST_ITEMS,
    }
    context = context_of(listed_items.question_items(request, result)) | more
    return render(request, "reports/question/items.html", context)


@require_POST
def items_list(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Save the first of these items as an item list."""
    project = project_to(request.user, slug, Permission.ASK_REPORTS)
    result = listed_result_of(project, pk, question)
    name = request.POST.get("name", "").replace("\0", "").strip()[:MAX_KEY]
    n = whole_number(request.POST.get("n", ""), least=1, most=MOST_ITEMS) or DISCUSSED
    rows, _ = items_of_question(ItemQuery.parsed(request.GET), result).page(0, n)
    back = items_address(result.row, ItemQuery.parsed(request.GET))
    made = None
    with refusals_as_messages(request):
        name = name or f"{result.question.key}: {len(rows)} items"
        made = make_list(project, name, [row.item.pk for row in rows], by=request.user)
    return redirect("item_list", project.slug, made.pk) if made else redirect(back)
