"""The exports of a report over the API: the list, and each file."""

from typing import Any

from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import View
from projects.access import project_to
from projects.roles import Permission
from reports.access import exports_open_to, finished_report
from reports.exports.downloads import export_response
from reports.exports.export_list import FILES, GROUPS, counts_of


class ExportSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    group = serializers.CharField()
    title = serializers.CharField()
    what = serializers.CharField()
    content_type = serializers.CharField()
    n_bytes_about = serializers.IntegerField(help_text="Approximate size in bytes.")


class ExportList(View):
    @extend_schema(responses=ExportSerializer(many=True), operation_id="exports_list")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """List the export files of a finished report, without those that name raters if names are hidden from you."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        counts, names = counts_of(finished_report(project, pk)), exports_open_to(request.user)
        shown = [
            {
                "name": file.name,
                "group": group,
                "title": file.title,
                "what": file.what,
                "content_type": file.content_type,
                "n_bytes_about": file.about(counts),
            }
            for group, files in GROUPS.items()
            for file in files
            if file.name in names
        ]
        return Response(shown)


class ExportDetail(View):
    @extend_schema(
        responses={
            (200, kind): OpenApiTypes.BINARY
            for kind in sorted({file.content_type for file in FILES.values()})
        },
        operation_id="exports_retrieve",
    )
    def get(self, request: Request, slug: str, pk: int, name: str) -> HttpResponseBase:
        """Download an export file by its name. The Content-Type header gives its type."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        if name not in FILES:
            raise Http404("There is no such export.")
        report = finished_report(project, pk)
        return export_response(FILES[name], report, by=request.user)
