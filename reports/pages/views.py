"""The pages of agreement: ask, follow, matrix, pair, and the items behind a cell."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from core.web.paging import page_of
from projects.access import project_to, rights_in
from projects.models import Project, Question
from projects.roles import Right
from raters.access import blindness_of, note_look
from reports.analysis.catalogue import by_family
from reports.analysis.reasons import UNFIT
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.pages.comparing import sides as compare_contexts
from reports.pages.comparing.later import when_computed
from reports.pages.forms import ReportForm
from reports.pages.pair import items as behind_pair
from reports.pages.pair import page as pair_page
from reports.pages.question import categories as category_contexts
from reports.pages.question import codebook as codebook_page
from reports.pages.question import items as question_items
from reports.pages.question import other_contexts
from reports.pages.question import page as question_page
from reports.pages.rater import everyone as rater_contexts
from reports.results import queries
from reports.store import requests as actions
from reports.store.agreements import scope_of

REPORTS_ON_A_PAGE = 20


@login_not_required
@require_safe
def statistics_guide(request: HttpRequest) -> HttpResponse:
    """What each statistic says and where it was published; for everyone, with no figure of any project."""
    return render(request, "reports/guide.html", {"families": by_family()})


@require_http_methods(["GET", "HEAD", "POST"])
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """Asking is a POST to the same page, so that a refusal is shown beside the form."""
    right = Right.ASK_REPORTS if request.method == "POST" else Right.SEE_LABELS
    project = project_to(request.user, slug, right)
    form = ReportForm(request.POST if request.method == "POST" else None, project=project)
    if form.is_valid():
        try:
            report = actions.request_report(project, by=request.user, **form.asked)  # type: ignore[arg-type]
        except actions.ReportRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            return _asked(request, report)
    return _agreement_page(request, project, form)


def _asked(request: HttpRequest, report: Report) -> HttpResponse:
    if report.state == Report.State.DONE:
        messages.info(request, "Nothing has changed since this report was computed, so it is still current.")
    return redirect(report)


def _agreement_page(request: HttpRequest, project: Project, form: ReportForm) -> HttpResponse:
    reports = project.reports.select_related("asked_by", "project").annotate(n_questions=Count("questions"))
    page = page_of(request, reports.order_by("-id"), size=REPORTS_ON_A_PAGE)
    done = [each.pk for each in page if each.state == Report.State.DONE]
    context = {
        "project": project,
        "form": form,
        "page": page,
        "n_done": len(done),
        # Before and after, unless somebody chooses others.
        "two": done[1::-1],
        "headline": queries.headline_of(project, blindness_of(request.user, project)),
        "may_ask": Right.ASK_REPORTS in rights_in(request.user, project),
    }
    return render(request, "reports/agreement.html", context, status=400 if form.errors else 200)


@require_safe
def report(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Right.SEE_LABELS)
    report = report_of(project, pk)
    if request.GET.get("part") == "progress":
        return render(request, "runs/_progress.html", {"run": report, "address": request.path})
    may_ask = Right.ASK_REPORTS in rights_in(request.user, project)
    if report.state != Report.State.DONE:
        return render(request, "reports/waiting.html", _waiting(project, report) | {"may_ask": may_ask})
    agreements = list(
        report.questions.select_related("question")
        .defer("raters", "statistics")
        .order_by("question__position", "question_id")
    )
    if len(agreements) == 1:
        return redirect("report_question", slug, pk, agreements[0].question_id)
    context = codebook_page.codebook(project, report, agreements) | {"may_ask": may_ask}
    return render(request, "reports/codebook.html", context)


@require_POST
def ask_again(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Right.ASK_REPORTS)
    try:
        report = actions.request_again(report_of(project, pk), by=request.user)  # type: ignore[arg-type]
    except actions.ReportRefused as refusal:
        messages.error(request, str(refusal))
        return redirect("agreement", slug)
    return _asked(request, report)


def _waiting(project: Project, report: Report) -> dict[str, Any]:
    return {
        "project": project,
        "run": report,
        "cancel": reverse("report_cancel", args=[project.slug, report.pk]),
        "again": reverse("report_retry", args=[project.slug, report.pk]),
    }


@require_POST
def cancel_report(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Right.ASK_REPORTS)
    if not actions.cancel_report(report_of(project, pk), by=request.user):  # type: ignore[arg-type]
        messages.warning(request, "This report has already ended.")
    return redirect("report", slug, pk)


@require_POST
def retry_report(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Right.ASK_REPORTS)
    if not actions.retry_report(report_of(project, pk), by=request.user):  # type: ignore[arg-type]
        messages.warning(request, "Only failed or canceled reports can be retried.")
    return redirect("report", slug, pk)


@require_safe
# A matrix of 200 raters has a megabyte and a half, of which a seventh goes over the line.
@gzip_page
def question(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    project = project_to(request.user, slug, Right.SEE_LABELS)
    agreement = agreement_of(project, pk, question)
    may_ask = {"may_ask": Right.ASK_REPORTS in rights_in(request.user, project)}
    if scope_of(agreement).kind != Question.Kind.SINGLE:
        context = other_contexts.question(request, project, agreement)
        return render(request, "reports/question/other.html", context | may_ask)
    return render(
        request, "reports/question/page.html", question_page.question(request, project, agreement) | may_ask
    )


@require_safe
def raters(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Each rater; of a single choice as the consensus sees them, and against the reference."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    agreement = computed_agreement_of(project, pk, question)
    return render(request, "reports/rater/everyone.html", rater_contexts.raters(request, project, agreement))


@require_safe
def categories(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """The categories of a single choice: how far each is agreed on, what is confused, who leans where."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    agreement = single_choice_of(project, pk, question)
    return render(
        request, "reports/question/categories.html", category_contexts.categories(project, agreement)
    )


@require_safe
def items(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """The items behind a figure of all raters, the most disputed first."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    agreement = agreement_of(project, pk, question)
    if agreement.reason in UNFIT:
        raise Http404("Items are not listed, because this question could not be computed.")
    note_look(request.user, project, "items of a question")
    return render(request, "reports/question/items.html", question_items.items(request, project, agreement))


@require_safe
@when_computed
def compare(request: HttpRequest, slug: str, pk: int, question: int) -> HttpResponse:
    """Two rounds, reports, pairs or groups of raters of one question, with the difference of their figures."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    agreement = computed_agreement_of(project, pk, question)
    context = compare_contexts.comparison(request, project, agreement)
    return render(
        request, "reports/comparing/compare.html", context, status=400 if context["refusal"] else 200
    )


@require_safe
def pair(request: HttpRequest, slug: str, pk: int, question: int, a: int, b: int) -> HttpResponse:
    project = project_to(request.user, slug, Right.SEE_LABELS)
    if a > b:
        return redirect(reverse("pair", args=[slug, pk, question, b, a], query=request.GET))
    pair = pair_of(project, pk, question, a, b)
    if pair.figures is not None:
        return render(request, "reports/pair/other.html", other_contexts.pair(request, project, pair))
    return render(request, "reports/pair/page.html", pair_page.pair(request, project, pair))


@require_safe
def pair_items(request: HttpRequest, slug: str, pk: int, question: int, a: int, b: int) -> HttpResponse:
    project = project_to(request.user, slug, Right.SEE_LABELS)
    pair = counted_pair_of(project, pk, question, a, b)
    note_look(request.user, project, "items of a pair")
    return render(request, "reports/pair/items.html", behind_pair.pair_items(request, project, pair))


@require_safe
def pair_item(
    request: HttpRequest, slug: str, pk: int, question: int, a: int, b: int, item: int
) -> HttpResponse:
    """One item with all its labels, on the way through the items of a cell."""
    project = project_to(request.user, slug, Right.SEE_LABELS)
    context = behind_pair.pair_item(request, project, counted_pair_of(project, pk, question, a, b), item)
    return render(request, "items/item.html", context)


def report_of(project: Project, pk: int) -> Report:
    return get_object_or_404(project.reports.select_related("project", "asked_by"), pk=pk)


def agreement_of(project: Project, pk: int, question: int) -> QuestionAgreement:
    """The results of one question of a finished report of the project."""
    agreements = QuestionAgreement.objects.select_related("report__project", "question")
    return get_object_or_404(agreements, report__project=project, report=pk, question=question)


def computed_agreement_of(project: Project, pk: int, question: int) -> QuestionAgreement:
    """The results of a question that could be computed, of whatever kind."""
    agreement = agreement_of(project, pk, question)
    if agreement.reason:
        raise Http404("This question has nothing to compare.")
    return agreement


def single_choice_of(project: Project, pk: int, question: int) -> QuestionAgreement:
    """The results of a question whose labels are one category each, and that could be computed."""
    agreement = agreement_of(project, pk, question)
    if scope_of(agreement).kind != Question.Kind.SINGLE or agreement.reason in UNFIT:
        raise Http404("This question has no results by category.")
    return agreement


def pair_of(project: Project, pk: int, question: int, a: int, b: int) -> PairAgreement:
    agreement = agreement_of(project, pk, question)
    pair = agreement.pairs.select_related("rater_a", "rater_b").filter(rater_a=a, rater_b=b).first()
    if pair is None:
        raise Http404("These two raters share no items.")
    pair.agreement = agreement
    return pair


def counted_pair_of(project: Project, pk: int, question: int, a: int, b: int) -> PairAgreement:
    """A pair with a table of counts, whose cells have items behind them."""
    pair = pair_of(project, pk, question, a, b)
    if pair.figures is not None:
        raise Http404("Only single-choice questions have a confusion matrix.")
    return pair
