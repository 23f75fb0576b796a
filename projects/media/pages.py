"""The page of a project's media files: existing files, missing ones, and the upload."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST

from core.refusals import RefusedWithCode
from core.web.forms import SearchForm, require_form
from core.web.paging import page_of
from projects.access import project_to
from projects.media.forms import MediaForm
from projects.media.media_files import remove
from projects.media.media_uploads import Upload, UploadOutcome, limit_upload
from projects.media.missing_files import missing_files
from projects.models import Project
from projects.roles import Permission

LISTED = 100


@csrf_exempt
@require_form
def media(request: HttpRequest, slug: str) -> HttpResponse:
    """Check rights first, then limit the upload, and only then read the body, including the CSRF token."""
    project = project_to(request.user, slug, Permission.IMPORT)
    if request.method == "POST":
        limit_upload(request)
    try:
        return _media(request, project)
    except TooManyFilesSent:
        most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        sentence = f"Select at most {most:,} files at a time, or upload a ZIP archive."
        return _page(request, project, refusal=sentence, status=413)
    except RefusedWithCode as refusal:
        return _page(request, project, refusal=str(refusal), status=refusal.status_code)


@csrf_protect
def _media(request: HttpRequest, project: Project) -> HttpResponse:
    if request.method != "POST":
        return _page(request, project)
    form = MediaForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, project, form=form, status=400)
    given = form.cleaned_data
    upload = Upload(project, by=request.user, folder=given["folder"], replace=given["replace"])
    outcome = upload.take_all((file.name, file.file) for file in given["file"])
    if outcome.refused:
        status = outcome.status_code if outcome.is_nothing else 200
        return _page(request, project, outcome=outcome, status=status)
    messages.success(request, in_words(outcome))
    return redirect("media", project.slug)


def in_words(outcome: UploadOutcome) -> str:
    """What was stored, in one sentence."""
    counts = {
        "added": len(outcome.added),
        "replaced": len(outcome.replaced),
        "unchanged": len(outcome.unchanged),
    }
    parts = [f"{n:,} {words}" for words, n in counts.items() if n]
    return f"Files: {', '.join(parts)}." if parts else "The upload contains no files."


@require_POST
def remove_media(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.IMPORT)
    found = get_object_or_404(project.media.select_related("project"), pk=pk)
    remove(found, by=request.user)
    messages.success(request, f"Removed {found.name}. Items that use it will show that it is missing.")
    return redirect("media", slug)


def _page(
    request: HttpRequest,
    project: Project,
    *,
    form: MediaForm | None = None,
    outcome: UploadOutcome | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    search = SearchForm(request.GET or None)
    rows = project.media.select_related("project", "added_by").order_by("name")
    context: dict[str, object] = {
        "project": project,
        "form": form or MediaForm(),
        "search": search,
        "page": page_of(request, rows.filter(name__icontains=search.words)),
        "missing": missing_files(project),
        "limit": settings.MEDIA_MAX_BYTES,
        "outcome": outcome,
        "taken": in_words(outcome) if outcome and not outcome.is_nothing else "",
        "refused": outcome.refused[:LISTED] if outcome else [],
        "n_refused": len(outcome.refused) if outcome else 0,
        "refusal": refusal,
    }
    return render(request, "media/list.html", context, status=status)
