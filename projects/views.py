"""The pages for creating a project and changing its settings."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from core.web.forms import posted, require_form
from core.web.refusals import refusals_in_form
from projects import actions
from projects.access import project_to
from projects.codebook.copying import start_from
from projects.codebook.starters import starters
from projects.forms import NewProjectForm, ProjectForm
from projects.items.layout import field_names, sentence_on_unknown_fields
from projects.models import Project
from projects.roles import Permission


@require_form
def new_project(request: HttpRequest) -> HttpResponse:
    form = NewProjectForm(posted(request))
    if form.is_valid():
        project = _new_project(by=request.user, **form.cleaned_data)
        messages.success(request, "Project created. You are its lead.")
        return redirect(project)
    context = {"form": form, "starters": starters().values()}
    return render(request, "projects/new.html", context, status=400 if form.errors else 200)


@transaction.atomic
def _new_project(name: str, guidelines: str, starter: str, *, by: Any) -> Project:
    project = actions.create_project(name, by=by, guidelines=guidelines)
    if starter:
        start_from(starters()[starter], project, by=by)
    return project


@require_form
def edit_project(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    known = field_names(project.pk)
    form = ProjectForm(posted(request), instance=project, known=known)
    if form.is_valid():
        with refusals_in_form(form):
            actions.change_project(project, by=request.user, **form.cleaned_data)
            messages.success(request, "Saved.")
            if known and (sentence := sentence_on_unknown_fields(project, known)):
                messages.warning(request, sentence)
            return redirect(project)
    context = {
        "form": form,
        "project": Project.objects.get(pk=project.pk),
        "field_names": known,
        "unknown_fields": sentence_on_unknown_fields(project, known) if known and not form.is_bound else "",
    }
    return render(request, "projects/edit.html", context, status=400 if form.errors else 200)
