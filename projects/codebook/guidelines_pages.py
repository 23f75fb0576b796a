"""The pages of guidelines: the current text, earlier versions, and diffs."""

import zlib

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from core.refusals import Refused
from core.web.forms import posted, require_form
from projects.access import permissions_in, project_to
from projects.codebook.drafts import Editor, draft_context, draft_of
from projects.codebook.forms import MAX_SEEN, GuidelinesForm
from projects.codebook.guidelines import GuidelinesChanged, difference, write_guidelines
from projects.codebook.rendered_guidelines import rendered_guidelines
from projects.queries import current_guidelines_version
from projects.roles import Permission


@require_safe
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_PROJECT)
    context = {
        "project": project,
        "text": rendered_guidelines(project),
        "versions": project.guidelines_versions.select_related("made_by").defer("text"),
        "may_edit": Permission.EDIT_PROJECT in permissions_in(request.user, project),
    }
    context["draft"] = draft_context(project) if context["may_edit"] else None
    return render(request, "codebook/guidelines.html", context)


@require_safe
def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show one version, and its changes from the previous one."""
    project = project_to(request.user, slug, Permission.SEE_PROJECT)
    versions = project.guidelines_versions.select_related("made_by")
    shown = get_object_or_404(versions, number=min(number, 32_767))
    before = versions.filter(number=number - 1).first()
    context = {
        "project": project,
        "version": shown,
        "text": rendered_guidelines(project, shown.text),
        "before": before,
        "lines": difference(before.text, shown.text) if before else [],
        "after": versions.filter(number=number + 1).exists(),
    }
    return render(request, "codebook/guidelines_version.html", context)


@require_form
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Edit the guidelines, in a draft if raters already read them; `seen` identifies the text that was edited."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    editor, draft = Editor(project, request.user), draft_of(project)
    text = draft.guidelines if draft else project.guidelines
    seen = _digest(text) if editor.is_draft else current_guidelines_version(project)
    form = GuidelinesForm(posted(request), initial={"text": text, "seen": seen})
    status = 200
    if form.is_valid():
        given = form.cleaned_data
        try:
            if editor.is_draft and given["seen"] != seen:
                raise GuidelinesChanged(seen)
            if editor.is_draft:
                editor.do("write_guidelines", text=given["text"])
                now = _digest(given["text"])
            else:
                now = write_guidelines(project, given["text"], by=request.user, seen=given["seen"])
        except GuidelinesChanged as changed:
            # The text stays in the form, now based on the version named in the message.
            form = GuidelinesForm({**request.POST.dict(), "seen": changed.number})
            which = "Someone else changed the guidelines in the draft." if editor.is_draft else str(changed)
            form.add_error("text", f"{which} Review it, copy over what you need, and save again.")
            status = 409
        except Refused as refused:
            form.add_error("text", str(refused))
        else:
            messages.success(request, editor.saved if now != seen else "No changes.")
            if editor.is_draft:
                is_preview = request.POST.get("then") == "preview"
                return redirect("codebook_preview" if is_preview else "codebook_draft", slug)
            return redirect("guidelines", slug)
    context = {"project": project, "form": form, "draft": draft_context(project), "is_draft": editor.is_draft}
    return render(
        request, "codebook/guidelines_edit.html", context, status=max(status, 400 if form.errors else 200)
    )


def _digest(text: str) -> int:
    """Return a checksum that identifies a text of the draft."""
    return zlib.crc32(text.encode()) & MAX_SEEN
