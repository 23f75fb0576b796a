"""Pages for deleting and restoring a project."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from core.web.forms import posted, require_form
from core.web.refusals import refusals_in_form
from projects.access import project_to_delete
from projects.deletion import actions as deletion
from projects.deletion.forms import DeletionForm


@require_form
def delete_project(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to_delete(request.user, slug)
    form = DeletionForm(posted(request), label_suffix="")
    if form.is_valid():
        with refusals_in_form(form, "name"):
            deletion.request_deletion(project, by=request.user, name=form.cleaned_data["name"])
            messages.success(request, f"{project.name} was deleted.")
            return redirect("project_delete", slug)
    # Not named `project`: that would show its tabs, which don't work once it is deleted.
    context = {
        "target": project,
        "form": form,
        "is_deleted": project.deletion_due_at is not None,
        "days": settings.PROJECT_DELETION_DAYS,
    }
    return render(request, "projects/delete.html", context, status=400 if form.errors else 200)


@require_POST
def restore_project(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to_delete(request.user, slug)
    deletion.restore(project, by=request.user)
    messages.success(request, f"{project.name} was restored.")
    return redirect("projects")
