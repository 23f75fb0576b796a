"""The pages of reports: request one, follow its progress, and see its questions."""

from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.web.paging import page_of
from projects.access import permissions_in, project_to
from projects.models import Project
from projects.roles import Permission
from raters.access import blindness_of
from raters.items.item_letters import are_hidden_from
from raters.notifications.notifying import mark_report_read
from raters.reporting import RoundAgreementChange
from reports.analysis.catalog import by_family
from reports.models import Report
from reports.pages.comparing.rounds_overview import rounds_overview
from reports.pages.contexts import context_of
from reports.pages.forms import NameForm, ReportForm
from reports.pages.loaders import report_of
from reports.pages.question.codebook_page import codebook
from reports.pages.report_list import courses_of, listed_reports
from reports.results import queries
from reports.results.round_wording import round_rule
from reports.store import requests as actions
from reports.store.naming import name_report
from reports.store.stored_result import StoredResult

REPORTS_ON_A_PAGE = 20


@login_not_required
@require_safe
def statistics_guide(request: HttpRequest) -> HttpResponse:
    """Show the meaning and source of each statistic, for everyone and without figures of any project."""
    return render(request, "reports/guide.html", {"families": by_family()})


@require_http_methods(["GET", "HEAD", "POST"])
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the reports and the form; a POST to the same page requests one, so that errors appear with the form."""
    permission = Permission.ASK_REPORTS if request.method == "POST" else Permission.SEE_LABELS
    project = project_to(request.user, slug, permission)
    form = ReportForm(
        request.POST if request.method == "POST" else None,
        project=project,
        names_hidden=are_hidden_from(request.user, project),
    )
    if form.is_valid():
        try:
            report = actions.request_report(project, by=request.user, **form.asked)  # type: ignore[arg-type]
        except actions.ReportRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            return _redirect_to_report(request, report)
    return _agreement_page(request, project, form)


def _redirect_to_report(request: HttpRequest, report: Report) -> HttpResponse:
    if report.state == Report.State.DONE:
        messages.info(request, "Nothing has changed since this report was computed, so it is still current.")
    return redirect(report)


def _agreement_page(request: HttpRequest, project: Project, form: ReportForm) -> HttpResponse:
    reports = project.reports.select_related("asked_by", "project").annotate(n_questions=Count("questions"))
    page = page_of(request, reports.order_by("-id"), size=REPORTS_ON_A_PAGE)
    done = [each.pk for each in page if each.state == Report.State.DONE]
    blindness = blindness_of(request.user, project)
    listed = listed_reports(list(page), blindness, has_rounds=form.has_rounds)
    permissions = permissions_in(request.user, project)
    context = {
        "project": project,
        "form": form,
        "page": page,
        "listed": listed,
        "courses": courses_of(listed),
        "n_done": len(done),
        # The last two, unless others are chosen.
        "two": done[1::-1],
        "headline": queries.headline_of(project, blindness),
        "may_ask": Permission.ASK_REPORTS in permissions,
        "may_edit": Permission.EDIT_PROJECT in permissions,
        "round_rule": round_rule(),
        "latest_rounds": next((each.rounds_used for each in listed if each.rounds_used), ""),
    }
    return render(request, "reports/agreement.html", context, status=400 if form.errors else 200)


@require_safe
def report(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    report = report_of(project, pk)
    if request.GET.get("part") == "progress":
        return render(request, "runs/_progress.html", {"run": report, "address": request.path})
    mark_report_read(report.pk, by=request.user)
    permissions = permissions_in(request.user, project)
    may_ask, may_share = Permission.ASK_REPORTS in permissions, Permission.SHARE_REPORTS in permissions
    if report.state != Report.State.DONE:
        context = {
            "project": project,
            "run": report,
            "cancel": reverse("report_cancel", args=[slug, pk]),
            "again": reverse("report_retry", args=[slug, pk]),
            "may_ask": may_ask,
        }
        return render(request, "reports/waiting.html", context)
    results = queries.results_of(report)
    if len(results) == 1:
        # Of a comparison before and after, the first page is the comparison.
        is_compared = actions.is_before_after(report) and not results[0].reason
        page = "report_time" if is_compared else "report_question"
        return redirect(page, slug, pk, results[0].row.question_id)
    more = {
        "may_ask": may_ask,
        "may_share": may_share,
        "changes": _changes(results) if actions.is_before_after(report) else [],
    }
    return render(request, "reports/codebook.html", context_of(codebook(report, results)) | more)


def _changes(results: Sequence[StoredResult]) -> list[RoundAgreementChange]:
    """Return what changed on each question since the round before."""
    overviews = [(result.row, rounds_overview(result)) for result in results]
    return [
        RoundAgreementChange(row.question.key, found.now, found.change, f"{row.question_id}/time/")
        for row, found in overviews
        if found is not None
    ]


@require_POST
def ask_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.ASK_REPORTS)
    try:
        report = actions.request_again(report_of(project, pk), by=request.user)  # type: ignore[arg-type]
    except actions.ReportRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("agreement", slug)
    return _redirect_to_report(request, report)


@require_POST
def before_after(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Request a report on the items of a round, in that round and in earlier ones."""
    project = project_to(request.user, slug, Permission.ASK_REPORTS)
    round_ = get_object_or_404(project.rounds, pk=pk)
    try:
        report = actions.request_before_after(round_, by=request.user)  # type: ignore[arg-type]
    except actions.ReportRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("round", slug, pk)
    return _redirect_to_report(request, report)


@require_POST
def rename(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    report = report_of(project_to(request.user, slug, Permission.ASK_REPORTS), pk)
    form = NameForm(request.POST)
    if form.is_valid():
        name_report(report, form.cleaned_data["name"], by=request.user)
    else:
        messages.error(request, f"The name was not changed. {' '.join(map(str, form.errors['name']))}")
    return redirect(report)


@require_POST
def cancel_report(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.ASK_REPORTS)
    if not actions.cancel_report(report_of(project, pk), by=request.user):  # type: ignore[arg-type]
        messages.warning(request, "This report has already ended.")
    return redirect("report", slug, pk)


@require_POST
def retry_report(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.ASK_REPORTS)
    if not actions.retry_report(report_of(project, pk), by=request.user):  # type: ignore[arg-type]
        messages.warning(request, "Only failed or canceled reports can be retried.")
    return redirect("report", slug, pk)
