"""The pages on which a server owner imports a project file: upload, preview, import."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST

from core.refusals import RefusedWithCode
from core.web.forms import posted, require_form
from projects.access import refuse_all_but_owners
from projects.media.lost import lost_in_words, lost_media
from raters.archive import uploads
from raters.archive.archive import BadProjectFile
from raters.archive.forms import ImportProjectForm, ProjectFileForm
from raters.archive.people import NameTaken
from raters.archive.project_import import import_project
from raters.models import ProjectUpload


@csrf_exempt
@require_form
def upload_project(request: HttpRequest) -> HttpResponse:
    """Check the permission, then set the file size limit, and only then read the body, including the CSRF token."""
    refuse_all_but_owners(request.user)
    if request.method == "POST":
        uploads.limit_upload(request)
    try:
        return _upload_project(request)
    except RefusedWithCode as refusal:
        return _upload_page(request, refusal=str(refusal), status=refusal.status_code)


@csrf_protect
def _upload_project(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _upload_page(request)
    form = ProjectFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _upload_page(request, form=form, status=400)
    try:
        upload = uploads.store_upload(form.cleaned_data["file"], by=request.user)  # type: ignore[arg-type]
    except BadProjectFile as bad:
        return _upload_page(request, refusal=str(bad), problems=bad.problems, status=400)
    return redirect(upload)


def _upload_page(
    request: HttpRequest, *, form: ProjectFileForm | None = None, status: int = 200, **found: Any
) -> HttpResponse:
    context = {"form": form or ProjectFileForm(), **found}
    return render(request, "projects/import.html", context, status=status)


@require_form
def project_upload(request: HttpRequest, pk: int) -> HttpResponse:
    """Preview an uploaded file; a POST imports it."""
    refuse_all_but_owners(request.user)
    upload = get_object_or_404(ProjectUpload, pk=pk, made_by=request.user)
    preview = uploads.preview_of(upload)
    form = ImportProjectForm(posted(request), preview=preview)
    if form.is_valid():
        try:
            return _import(request, upload, form)
        except NameTaken as taken:
            form.refuse(str(taken), people=taken.people, is_slug=bool(taken.slug))
        except BadProjectFile as bad:
            form.add_error(None, str(bad))
    context = {"upload": upload, "preview": preview, "form": form}
    return render(request, "projects/import_preview.html", context, status=400 if form.errors else 200)


def _import(request: HttpRequest, upload: ProjectUpload, form: ImportProjectForm) -> HttpResponse:
    with uploads.opened_upload(upload) as file:
        project = import_project(
            file,
            lead=request.user,  # type: ignore[arg-type]
            slug=form.cleaned_data["slug"],
            people=form.accounts,
            limits=uploads.upload_limits(),
        )
    upload.delete()
    messages.success(request, f"Imported {project.name}. You are its lead.")
    if lost := lost_in_words(lost_media(project.media.all())):
        messages.warning(request, f"{lost} The project file does not contain them; upload them again.")
    return redirect(project)


@require_POST
def cancel_upload(request: HttpRequest, pk: int) -> HttpResponse:
    refuse_all_but_owners(request.user)
    get_object_or_404(ProjectUpload, pk=pk, made_by=request.user).delete()
    messages.success(request, "Import canceled. Nothing was changed.")
    return redirect("projects")
