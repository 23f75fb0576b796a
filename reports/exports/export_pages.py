"""The page that lists the exports of a report, and their downloads."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from projects.access import Guest, project_to
from projects.roles import Permission
from reports.access import exports_open_to, finished_report
from reports.exports.downloads import FileNotCreated, export_response
from reports.exports.export_list import FILES, GROUPS, Counts, ExportFile, counts_of
from reports.models import Report
from reports.results.prose import prose_in_both_styles


@dataclass(frozen=True, slots=True)
class FileRow:
    file: ExportFile
    about: int


@require_safe
def exports(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    report = get_object_or_404(project.reports.select_related("project", "asked_by"), pk=pk)
    if report.state != Report.State.DONE:
        return redirect(report)
    prose, plain_prose = prose_in_both_styles(report)
    names = exports_open_to(request.user)
    context = {
        "project": project,
        "report": report,
        "groups": _groups(counts_of(report), names),
        # Visitors with a link are not shown what the link does not open.
        "are_labels_hidden": not isinstance(request.user, Guest) and not names >= FILES.keys(),
        "prose": prose,
        "plain_prose": plain_prose,
    }
    return render(request, "reports/exports.html", context)


def _groups(counts: Counts, names: frozenset[str]) -> list[tuple[str, list[FileRow]]]:
    groups = (
        (title, [FileRow(file, file.about(counts)) for file in files if file.name in names])
        for title, files in GROUPS.items()
    )
    return [(title, rows) for title, rows in groups if rows]


@require_safe
def export_file(request: HttpRequest, slug: str, pk: int, name: str) -> HttpResponseBase:
    project = project_to(request.user, slug, Permission.SEE_LABELS)
    if name not in FILES:
        raise Http404("There is no such export.")
    report = finished_report(project, pk)
    try:
        return export_response(FILES[name], report, by=request.user)
    except FileNotCreated as refused:
        messages.error(request, str(refused))
        return redirect("report_exports", slug, pk)
