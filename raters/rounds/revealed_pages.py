"""The page of a revealed round for a rater: agreement with others, and the items with everyone's labels."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.web.paging import page_of
from projects.events import record
from projects.models import Event
from raters.reporting import reporting
from raters.rounds.revealed import items_of, items_that_differ, revealed_items, revealed_to
from raters.rounds.revealed_agreement import own_agreement


@require_safe
def revealed(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    found = revealed_to(request.user, slug, pk)
    record(Event.Kind.LABELS_SEEN, by=request.user, project=found.round.project, about=found.round.key)
    different = items_that_differ(found)
    is_all = request.GET.get("show") == "all"
    ids = items_of(found)
    page = page_of(request, ids if is_all else different)
    context = {
        "project": found.round.project,
        "round": found.round,
        "names": sorted(found.names.values()),
        "agreement": own_agreement(found),
        "own_pages": reporting().own_pages(found.round, found.rater),
        "n_items": len(ids),
        "n_different": len(different),
        "is_all": is_all,
        "page": page,
        "rows": revealed_items(found, list(page)),
    }
    return render(request, "rounds/revealed.html", context)
