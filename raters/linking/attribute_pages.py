"""Pages for raters' attributes: a form for one rater, a file for many."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from core.tables.faults import FileRefused
from core.tables.sources import bytes_of
from core.web.forms import require_form
from projects.access import project_to
from projects.attributes_form import AttributesForm
from projects.models import Project
from projects.roles import Permission
from raters.linking import actions as linking
from raters.linking.attributes_file import MAX_ROWS, describe_all, read_attributes

MAX_BYTES = 5_000_000
FAULTS_SHOWN = 50


@require_form
def attributes(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    rater = get_object_or_404(linking.raters_of(project).select_related("project"), pk=pk)
    form = AttributesForm.of(rater.attributes)
    if request.method == "POST":
        form = AttributesForm.sent(request.POST, before=rater.attributes)
        if not form.error:
            linking.describe(rater, form.attributes, by=request.user)
            messages.success(request, f"Saved the attributes of {rater.key}.")
            return redirect("raters", slug)
    back = reverse("raters", args=[slug])
    context = {"project": project, "form": form, "of": rater.key, "back": back, "back_words": "Raters"}
    return render(request, "items/attributes.html", context, status=400 if form.error else 200)


@require_form
def described_by_file(request: HttpRequest, slug: str) -> HttpResponse:
    """Preview a file or pasted rows, and save them on confirmation."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    if request.method != "POST":
        return _page(request, project)
    content = _uploaded_table(request)
    if not content.strip():
        return _page(request, project, refusal="Choose a file, or paste rows.", status=400)
    if len(content) > MAX_BYTES:
        return _page(request, project, refusal="The file is larger than 5 MB.", status=413)
    try:
        if "is_confirmed" in request.POST:
            n = describe_all(project, bytes_of(content), by=request.user)
            messages.success(request, f"Saved the attributes of {n:,} rater{'' if n == 1 else 's'}.")
            return redirect("raters", slug)
        found = read_attributes(project, bytes_of(content))
    except FileRefused as refused:
        faults = refused.faults
        more = {"faults": faults.listed[:FAULTS_SHOWN], "n_faults": faults.n}
        return _page(request, project, **more, text=request.POST.get("text", ""), status=400)
    return _page(request, project, changes=found.changes, n_raters=len(found.raters), text=found.text)


def _uploaded_table(request: HttpRequest) -> bytes:
    file = request.FILES.get("file")
    if file is None:
        return request.POST.get("text", "").strip("\r\n").encode()
    return b"".join(file.chunks()) if (file.size or 0) <= MAX_BYTES else b" " * MAX_BYTES + b"x"


def _page(request: HttpRequest, project: Project, *, status: int = 200, **found: Any) -> HttpResponse:
    nothing = {"refusal": "", "faults": [], "n_faults": 0, "changes": None, "n_raters": 0, "text": ""}
    context = {"project": project, "most": MAX_ROWS, **nothing, **found}
    return render(request, "raters/attributes.html", context, status=status)
