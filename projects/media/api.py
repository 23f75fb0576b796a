"""Media files of a project over the API: list, upload, remove."""

from typing import Any

from django.core.exceptions import TooManyFilesSent
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from core.keys import MAX_KEY
from core.refusals import RefusedWithCode
from core.shapes import Json
from core.web.api import PAGE_PARAMETERS, UploadView, View, paginated
from core.web.strict import refuse_encodings, refuse_text
from projects.access import project_to
from projects.media.media_files import remove
from projects.media.media_uploads import Upload, UploadOutcome, limit_upload
from projects.media.names import address_of, name_in
from projects.models import MediaFile
from projects.roles import Permission


class MediaSerializer(serializers.ModelSerializer[MediaFile]):
    file = serializers.SerializerMethodField(help_text="Where to download the file.")

    class Meta:
        model = MediaFile
        fields = ["id", "name", "type", "n_bytes", "sha256", "width", "height", "added_at", "file"]

    def get_file(self, media: MediaFile) -> str:
        return address_of(media)


class MediaInput(serializers.Serializer[Any]):
    """Media files to upload."""

    file = serializers.ListField(
        child=serializers.FileField(), help_text="Files or ZIP archives. Repeat the part to send several."
    )
    folder = serializers.CharField(
        required=False, max_length=MAX_KEY, help_text="Folder to put before each name, such as `photos`."
    )
    replace = serializers.ChoiceField(
        ["true", "false"], required=False, help_text="Whether to replace files that have the same name."
    )


class RefusedFileSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()


class MediaUploadSerializer(serializers.Serializer[Any]):
    added = serializers.ListField(child=serializers.CharField())
    replaced = serializers.ListField(child=serializers.CharField())
    unchanged = serializers.ListField(child=serializers.CharField())
    refused = RefusedFileSerializer(many=True)


class MediaList(UploadView):
    limit_upload = staticmethod(limit_upload)
    parser_classes = [MultiPartParser]
    parameters = {"get": ("page", "page_size", "name")}

    @extend_schema(
        parameters=[
            *PAGE_PARAMETERS,
            OpenApiParameter("name", str, description="Only the file with exactly this name."),
        ],
        responses=paginated("Media", MediaSerializer),
        operation_id="media_list",
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the media files that items can use, sorted by name."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        rows = project.media.select_related("project").order_by("name")
        if "name" in request.query_params:
            rows = rows.filter(name=name_in(request.query_params["name"]))
        return self.paged(rows, lambda media: dict(MediaSerializer(media).data))

    @extend_schema(
        request={"multipart/form-data": MediaInput},
        responses={201: MediaUploadSerializer},
        operation_id="media_upload",
    )
    def post(self, request: Request, slug: str) -> Response:
        """Upload media files. Each file is accepted or rejected on its own; if all are rejected, the request fails."""
        project = project_to(request.user, slug, Permission.IMPORT)
        refuse_encodings(request.META, request.content_type or "")
        files, folder, replace = _uploaded_files(request)
        upload = Upload(project, by=request.user, folder=folder, replace=replace)
        outcome = upload.take_all((file.name, file.file) for file in files)
        if outcome.is_nothing and outcome.refused:
            raise _refusal(outcome)
        return Response(_serialized(outcome), status=201)


class MediaDetail(View):
    @extend_schema(responses=MediaSerializer, operation_id="media_read")
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Get a media file’s details."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        return Response(
            MediaSerializer(get_object_or_404(project.media.select_related("project"), pk=pk)).data
        )

    @extend_schema(responses={204: None}, operation_id="media_remove")
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Remove a media file. Items that use it show a message that it is missing."""
        project = project_to(request.user, slug, Permission.IMPORT)
        remove(get_object_or_404(project.media.select_related("project"), pk=pk), by=request.user)
        return Response(status=204)


def _uploaded_files(request: Request) -> tuple[list[Any], str, bool]:
    try:
        body: Any = request.data
    except TooManyFilesSent:
        raise RefusedWithCode(
            "too_many_files", "Too many files. Send fewer, or a ZIP archive.", status_code=413
        ) from None
    files = request.FILES.getlist("file") if request.FILES else []
    if not files:
        raise RefusedWithCode("no_file", "Send the files as multipart form data, in parts named `file`.")
    for name in body:
        if name not in {"file", "folder", "replace"}:
            raise RefusedWithCode("unknown_field", f"Unknown field {name[:100]!r}.")
    folder, replace = body.get("folder", ""), body.get("replace", "false")
    if not isinstance(folder, str) or len(folder) > MAX_KEY:
        raise RefusedWithCode("invalid", f"folder must be a string of at most {MAX_KEY} characters.")
    refuse_text(folder)
    if replace not in {"true", "false"}:
        raise RefusedWithCode("invalid", "replace must be true or false.")
    return files, folder, replace == "true"


def _serialized(outcome: UploadOutcome) -> Json:
    refused = [{"name": one.name, "code": one.code, "detail": one.sentence} for one in outcome.refused]
    return {
        "added": outcome.added,
        "replaced": outcome.replaced,
        "unchanged": outcome.unchanged,
        "refused": refused,
    }


def _refusal(outcome: UploadOutcome) -> RefusedWithCode:
    first = outcome.refused[0]
    errors = [{"field": one.name, "code": one.code, "detail": one.sentence} for one in outcome.refused]
    detail = f"{first.name}: {first.sentence}"
    if len(errors) > 1:
        detail = f"None of the {len(errors):,} files could be uploaded. {detail}"
    return RefusedWithCode(first.code, detail, status_code=first.status_code, errors=errors)
