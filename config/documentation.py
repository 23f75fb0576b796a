"""Serves the site that `make docs` builds, under /help/."""

import mimetypes
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import SuspiciousFileOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils._os import safe_join
from django.views.decorators.cache import cache_control
from django.views.decorators.http import last_modified, require_safe

# In Python from 3.13 on.
mimetypes.add_type("image/webp", ".webp")
FIRST = "index.html"


def find(path: str) -> Path | None:
    """A file of the site, or None if it does not exist."""
    try:
        found = Path(safe_join(settings.HELP_ROOT, path))
    except SuspiciousFileOperation:
        return None
    return found if found.is_file() else None


def built_at(request: HttpRequest, path: str = FIRST) -> datetime | None:
    found = find(path)
    return datetime.fromtimestamp(found.stat().st_mtime, UTC) if found else None


@login_not_required
@require_safe
@cache_control(no_cache=True)
@last_modified(built_at)
def documentation(request: HttpRequest, path: str = FIRST) -> HttpResponse:
    """A file of the site, or, if the site was not built, a page that says how to build it."""
    if find(FIRST) is None:
        return render(request, "help.html", status=404)
    found = find(path)
    if found is None:
        raise Http404
    kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
    return HttpResponse(found.read_bytes(), content_type=kind)
