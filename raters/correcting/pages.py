"""The page for correcting the answer type of a question: a preview first, then a button."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from core.web.forms import posted, require_form
from projects.codebook.pages import question_to_edit, show_refusals
from projects.models import Question
from raters.correcting.actions import check_correction, correct_kind
from raters.correcting.plan import KINDS


class KindForm(forms.Form):
    kind = forms.ChoiceField(label="Answer type", choices=KINDS)
    level = forms.ChoiceField(label="Scale", choices=Question.Level)


@require_form
def correct(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    question = question_to_edit(request, slug, pk)
    now = {"kind": question.kind, "level": question.level}
    asked = posted(request) or (request.GET if "kind" in request.GET else None)
    form = KindForm(asked, initial=now)
    correction = None
    if form.is_valid():
        kind, level = form.cleaned_data["kind"], form.cleaned_data["level"]
        if request.method == "POST":
            with show_refusals(request, form):
                done = correct_kind(question, kind, level=level, by=request.user)
                n = f"{done.n_labels:,} label{'' if done.n_labels == 1 else 's'} converted"
                messages.success(request, f"Corrected the answer type of “{question.key}”: {n}.")
                return redirect("codebook_question", slug, pk)
        correction = check_correction(question, kind)
    context = {
        "project": question.project,
        "question": question,
        "form": form,
        "correction": correction,
        "kind": dict(Question.Kind.choices).get(correction.kind) if correction else "",
    }
    status = 400 if request.method == "POST" or form.errors else 200
    return render(request, "codebook/correct_kind.html", context, status=status)
