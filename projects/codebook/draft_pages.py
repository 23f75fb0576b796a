"""The draft of a codebook: its changes, the rounds they affect, and publishing it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from core.numbers import whole_number
from core.web.forms import require_form
from projects.access import project_to
from projects.codebook import drafts
from projects.codebook.affected_assignments import affected_assignments
from projects.codebook.content import questions_in_version
from projects.codebook.drafts import draft_context
from projects.codebook.guidelines import difference
from projects.codebook.pages import show_refusals
from projects.codebook.version_changes import changes_between
from projects.codebook.versions import content_of, current_version
from projects.models import Question
from projects.roles import Permission


@require_safe
def draft(request: HttpRequest, slug: str) -> HttpResponse:
    """Show all changes compared with the current codebook, and the rounds that publishing affects."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    shown = draft_context(project)
    if shown is None:
        return render(request, "codebook/draft.html", {"project": project, "draft": None})
    version = current_version(project)
    before = [] if version is None else questions_in_version(content_of(version))
    after = questions_in_version(drafts.content_drafted(shown.draft))
    required_before = {question.key for question in before if question.is_required}
    text = shown.draft.guidelines
    context = {
        "project": project,
        "draft": shown,
        "changes": list(changes_between(before, after)),
        "unseen": _unseen(shown),
        "lines": difference(project.guidelines, text) if text != project.guidelines else [],
        "required": [each for each in after if each.is_required and each.key not in required_before],
        "empty": [each for each in after if Question.Kind(each.kind).has_categories and not each.categories],
        "reach": affected_assignments(project),
    }
    return render(request, "codebook/draft.html", context)


def _unseen(draft: drafts.DraftContext) -> bool:
    """Return whether anything changes that raters do not see, such as a criterion or missing values."""
    seen_by_raters = {
        "prompt", "kind", "is_required", "allows_abstention", "name", "definition", "examples", "shortcut", "ids",
        "text", "asked_if_question", "asked_if_categories", "minimum", "maximum", "is_whole", "step", "unit",
        "confidence",
    }  # fmt: skip
    changes = ("change_question", "change_category")
    return any(set(edit["given"]) - seen_by_raters for edit in draft.draft.edits if edit["do"] in changes)


@require_POST
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    revision = whole_number(request.POST.get("revision", "")) or 0
    with show_refusals(request):
        number = drafts.publish(project, by=request.user, revision=revision)
        messages.success(
            request, f"Published as version {number}. Raters see what changed before their next item."
        )
    is_published = draft_context(project) is None
    return redirect("codebook" if is_published else "codebook_draft", slug)


@require_POST
def update(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    with show_refusals(request):
        left_out = drafts.update_draft(project, by=request.user)
        for sentence in left_out:
            messages.warning(request, f"Left out of the draft: {sentence}")
        if not left_out:
            messages.success(request, "The draft is up to date.")
    return redirect("codebook_draft", slug)


@require_form
def discard(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    if request.method == "POST":
        drafts.discard(project, by=request.user)
        messages.success(request, "Discarded the draft.")
        return redirect("codebook", slug)
    return render(
        request, "codebook/draft_discard.html", {"project": project, "draft": draft_context(project)}
    )
