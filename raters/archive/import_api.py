"""API for importing a project file, for server owners."""

from typing import Any

from django.core.exceptions import TooManyFilesSent, ValidationError
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import UploadView, texts_of_form
from core.web.strict import parsed, refuse_encodings
from projects.access import refuse_all_but_owners
from projects.actions import MAX_SLUG
from projects.media.lost import lost_media
from projects.models import slug_of_letters
from raters.archive import uploads
from raters.archive.people import MAX_NAME, AccountChoice
from raters.archive.project_import import contents_of, import_project

FIELDS = {"slug", "people", "dry_run"}


class ProjectFileInput(serializers.Serializer[Any]):
    """A project file and how to import it."""

    file = serializers.FileField(help_text="A project file exported from Interrater (ZIP).")
    slug = serializers.CharField(
        required=False,
        max_length=MAX_SLUG,
        help_text="The slug for the imported project. Default: the slug in the file.",
    )
    people = serializers.CharField(
        required=False,
        help_text="JSON object that maps usernames in the file to accounts on this server, such as "
        '{"ann": {"name": "ann-2"}, "bob": {"name": "bob", "is_existing": true}}. Other people are imported as '
        "deactivated accounts with the same username.",
    )
    dry_run = serializers.BooleanField(required=False, help_text="Validate the file without importing it.")


class FilePersonSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    offered = serializers.CharField(help_text="An available username.")
    taken_by = serializers.CharField(
        help_text="An existing account with the same username, ignoring case; empty if there is none."
    )


class ProjectFilePreviewSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    slug = serializers.CharField(help_text="An available slug.")
    slug_in_file = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="Number of rows by table.")
    people = FilePersonSerializer(many=True)


class ImportedProjectSerializer(serializers.Serializer[Any]):
    slug = serializers.CharField()
    name = serializers.CharField()
    url = serializers.CharField()
    missing_media = serializers.ListField(
        child=serializers.CharField(), help_text="Names of media files whose content was not in the file."
    )


class ProjectFiles(UploadView):
    limit_upload = staticmethod(uploads.limit_upload)
    parser_classes = [MultiPartParser]

    @extend_schema(
        request={"multipart/form-data": ProjectFileInput},
        responses={200: ProjectFilePreviewSerializer, 201: ImportedProjectSerializer},
        operation_id="project_file_import",
    )
    def post(self, request: Request) -> Response:
        """Import a project with its history, all or nothing. For server owners; you become the project lead."""
        refuse_all_but_owners(request.user)
        refuse_encodings(request.META, request.content_type or "")
        file, given = _submitted_file(request)
        if given.get("dry_run", "false") == "true":
            found = uploads.preview(contents_of(file, uploads.upload_limits()))
            return Response(ProjectFilePreviewSerializer(found).data)
        project = import_project(
            file,
            lead=request.user,  # type: ignore[arg-type]
            slug=given.get("slug", ""),
            people=_accounts(given.get("people", "{}")),
            limits=uploads.upload_limits(),
        )
        shown = {
            "slug": project.slug,
            "name": project.name,
            "url": project.get_absolute_url(),
            "missing_media": lost_media(project.media.all()),
        }
        return Response(shown, status=201)


def _submitted_file(request: Request) -> tuple[Any, dict[str, str]]:
    try:
        body: Any = request.data
    except TooManyFilesSent:
        raise RefusedWithCode("too_many_files", "Send only one file.", status_code=413) from None
    files = request.FILES.getlist("file") if request.FILES else []
    if len(files) != 1 or len(request.FILES) != 1:
        raise RefusedWithCode("no_file", "Send the project file as the multipart part `file`.")
    given = texts_of_form(body, FIELDS)
    if given.get("dry_run", "false") not in {"true", "false"}:
        raise RefusedWithCode("invalid", "dry_run must be true or false.")
    if slug := given.get("slug"):
        try:
            slug_of_letters(slug)
        except ValidationError as error:
            raise RefusedWithCode("invalid", f"slug: {' '.join(error.messages)}") from None
        if len(slug) > MAX_SLUG:
            raise RefusedWithCode("invalid", f"slug must have at most {MAX_SLUG} characters.")
    return files[0].file, given


def _accounts(text: str) -> dict[str, AccountChoice]:
    value = parsed(text.encode("utf-8", "surrogatepass"))
    if not isinstance(value, dict):
        raise RefusedWithCode("invalid", "people must be a JSON object.")
    return {name: _account(name, entry) for name, entry in value.items()}


def _account(name: str, entry: Any) -> AccountChoice:
    is_right = (
        isinstance(entry, dict)
        and {"name"} <= entry.keys() <= {"name", "is_existing"}
        and isinstance(entry["name"], str)
        and 0 < len(entry["name"]) <= MAX_NAME
        and isinstance(entry.get("is_existing", False), bool)
    )
    if not is_right:
        raise RefusedWithCode(
            "invalid", f'people: {name[:100]!r} must be like {{"name": "ann-2", "is_existing": false}}.'
        )
    return AccountChoice(entry["name"], entry.get("is_existing", False))
