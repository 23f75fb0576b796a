"""The pages of a codebook: read by all members, changed by leads."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django import forms
from django.contrib import messages
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from core.numbers import whole_number
from core.refusals import Refused
from core.web.form_pages import require_form_of_page_above
from core.web.forms import posted, require_form
from projects.access import permissions_in, project_to
from projects.codebook.category_forms import CategoriesForm, CategoryForm, NewCategoryForm
from projects.codebook.codebook_rules import was_labeled
from projects.codebook.drafts import Editor, changed_only, draft_context, needs_draft
from projects.codebook.forms import (
    CopyForm,
    NewQuestionForm,
    QuestionForm,
    StarterForm,
    chosen_condition,
)
from projects.codebook.number_rules import FIELDS as NUMBER_FIELDS
from projects.codebook.ordering import moved
from projects.codebook.refusals import CodebookRefused
from projects.codebook.starters import starters
from projects.imports.import_lock import lock_timeout_refusals
from projects.models import Category, Project, Question
from projects.queries import current_guidelines_version
from projects.refusals import KeyTaken
from projects.roles import Permission

STEPS = {"up": -1, "down": 1}


@contextmanager
def show_refusals(request: HttpRequest, form: forms.Form | None = None) -> Iterator[None]:
    """Show refusals in the form that caused them, or as a message on the next page."""
    try:
        with lock_timeout_refusals():
            yield
    except Refused as refused:
        if form is None:
            messages.error(request, str(refused))
            return
        field = "key" if isinstance(refused, KeyTaken) else getattr(refused, "field", "")
        form.add_error(field if field in form.fields else None, str(refused))
    except (Question.DoesNotExist, Category.DoesNotExist):
        raise Http404("This no longer exists. It may have been deleted.") from None


@require_safe
def codebook(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_PROJECT)
    return _codebook_page(request, project)


def _codebook_page(
    request: HttpRequest, project: Project, *, status: int = 200, **forms: Any
) -> HttpResponse:
    may_edit = Permission.EDIT_PROJECT in permissions_in(request.user, project)
    draft = draft_context(project) if may_edit else None
    context: dict[str, object] = {
        "project": project,
        "draft": draft,
        "begins_draft": may_edit and draft is None and needs_draft(project),
        "questions": draft.questions if draft else list(project.questions.prefetch_related("categories")),
        "merged": Category.with_merged.filter(
            question__project=project, merged_into__isnull=False
        ).select_related("merged_into", "question"),
        "version": current_guidelines_version(project),
        "is_open": not (project.is_closed or project.is_codebook_closed),
        "may_edit": may_edit,
    }
    if may_edit:
        context["copy_form"] = forms.get("copy_form") or CopyForm(user=request.user, project=project)
        context["starter_form"] = forms.get("starter_form") or StarterForm()
        context["starters"] = starters().values()
    return render(request, "codebook/codebook.html", context, status=status)


@require_form
def new_question(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    form = NewQuestionForm(posted(request))
    if form.is_valid():
        with show_refusals(request, form):
            pk = Editor(project, request.user).create_question(**form.cleaned_data)
            return redirect("codebook_question", slug, pk)
    context = {"project": project, "form": form}
    return render(request, "codebook/new_question.html", context, status=400 if form.errors else 200)


def question_to_edit(request: HttpRequest, slug: str, pk: int) -> Question:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    return get_object_or_404(project.questions.select_related("project"), pk=pk)


def category_to_edit(request: HttpRequest, slug: str, pk: int) -> Category:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    found = Category.objects.filter(question__project=project)
    return get_object_or_404(found.select_related("question__project"), pk=pk)


def _question_now(request: HttpRequest, slug: str, pk: int) -> Question:
    """Return the question as in the draft, if there is one."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    draft = draft_context(project)
    return question_to_edit(request, slug, pk) if draft is None else draft.question(pk)


def _category_now(request: HttpRequest, slug: str, pk: int) -> Category:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    draft = draft_context(project)
    return category_to_edit(request, slug, pk) if draft is None else draft.category(pk)


@require_form
def question(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    question = _question_now(request, slug, pk)
    form = _question_form(question, posted(request))
    if form.is_valid():
        editor = Editor(question.project, request.user)
        with show_refusals(request, form):
            editor.do("change_question", pk, **changed_only(question, form.cleaned_data))
            messages.success(request, editor.saved)
            return redirect("codebook_question", slug, pk)
    return _question_page(request, question, form=form, status=400 if form.errors else 200)


def _question_form(question: Question, data: Any = None) -> QuestionForm:
    questions = _questions_now(question.project)
    initial = _initial(question) | {"asked_if": chosen_condition(question, questions)}
    return QuestionForm(data, question=question, questions=questions, initial=initial)


def _questions_now(project: Project) -> list[Question]:
    draft = draft_context(project)
    return draft.questions if draft else list(project.questions.prefetch_related("categories"))


def _initial(question: Question) -> dict[str, object]:
    names = (
        "prompt",
        "kind",
        "level",
        "is_required",
        "allows_abstention",
        "confidence",
        "coefficient",
        "weights",
        "criterion",
        "max_length",
        *NUMBER_FIELDS,
    )
    values = " ".join(f"{value:.15g}" for value in question.missing_values)
    return {name: getattr(question, name) for name in names} | {"missing_values": values}


def _question_page(
    request: HttpRequest, question: Question, *, status: int = 200, **forms: Any
) -> HttpResponse:
    context = {
        "project": question.project,
        "draft": draft_context(question.project),
        "question": question,
        "categories": list(question.categories.all()),
        "has_categories": question.has_categories,
        "is_ordered": question.level != Question.Level.NOMINAL,
        "is_labeled": was_labeled(question),
        "form": forms["form"],
        "lines_form": forms.get("lines_form") or CategoriesForm(question=question),
        "category_form": forms.get("category_form") or NewCategoryForm(question=question, prefix="new"),
    }
    return render(request, "codebook/question.html", context, status=status)


@require_form_of_page_above
def add_category(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Add one category, or with `lines`, one for each line."""
    question = _question_now(request, slug, pk)
    if "lines" in request.POST:
        return _add_categories(request, question)
    form = NewCategoryForm(request.POST, question=question, prefix="new")
    if form.is_valid():
        with show_refusals(request, form):
            Editor(question.project, request.user).do("add_category", pk, **form.cleaned_data)
            given = form.cleaned_data
            messages.success(request, f"Added “{given['name'] or given['key']}”.")
            return redirect("codebook_question", slug, pk)
    of_question = _question_form(question)
    return _question_page(request, question, form=of_question, category_form=form, status=400)


def _add_categories(request: HttpRequest, question: Question) -> HttpResponse:
    form = CategoriesForm(request.POST, question=question)
    if form.is_valid():
        with show_refusals(request, form):
            rows = form.cleaned_data["lines"]
            Editor(question.project, request.user).add_categories(question.pk, rows)
            messages.success(request, f"Added {len(rows):,} categor{'y' if len(rows) == 1 else 'ies'}.")
            return redirect("codebook_question", question.project.slug, question.pk)
    of_question = _question_form(question)
    return _question_page(request, question, form=of_question, lines_form=form, status=400)


@require_form
def category(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    category = _category_now(request, slug, pk)
    names = ("name", "definition", "examples", "shortcut", "color", "value", "treated_as_missing")
    initial = {name: getattr(category, name) for name in names}
    form = CategoryForm(posted(request), question=category.question, initial=initial)
    if form.is_valid():
        editor = Editor(category.question.project, request.user)
        with show_refusals(request, form):
            editor.do("change_category", pk, **changed_only(category, form.cleaned_data))
            messages.success(request, editor.saved)
            return redirect("codebook_question", slug, category.question_id)
    context = {
        "project": category.question.project,
        "draft": draft_context(category.question.project),
        "category": category,
        "form": form,
        "is_labeled": was_labeled(category.question, category),
        # A category that exists only in the draft was never chosen, so there is nothing to merge.
        "has_others": category.question.categories.count() > 1 and Category.objects.filter(pk=pk).exists(),
    }
    return render(request, "codebook/category.html", context, status=400 if form.errors else 200)


@require_POST
def delete_question(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    question = _question_now(request, slug, pk)
    is_gone = False
    with show_refusals(request):
        Editor(question.project, request.user).do("delete_question", pk)
        messages.success(request, f"Deleted “{question.key}”.")
        is_gone = True
    return redirect("codebook", slug) if is_gone else redirect("codebook_question", slug, pk)


@require_POST
def delete_category(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    category = _category_now(request, slug, pk)
    with show_refusals(request):
        Editor(category.question.project, request.user).do("delete_category", pk)
        messages.success(request, f"Deleted “{category}”.")
    return redirect("codebook_question", slug, category.question_id)


@require_POST
def move_question(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    question = _question_now(request, slug, pk)
    draft = draft_context(question.project)
    ids = [each.pk for each in draft.questions] if draft else list(_ids_of(question.project.questions))
    with show_refusals(request):
        Editor(question.project, request.user).do("order_questions", ids=moved(ids, pk, _step(request)))
    return redirect("codebook", slug)


@require_POST
def move_category(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    category = _category_now(request, slug, pk)
    question = category.question
    ids = [each.pk for each in question.categories.all()]
    with show_refusals(request):
        editor = Editor(question.project, request.user)
        editor.do("order_categories", question.pk, ids=moved(ids, pk, _step(request)))
    return redirect("codebook_question", slug, question.pk)


def _ids_of(questions: models.Manager[Question]) -> models.QuerySet[Question, int]:
    return questions.values_list("pk", flat=True)


def _step(request: HttpRequest) -> int:
    step = STEPS.get(request.POST.get("to", ""))
    if step is None:
        raise CodebookRefused("step", "Choose up or down.")
    return step


@require_POST
def order_questions(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    with show_refusals(request):
        Editor(project, request.user).do("order_questions", ids=_ids(request))
    return redirect("codebook", slug)


@require_POST
def order_categories(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    question = _question_now(request, slug, pk)
    with show_refusals(request):
        Editor(question.project, request.user).do("order_categories", pk, ids=_ids(request))
    return redirect("codebook_question", slug, pk)


def _ids(request: HttpRequest) -> list[int]:
    """Return all IDs in their new order, as submitted after dragging."""
    return [pk for text in request.POST.getlist("id") if (pk := whole_number(text)) is not None]


@require_form_of_page_above
def copy_codebook(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    form = CopyForm(request.POST, user=request.user, project=project)
    if form.is_valid():
        with show_refusals(request, form):
            source, with_guidelines = form.cleaned_data["source"], form.cleaned_data["with_guidelines"]
            Editor(project, request.user).copy(source, with_guidelines=with_guidelines)
            messages.success(request, f"Copied the questions from {source}.")
            return redirect("codebook", slug)
    return _codebook_page(request, project, copy_form=form, status=400)


@require_form_of_page_above
def start_codebook(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    form = StarterForm(request.POST)
    if form.is_valid():
        with show_refusals(request, form):
            Editor(project, request.user).start_from(starters()[form.cleaned_data["starter"]])
            messages.success(request, "Added the questions. Edit them to fit your project.")
            return redirect("codebook", slug)
    return _codebook_page(request, project, starter_form=form, status=400)
