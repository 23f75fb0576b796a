"""Exporting a whole project as a file, from the page and the API."""

from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request

from core.web.api import View
from projects.access import AnyUser, project_to
from projects.events import record
from projects.models import Event
from projects.roles import Permission
from raters.archive.project_export import project_file


@require_safe
def export_project(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    return _export_response(request.user, slug)


class ProjectFile(View):
    @extend_schema(
        responses={(200, "application/zip"): OpenApiResponse(OpenApiTypes.BINARY)},
        operation_id="project_file_retrieve",
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Export the whole project with its history as a ZIP archive, which can be imported on any server."""
        return _export_response(request.user, slug)


def _export_response(user: AnyUser, slug: str) -> StreamingHttpResponse:
    project = project_to(user, slug, Permission.EDIT_PROJECT)
    name = f"{project.slug}.zip"
    record(Event.Kind.EXPORTED, by=user, project=project, about=name)
    response = StreamingHttpResponse(project_file(project), content_type="application/zip")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return response
