"""The bytes of a media file, for pages and programs alike: the one view that serves them."""

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiTypes, extend_schema
from rest_framework.request import Request

from projects.api.base import View
from projects.media.sending import sent
from raters.access import media_to


class MediaContent(View):
    for_labeling = frozenset({"get"})

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        # A file is what it is; whoever asks for image/* alone gets it too.
        return super().perform_content_negotiation(request, force=True)

    @extend_schema(
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY}, operation_id="media_file"
    )
    def get(self, request: Request, slug: str, pk: int) -> HttpResponseBase:
        """The file itself, as a whole or in parts (`Range`); a rater's are those of the items given to them."""
        return sent(request._request, media_to(request.user, slug, pk))
