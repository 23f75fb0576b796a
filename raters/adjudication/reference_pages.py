"""The page for setting an item's reference answers, and copying decisions to reference answers."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from core.web.forms import require_form
from core.web.refusals import refusals_as_messages
from projects.access import project_to
from projects.codebook.versions import assigned_shortcuts
from projects.items.content import fields_of
from projects.items.layout import laid_out
from projects.models import Item
from projects.roles import Permission
from raters.access import refuse_blind
from raters.adjudication.final_files import refuse_while_labeling
from raters.adjudication.reference_answers import (
    ReferenceChanged,
    answerable,
    copy_decisions_to_references,
    current_reference_answers,
    set_reference,
)
from raters.labeling.answers import AnswerFault, AnswersRefused
from raters.labeling.question_rows import question_row
from raters.labeling.shortcuts import page_keys
from raters.labeling.submitted_form import parsed_answers


@require_form
def item_reference(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Set the reference answers of an item. The form keeps refused input; unanswered questions have no reference."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    item = get_object_or_404(Item.objects.select_related("project"), project=project, pk=pk)
    refuse_blind(request.user, item)
    questions = answerable(project)
    current = current_reference_answers(item, questions)
    answers = {each.key: current[each.pk][0] for each in questions if each.pk in current}
    revisions = {pk: revision for pk, (_, revision) in current.items()}
    faults: Sequence[AnswerFault] = ()
    refusal = ""
    if request.method == "POST":
        form = parsed_answers(request.POST, questions)
        answers, faults = dict(form.draft.answers), form.faults
        if not faults:
            try:
                n = set_reference(item, answers, seen=form.draft.revisions, by=request.user)
            except AnswersRefused as refused:
                faults = refused.faults
            except ReferenceChanged as changed:
                refusal = str(changed)
            else:
                messages.success(
                    request, f"Saved the reference answers of {item}." if n else "Nothing changed."
                )
                return redirect("item", slug, pk)
    keys = page_keys(questions, assigned_shortcuts(project))
    context = {
        "project": project,
        "item": item,
        "layout": laid_out(fields_of(item), project),
        "rows": [
            question_row(
                each,
                answers.get(each.key),
                keys,
                revision=revisions.get(each.pk, 0),
                faults=faults,
                questions=questions,
            )
            for each in questions
        ],
        "shown": {"is_closed": False},
        "refusal": refusal,
    }
    return render(request, "adjudication/reference.html", context, status=400 if faults or refusal else 200)


@require_POST
def references_from_decisions(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    refuse_while_labeling(request.user, project, None)
    with refusals_as_messages(request):
        found = copy_decisions_to_references(project, by=request.user)
        messages.success(
            request,
            f"{found.n:,} decision{' is now a reference answer' if found.n == 1 else 's are now reference answers'}, "
            f"for {found.n_items:,} item{'' if found.n_items == 1 else 's'}.",
        )
    return redirect("finals", slug)
