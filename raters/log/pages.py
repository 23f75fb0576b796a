"""The log page, and its files."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from core.web.paging import page_of
from projects.access import project_to
from projects.roles import Permission
from raters.access import rounds_to_be_blind_in
from raters.log import export as files
from raters.log.event_list import LogFilter, event_rows, events_matching
from raters.log.forms import LogForm


@require_safe
def log(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_to(request.user, slug, Permission.SEE_LOG)
    form = LogForm(request.GET)
    wanted = form.filter if form.is_valid() else LogFilter()
    page = page_of(request, events_matching(project, wanted, by=request.user))
    filters = request.GET.copy()
    filters.pop("page", None)
    context = {
        "project": project,
        "form": form,
        "page": page,
        "rows": event_rows(list(page)),
        "is_filtered": wanted != LogFilter(),
        "formats": list(files.FORMATS),
        "query": filters.urlencode(),
        "may_see_history": not rounds_to_be_blind_in(request.user, project),
    }
    return render(request, "log/log.html", context, status=400 if form.errors else 200)


@require_safe
def log_file(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    project = project_to(request.user, slug, Permission.SEE_LOG)
    form = LogForm(request.GET)
    if kind not in files.FORMATS or not form.is_valid():
        raise Http404("File not found.")
    return files.log_file(project, form.filter, kind, by=request.user)
