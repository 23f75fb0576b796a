"""Pages of item lists: their names, and the items of one list, for members who may see labels."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from core.web.paging import page_of
from projects.access import permissions_in, project_to
from projects.items.lists import items_of_list
from projects.models import ItemList
from projects.roles import Permission
from raters.access import log_label_access, rounds_to_be_blind_in
from raters.items import queries


@require_safe
def item_lists(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    lists = ItemList.objects.filter(project=project).select_related("created_by")
    context = {"project": project, "page": page_of(request, lists)}
    return render(request, "items/lists.html", context)


@require_safe
def item_list(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the list without items the viewer is still labeling: being listed reveals labels of others."""
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    found = get_object_or_404(ItemList.objects.select_related("created_by"), project=project, pk=pk)
    items = items_of_list(found)
    shown = items.exclude(assignments__round__in=rounds_to_be_blind_in(request.user, project))
    log_label_access(request.user, project, "list of items", list=found.name)
    page = page_of(request, shown)
    counts = queries.label_counts([item.pk for item in page])
    context = {
        "project": project,
        "list": found,
        "page": page,
        "n_hidden": items.count() - page.paginator.count,
        "may_plan": Permission.EDIT_PROJECT in permissions_in(request.user, project)
        and not project.is_closed,
        "may_adjudicate": Permission.ADJUDICATE in permissions_in(request.user, project),
        "rows": [(item, queries.excerpt(item), counts.get(item.pk, 0)) for item in page],
    }
    return render(request, "items/item_list.html", context)
