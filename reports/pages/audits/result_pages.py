"""The result of an audit, the differences to review, and its certificates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from core.templatetags.shown import in_percent
from core.web.refusals import refusals_as_messages
from projects.access import AnyUser, permissions_in, project_to
from projects.items.content import RenderedField, fields_of
from projects.models import Project
from projects.roles import Permission
from raters.audits.assigning import assign
from raters.audits.judging import JudgedLabel, JudgmentState, review
from raters.audits.population import GIVEN, RATER, names_by_key
from raters.models import Audit, AuditCertificate, AuditedLabel
from raters.models.audits import MAX_NOTE, words_of
from raters.rounds.forms import who_may_label
from raters.rounds.states import open_round, rounds_of
from reports.analysis.audit_analysis import AuditResult, GroupShare
from reports.drawing.picture import Picture
from reports.pages.audits.drawing_pages import audit_of
from reports.pages.contexts import PageSection, context_of
from reports.pictures.audit_plot import audit_plot
from reports.results.audits.audit_results import (
    EvaluatedAudit,
    ReviewedDifferences,
    confidence_of,
    read_audit,
)
from reports.results.audits.certificates import CertificateCheck, certificate_rows, issue_certificate
from reports.results.audits.prose import AuditProse, prose_of
from reports.results.audits.wording import (
    decision_in_words,
    division_name,
    expected_in_words,
    in_whole_numbers,
    kappa_in_words,
    reliability_in_words,
    shown_share,
    verdict_of,
)

PER_PAGE = 25
# Categories of the confusion matrix on the page, and groups of a table.
MOST_CATEGORIES, FIRST_ROWS, MOST_ROWS = 20, 8, 200


@dataclass(frozen=True, slots=True)
class AuditGroupRow:
    value: str
    size: int | None
    n: int
    n_wrong: int
    share: str
    limits: str


@dataclass(frozen=True, slots=True)
class GroupTable:
    """rows: the first ones. further: those shown on demand. n_more: those only in the export."""

    name: str
    rows: Sequence[AuditGroupRow]
    further: Sequence[AuditGroupRow]
    n_more: int


@dataclass(frozen=True, slots=True)
class ConfusionRow:
    """A category that labels were given in. cells: whole numbers that sum to `size`, each with whether it is on the
    diagonal; empty if no such label is audited. unknown: without a known right category.
    """

    name: str
    cells: Sequence[tuple[int, bool]]
    unknown: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSection(PageSection):
    """The result as shown. has_unknown: whether the right category of some audited label is unknown."""

    read: EvaluatedAudit
    result: AuditResult
    differences: ReviewedDifferences
    verdict: str
    decision: str
    value: str
    limits: str
    expected: tuple[str, str]
    reliability: str
    kappa: tuple[str, str] | None
    severities: Sequence[tuple[str, int, str, str]]
    tables: Sequence[GroupTable]
    categories: Sequence[str]
    confusion: Sequence[ConfusionRow]
    has_unknown: bool
    plot: Picture | None
    prose: AuditProse
    percent_level: str
    unit: str


def section_of(read: EvaluatedAudit, *, shows_raters: bool) -> AuditSection:
    result = read.result
    value, limits = shown_share(result.share)
    plan = read.plan
    decision = decision_in_words(read)
    names = names_by_key(read.audit.question)
    has_confusion = bool(result.confusion) and len(result.categories) <= MOST_CATEGORIES
    return AuditSection(
        read=read,
        result=result,
        differences=read.differences,
        verdict=verdict_of(read),
        decision=decision,
        value=value,
        limits=limits,
        expected=expected_in_words(result),
        reliability=reliability_in_words(read),
        kappa=kappa_in_words(result),
        severities=[(each.severity, each.n, *shown_share(each.share)) for each in result.severities],
        tables=[
            _table(by, groups, names if by == GIVEN else {})
            for by, groups in result.groups.items()
            if len(groups) > 1 and (shows_raters or by != RATER)
        ],
        categories=[names.get(key, key) for key in result.categories] if has_confusion else [],
        confusion=_confusion_rows(result, names) if has_confusion else [],
        has_unknown=result.n_unknown > 0,
        plot=audit_plot(plan, result.path, description=f"{decision} Same data in the table of looks")
        if plan
        else None,
        prose=prose_of(read),
        percent_level=in_percent(f"{100 * confidence_of(read.audit):.0f}"),
        unit="label" if read.audit.unit == Audit.Unit.LABEL else "item",
    )


def _confusion_rows(result: AuditResult, names: Mapping[str, str]) -> list[ConfusionRow]:
    found = []
    rows = zip(result.categories, result.confusion or (), result.confusion_unknown, strict=True)
    for place, (key, cells, unknown) in enumerate(rows):
        known = [cell for cell in (*cells, unknown) if cell is not None]
        size = result.given_sizes[place] if result.given_sizes else round(sum(known))
        *whole, n_unknown = in_whole_numbers(known, size) if known else [0]
        found.append(
            ConfusionRow(
                names.get(key, key), [(n, place == column) for column, n in enumerate(whole)], n_unknown, size
            )
        )
    return found


def _table(by: str, groups: Sequence[GroupShare], names: Mapping[str, str]) -> GroupTable:
    """Those that are surely worse come first: a rater with one wrong label of one is not the worst.

    names: of values that are keys.
    """
    ordered = sorted(groups, key=lambda each: (-(each.share.low or 0), -(each.share.value or 0)))
    rows = [
        AuditGroupRow(
            names.get(each.value, each.value), each.size, each.share.n, each.n_wrong, *shown_share(each.share)
        )
        for each in ordered[:MOST_ROWS]
    ]
    n_more = max(len(groups) - MOST_ROWS, 0)
    return GroupTable(division_name(by), rows[:FIRST_ROWS], rows[FIRST_ROWS:], n_more)


def _audit(user: AnyUser, slug: str, permission: Permission) -> tuple[Project, Audit]:
    project = project_to(user, slug, permission)
    audit = audit_of(project)
    if audit is None:
        raise Http404("This project is not an audit.")
    return project, audit


@require_safe
def audit(request: HttpRequest, slug: str) -> HttpResponse:
    project, found = _audit(request.user, slug, Permission.SEE_LABELS)
    permissions = permissions_in(request.user, project)
    read = read_audit(found)
    rounds = list(rounds_of(project))
    context = {
        "project": project,
        "audit": found,
        "rounds": rounds,
        "planned": next((each for each in rounds if each.state == each.State.DRAFT), None),
        "is_over": read.is_complete
        and read.result.decision is not None
        and project.rounds.filter(state="open", assignments__state="pending").exists(),
        "may_draw_second": needs_second(read),
        "certificates": found.certificates.select_related("issued_by").defer("content")[:10],
        "may_edit": Permission.EDIT_PROJECT in permissions,
        "may_review": Permission.ADJUDICATE in permissions,
        "auditors": who_may_label(project),
    } | context_of(section_of(read, shows_raters=_shows_raters(project, permissions)))
    return render(request, "audits/result.html", context)


def needs_second(read: EvaluatedAudit) -> bool:
    """Whether the first sample is audited and undecided, and the second one is not assigned."""
    plan, decision = read.plan, read.result.decision
    if plan is None or decision is None or len(plan.looks) != 2 or decision.accepts is not None:
        return False
    unassigned = read.audit.project.items.filter(assignments=None, audited_labels__audit=read.audit)
    return decision.n >= plan.looks[0].n and unassigned.exists()


def _shows_raters(project: Project, permissions: frozenset[Permission]) -> bool:
    """Whether the names of those who gave the labels are shown: reviewers do without, to judge labels, not people."""
    is_reviewer = Permission.ADJUDICATE in permissions and Permission.EDIT_PROJECT not in permissions
    return not is_reviewer or project.adjudicators_see_names


class AuditorsForm(forms.Form):
    auditors: "forms.ModelMultipleChoiceField[Any]" = forms.ModelMultipleChoiceField(queryset=None)

    def __init__(self, *args: Any, project: Project) -> None:
        super().__init__(*args)
        self.fields["auditors"].queryset = who_may_label(project)  # type: ignore[attr-defined]


@require_POST
def audit_assign(request: HttpRequest, slug: str) -> HttpResponse:
    """Assign the items of the sample that are not assigned yet: the second sample."""
    project, found = _audit(request.user, slug, Permission.EDIT_PROJECT)
    form = AuditorsForm(request.POST, project=project)
    if not needs_second(read_audit(found)):
        messages.warning(request, "The audit needs no second sample.")
        return redirect("audit", slug)
    if not form.is_valid():
        messages.warning(request, "Choose at least one auditor.")
        return redirect("audit", slug)
    with refusals_as_messages(request):
        round_ = assign(
            found,
            list(form.cleaned_data["auditors"]),
            up_to_unit=sum(each["drawn"] for each in found.strata),
            by=request.user,
        )
        messages.success(request, f"{round_.key} is assigned. Open it when auditors can start.")
    return redirect("audit", slug)


@require_POST
def audit_open(request: HttpRequest, slug: str) -> HttpResponse:
    """Open the planned round of the audit."""
    project, _ = _audit(request.user, slug, Permission.EDIT_PROJECT)
    planned = project.rounds.filter(state="draft").order_by("position").first()
    if planned is not None:
        with refusals_as_messages(request):
            open_round(planned, by=request.user)
            messages.success(request, "Auditors can start.")
    return redirect("audit", slug)


class ReviewForm(forms.Form):
    verdict = forms.ChoiceField(choices=[("", ""), *AuditedLabel.Verdict.choices], required=False)
    severity = forms.ChoiceField(choices=[("", ""), *AuditedLabel.Severity.choices], required=False)
    note = forms.CharField(max_length=MAX_NOTE, required=False)
    # The audited label that the reviewer saw, by keys.
    seen = forms.CharField(required=False, empty_value=None)


SHOWN = {"open": "To review", "reviewed": "Reviewed", "all": "All differences"}


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """fields: the content of the item. seen: the audited label by keys, which do not change."""

    label: JudgedLabel
    fields: Sequence[RenderedField]
    given: str
    audited: str
    seen: str
    outcome: str


@require_safe
def audit_review(request: HttpRequest, slug: str) -> HttpResponse:
    """List differences between given and audited labels. Names of raters are not shown."""
    project, found = _audit(request.user, slug, Permission.SEE_LABELS)
    labels = read_audit(found).labels
    shown = request.GET.get("show", "open")
    chosen = {
        "open": [each for each in labels if each.is_to_review],
        "reviewed": [each for each in labels if each.is_reviewed],
    }.get(
        shown,
        [
            each
            for each in labels
            if each.is_different or each.is_reviewed or each.state is JudgmentState.UNDECIDED
        ],
    )
    page = Paginator(chosen, PER_PAGE).get_page(request.GET.get("page"))
    names = names_by_key(found.question)
    context = {
        "project": project,
        "audit": found,
        "rows": [_review_row(each, names) for each in page],
        "page": page,
        "shown": shown if shown in SHOWN else "all",
        "views": SHOWN,
        "verdicts": AuditedLabel.Verdict.choices,
        "severities": AuditedLabel.Severity.choices,
        "may_review": Permission.ADJUDICATE in permissions_in(request.user, project),
    }
    return render(request, "audits/review.html", context)


def _review_row(label: JudgedLabel, names: Mapping[str, str]) -> ReviewRow:
    outcome = f"{label.row.get_severity_display()} error" if label.severity else ""
    if label.is_reviewed and not outcome:
        outcome = "Wrong" if label.is_wrong else "Right"
    return ReviewRow(
        label,
        fields_of(label.row.item),
        given=words_of(label.given, names),
        audited=words_of(label.audited, names) or "none",
        seen=words_of(label.audited),
        outcome=outcome,
    )


@require_POST
def audit_review_label(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    _, found = _audit(request.user, slug, Permission.ADJUDICATE)
    get_object_or_404(found.labels, pk=pk)
    form = ReviewForm(request.POST)
    if form.is_valid():
        with refusals_as_messages(request):
            review(found, pk, by=request.user, **form.cleaned_data)
    else:
        messages.warning(
            request,
            "This verdict is not valid. Choose whether the given label is right, and how severe the error is.",
        )
    response = redirect("audit_review", slug)
    if query := request.GET.urlencode():
        response["Location"] += f"?{query}"
    return response


@require_POST
def audit_certify(request: HttpRequest, slug: str) -> HttpResponse:
    _, found = _audit(request.user, slug, Permission.EDIT_PROJECT)
    made = issue_certificate(found, by=request.user)
    messages.success(request, "Certificate issued.")
    return redirect("audit_certificate", slug, made.pk)


def certificate_of(user: AnyUser, slug: str, pk: int) -> tuple[Project, AuditCertificate]:
    project, found = _audit(user, slug, Permission.SEE_LABELS)
    rows = AuditCertificate.objects.select_related("issued_by", "audit__project", "audit__question")
    return project, get_object_or_404(rows, audit=found, pk=pk)


@require_safe
def audit_certificate(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show a certificate as it was issued, and whether it still holds."""
    project, certificate = certificate_of(request.user, slug, pk)
    context: dict[str, object] = {
        "project": project,
        "audit": certificate.audit,
        "certificate": certificate,
        "check": CertificateCheck(certificate),
        "rows": certificate_rows(certificate.content),
        "content": certificate.content,
    }
    return render(request, "audits/certificate.html", context)
