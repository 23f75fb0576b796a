"""The page for merging one category into another."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from core.web.forms import posted, require_form
from projects.codebook.pages import category_to_edit, show_refusals
from projects.models import Category
from raters.merging.actions import merge_category, n_labels_of


class MergeForm(forms.Form):
    into = forms.ModelChoiceField(label="Merge into", queryset=Category.objects.none())

    def __init__(self, data: object, *, category: Category) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        others = category.question.categories.exclude(pk=category.pk)
        self.fields["into"].queryset = others  # type: ignore[attr-defined]


@require_form
def merge(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    category = category_to_edit(request, slug, pk)
    form = MergeForm(posted(request), category=category)
    if form.is_valid():
        with show_refusals(request, form):
            into = form.cleaned_data["into"]
            n = merge_category(category, into, by=request.user)
            labels = f"{n:,} label{'' if n == 1 else 's'} changed"
            messages.success(request, f"Merged “{category}” into “{into}”: {labels}.")
            return redirect("codebook_question", slug, category.question_id)
    context = {
        "project": category.question.project,
        "category": category,
        "n_labels": n_labels_of(category),
        "form": form,
    }
    return render(request, "codebook/merge.html", context, status=400 if form.errors else 200)
