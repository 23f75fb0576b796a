"""Pages about the statistics themselves, with no figure of any project."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from reports.published.checking import verified
from reports.published.shown import groups_of


@login_not_required
@require_safe
def published(request: HttpRequest) -> HttpResponse:
    """Published examples beside what this program computes of them; for everyone."""
    return render(
        request, "statistics/published.html", {"found": verified(), "groups": groups_of(verified())}
    )
