"""The pages of guidelines: what holds, what held before, and how they differ."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from core.web.forms import posted, require_form
from projects.access import project_to, rights_in
from projects.codebook.forms import GuidelinesForm
from projects.codebook.guidelines import GuidelinesChanged, difference, write_guidelines
from projects.codebook.guidelines_shown import guidelines_shown
from projects.queries import current_guidelines_version
from projects.roles import Right


@require_safe
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Right.SEE_PROJECT)
    context = {
        "project": project,
        "text": guidelines_shown(project),
        "versions": project.guidelines_versions.select_related("made_by").defer("text"),
        "may_edit": Right.EDIT_PROJECT in rights_in(request.user, project),
    }
    return render(request, "codebook/guidelines.html", context)


@require_safe
def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One version, and what it changed in the one before it."""
    project = project_to(request.user, slug, Right.SEE_PROJECT)
    versions = project.guidelines_versions.select_related("made_by")
    shown = get_object_or_404(versions, number=min(number, 32_767))
    before = versions.filter(number=number - 1).first()
    context = {
        "project": project,
        "version": shown,
        "text": guidelines_shown(project, shown.text),
        "before": before,
        "lines": difference(before.text, shown.text) if before else [],
        "after": versions.filter(number=number + 1).exists(),
    }
    return render(request, "codebook/guidelines_version.html", context)


@require_form
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Right.EDIT_PROJECT)
    number = current_guidelines_version(project)
    form = GuidelinesForm(posted(request), initial={"text": project.guidelines, "seen": number})
    status = 200
    if form.is_valid():
        try:
            now = write_guidelines(
                project, form.cleaned_data["text"], by=request.user, seen=form.cleaned_data["seen"]
            )
        except GuidelinesChanged as changed:
            # What was written stays in the form, and is sent again over the version that is named.
            form = GuidelinesForm({**request.POST.dict(), "seen": changed.number})
            form.add_error("text", f"{changed} Review it, copy over what you need, and save again.")
            status = 409
        else:
            messages.success(request, "Saved." if now != number else "No changes.")
            return redirect("guidelines", slug)
    context = {"project": project, "form": form}
    return render(
        request, "codebook/guidelines_edit.html", context, status=max(status, 400 if form.errors else 200)
    )
