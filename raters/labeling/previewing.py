"""A preview of the labeling page for the first item, with the draft of the codebook or else the current one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from projects.access import project_to
from projects.codebook.content import shortcuts_in
from projects.codebook.drafts import content_drafted, draft_context
from projects.codebook.rendered_guidelines import rendered_guidelines
from projects.codebook.versions import assigned_shortcuts
from projects.items.content import fields_of
from projects.items.layout import laid_out
from projects.roles import Permission
from raters.labeling.question_rows import question_row
from raters.labeling.saving import questions_of
from raters.labeling.shortcuts import page_keys


@require_safe
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    draft = draft_context(project)
    questions = draft.questions if draft else questions_of(project.pk)
    keys = page_keys(
        questions, shortcuts_in(content_drafted(draft.draft)) if draft else assigned_shortcuts(project)
    )
    text = draft.draft.guidelines if draft else project.guidelines
    item = project.items.filter(withdrawn_at=None).order_by("pk").first()
    context = {
        "project": project,
        "draft": draft,
        "item": item,
        "layout": laid_out(fields_of(item) if item else [], project),
        "rows": [question_row(question, None, keys, questions=questions) for question in questions],
        "shown": {"is_closed": False},
        "guidelines": rendered_guidelines(project, text) if text else "",
    }
    return render(request, "labeling/preview.html", context)
