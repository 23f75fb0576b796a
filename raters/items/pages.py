"""The list of a project's items, and the page of one item with all of its labels."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from core.web.forms import SearchForm, require_form
from core.web.paging import page_of
from projects.access import permissions_in, project_to
from projects.attributes_form import AttributesForm
from projects.items.actions import describe_item, restore_item, withdraw_item
from projects.models import Item, Project
from projects.roles import Permission
from raters.access import log_label_access, refuse_blind, rounds_to_be_blind_in
from raters.figures.pending_figures import when_stored
from raters.figures.size import is_large
from raters.figures.stored_figures import NOW
from raters.items import label_history as history
from raters.items import queries
from raters.items.item_letters import are_hidden_from, letters_for_item
from raters.items.stored_search import MOST_LISTED, StoredSearchResult, search


@require_safe
@when_stored
def items(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    form = SearchForm(request.GET or None)
    found = _found(request, project, form.words)
    if isinstance(found, StoredSearchResult):
        page, n = page_of(request, found), found.n
    else:
        page = page_of(request, found, most=MOST_LISTED if is_large(project) else None)
        n = page.paginator.count
    counts = queries.label_counts([item.pk for item in page])
    context = {
        "may_export": not are_hidden_from(request.user, project),
        "project": project,
        "form": form,
        "page": page,
        "counted": found.counted if isinstance(found, StoredSearchResult) else NOW,
        "n": n,
        "rows": [(item, queries.excerpt(item), counts.get(item.pk, 0)) for item in page],
    }
    return render(request, "items/list.html", context, status=400 if form.errors else 200)


def _found(request: HttpRequest, project: Project, words: str) -> QuerySet[Item] | StoredSearchResult:
    """Find items; raters' free text is searched, too, which counts as looking at their labels.

    Raises FiguresNotComputed.
    """
    in_texts = bool(words) and queries.has_texts(project)
    hidden = rounds_to_be_blind_in(request.user, project) if in_texts else []
    found: QuerySet[Item] | StoredSearchResult
    if words and is_large(project):
        found = search(project, words, hidden, in_texts=in_texts, by=request.user)
    elif in_texts:
        found = queries.items_or_texts_of(project, words, hidden=hidden)
    else:
        found = queries.items_of(project, words)
    if in_texts:
        log_label_access(request.user, project, "texts")
    return found


@require_safe
def item(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    item = get_object_or_404(Item.objects.select_related("project"), project=project, pk=pk)
    refuse_blind(request.user, item)
    log_label_access(request.user, project, item.key)
    before, after = queries.neighbors(item)
    permissions = permissions_in(request.user, project)
    hidden = letters_for_item(request.user, item)
    context = {
        "project": project,
        "page": queries.item_page(item, hidden),
        **history_of(request, item, hidden),
        "are_names_hidden": hidden is not None,
        "may_adjudicate": Permission.ADJUDICATE in permissions,
        "may_withdraw": Permission.EDIT_PROJECT in permissions,
        "before": before and item_address(project, before),
        "after": after and item_address(project, after),
        "back": reverse("items", args=[slug]),
        "back_words": "All items",
    }
    return render(request, "items/item.html", context)


@require_form
def attributes(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Edit the attributes by which agreement can be compared; shows no labels of the item."""
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    item = get_object_or_404(Item.objects.select_related("project"), project=project, pk=pk)
    form = AttributesForm.of(item.attributes)
    if request.method == "POST":
        form = AttributesForm.sent(request.POST, before=item.attributes)
        if not form.error:
            describe_item(item, form.attributes, by=request.user)
            messages.success(request, f"Saved the attributes of {item}.")
            return redirect("item", slug, pk)
    back = item_address(project, pk)
    context = {"project": project, "form": form, "of": item.key, "back": back, "back_words": item.key}
    return render(request, "items/attributes.html", context, status=400 if form.error else 200)


@require_POST
def withdraw(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    item = withdraw_item(get_object_or_404(project.items, pk=pk), by=request.user)
    messages.success(request, f"Withdrew {item}. Raters are no longer asked to label it.")
    return redirect("item", slug, pk)


@require_POST
def restore(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    project = project_to(request.user, slug, Permission.EDIT_PROJECT)
    item = restore_item(get_object_or_404(project.items, pk=pk), by=request.user)
    messages.success(request, f"Restored {item}. Its raters will be asked to label it again.")
    return redirect("item", slug, pk)


def history_of(request: HttpRequest, item: Item, hidden: Mapping[int, str] | None = None) -> dict[str, Any]:
    """Return a page of changes to an item's labels, newest first. hidden: the names to use for raters instead."""
    revisions = page_of(request, history.revisions_of(item, hidden))
    return {"revisions": revisions, "changes": history.changes(list(revisions), hidden)}


def item_address(project: Project, pk: int) -> str:
    return reverse("item", args=[project.slug, pk])
