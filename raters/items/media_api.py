"""The one view that serves media files, for pages and programs alike."""

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiResponse, OpenApiTypes, extend_schema
from rest_framework.request import Request

from core.web.api import View
from projects.media.responses import media_response
from projects.models import MediaFile
from raters.access import media_to


class MediaContent(View):
    for_labeling = frozenset({"get"})

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        # The file is sent in its own format, even if the client accepts only image/*, for example.
        return super().perform_content_negotiation(request, force=True)

    @extend_schema(
        responses={
            **{(200, kind): OpenApiTypes.BINARY for kind in MediaFile.Type.values},
            **{(206, kind): OpenApiTypes.BINARY for kind in MediaFile.Type.values},
            304: OpenApiResponse(description="The file has not changed (`If-None-Match`)."),
            412: OpenApiResponse(description="The file has changed (`If-Match`)."),
            416: OpenApiResponse(description="The requested range is not in the file (`Range`)."),
        },
        operation_id="media_file",
    )
    def get(self, request: Request, slug: str, pk: int) -> HttpResponseBase:
        """Download a media file, in full or in part (`Range`). Raters can only get files of their own items."""
        return media_response(request._request, media_to(request.user, slug, pk))
