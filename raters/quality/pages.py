"""Quality pages for leads and auditors: rules with false-alarm rates, alerts, and paused raters."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from core.web.forms import posted, require_form
from core.web.paging import page_of
from core.web.refusals import refusals_in_form
from projects.access import permissions_in, project_to
from projects.models import Project
from projects.roles import Permission
from raters.models import QualityRule, Rater
from raters.quality.alerts import alerts_of, close_alert, raters_at_work
from raters.quality.forms import NoteForm, QualityRuleForm
from raters.quality.pausing import pause_rater, resume_rater
from raters.quality.rules import (
    LONG_RUN,
    FalseAlarms,
    RuleSettings,
    change_rule,
    false_alarms,
    share_of_fast,
    unsaved,
    words_of,
)

Kind = QualityRule.Kind


@dataclass(frozen=True, slots=True)
class RuleRow:
    """rule: None if there is no rule of this kind. alarms: false alarms of an active rule."""

    kind: QualityRule.Kind
    rule: QualityRule | None
    words: str
    alarms: FalseAlarms | None


@require_safe
def quality(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_ORIGINS)
    page = page_of(request, alerts_of(project))
    context = {
        "project": project,
        "rules": rule_rows(project),
        "page": page,
        "alerts": list(page),
        "raters": list(raters_at_work(project)),
        "may_edit": Permission.EDIT_PROJECT in permissions_in(request.user, project),
        "long_run": LONG_RUN,
    }
    return render(request, "quality/quality.html", context)


def rule_rows(project: Project) -> list[RuleRow]:
    known = {rule.kind: rule for rule in project.quality_rules.all()}
    return [_row(kind, known.get(kind)) for kind in Kind]


def _row(kind: QualityRule.Kind, rule: QualityRule | None) -> RuleRow:
    if rule is None:
        return RuleRow(kind, None, "", None)
    return RuleRow(kind, rule, words_of(rule), false_alarms(rule) if rule.is_active else None)


@require_form
def rule(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Change a rule. Without `save`, only show it with its false-alarm rate."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    if kind not in Kind.values:
        raise Http404("No such rule.")
    known = project.quality_rules.filter(kind=kind).first()
    settings = RuleSettings() if known is None else RuleSettings.of(known)
    form = QualityRuleForm(posted(request), kind=kind, settings=settings)
    shown: QualityRule | None = None
    if not form.is_bound:
        shown = unsaved(project, kind, settings) if known is None else known
    elif form.is_valid():
        with refusals_in_form(form):
            shown = unsaved(project, kind, form.settings)
            if "save" in request.POST:
                change_rule(project, kind, form.settings, by=request.user)
                messages.success(request, f"{Kind(kind).label} saved.")
                return redirect("quality", slug)
    context = {
        "project": project,
        "kind": Kind(kind),
        "form": form,
        "words": words_of(shown) if shown else "",
        "alarms": false_alarms(shown) if shown else None,
        "fast": share_of_fast(project, shown.seconds) if shown and shown.seconds else None,
        "shown": shown,
        "long_run": LONG_RUN,
    }
    return render(request, "quality/rule.html", context, status=400 if form.errors else 200)


@require_POST
def close(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    alert = get_object_or_404(project.quality_alerts.select_related("rater"), pk=pk)
    form = NoteForm(request.POST)
    if form.is_valid():
        close_alert(alert, by=request.user, **form.cleaned_data)
        goes_on = f" {alert.rater} gets items again." if form.cleaned_data["resumes"] else ""
        messages.success(request, f"Alert closed.{goes_on}")
    else:
        messages.warning(request, f"The note is not valid: {form.errors['note'][0]}")
    return redirect("quality", slug)


@require_POST
def pause(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    rater = _rater(request, slug, pk)
    form = NoteForm(request.POST)
    if form.is_valid():
        pause_rater(rater, by=request.user, note=form.cleaned_data["note"])
        messages.success(request, f"{rater} is paused and gets no more items.")
    else:
        messages.warning(request, f"The message is not valid: {form.errors['note'][0]}")
    return redirect("quality", slug)


@require_POST
def resume(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    rater = _rater(request, slug, pk)
    resume_rater(rater, by=request.user)
    messages.success(request, f"{rater} gets items again.")
    return redirect("quality", slug)


def _rater(request: HttpRequest, slug: str, pk: int) -> Rater:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    return get_object_or_404(Rater, project=project, pk=pk, kind=Rater.Kind.HUMAN)
