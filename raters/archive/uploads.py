"""Project files uploaded by owners, stored in pieces in the database between preview and import."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, BinaryIO

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.http import HttpRequest

from core.refusals import RefusedWithCode
from core.shapes import Json
from core.tables import read_limits
from projects.actions import free_slug
from raters.archive.people import Person, offered
from raters.archive.project_import import contents_of
from raters.archive.validation import ArchiveContents, ArchiveLimits
from raters.models import ProjectUpload, ProjectUploadPiece, User

PIECE = 1024 * 1024
# The maximum compression ratio expected for JSON lines.
PACKED = 20
_KEPT_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ArchivePreview:
    """What an import would add. slug: one that is free here. people: each with a name that is free here."""

    name: str
    slug: str
    slug_in_file: str
    counts: dict[str, int]
    people: list[Person]


def upload_limits() -> ArchiveLimits:
    """Return the limits for imports by page or API, which have to finish within their request."""
    return ArchiveLimits(
        n_rows=3 * settings.IMPORT_MAX_ROWS, n_bytes=PACKED * settings.PROJECT_FILE_MAX_BYTES
    )


def too_large() -> RefusedWithCode:
    limit = settings.PROJECT_FILE_MAX_BYTES
    sentence = (
        f"The file is larger than {limit:,} bytes. Import it on the server with manage.py import_project."
    )
    return RefusedWithCode("too_large", sentence, status_code=413)


def limit_upload(request: HttpRequest) -> None:
    """Limit the upload size. Call this before anything reads the body."""
    read_limits.limit_upload(request, most=settings.PROJECT_FILE_MAX_BYTES, too_large=too_large)


def store_upload(file: Any, *, by: User) -> ProjectUpload:
    """Keep an uploaded file for its preview. Raises BadProjectFile."""
    contents = contents_of(file, upload_limits())
    with transaction.atomic():
        ProjectUpload.objects.filter(made_at__lt=Now() - _KEPT_FOR).delete()
        upload = ProjectUpload.objects.create(
            made_by=by, file_name=(file.name or "")[:300], contents=_as_json(contents)
        )
        file.seek(0)
        for position, piece in enumerate(iter(lambda: file.read(PIECE), b"")):
            ProjectUploadPiece.objects.create(upload=upload, position=position, content=piece)
    return upload


@contextmanager
def opened_upload(upload: ProjectUpload) -> Iterator[BinaryIO]:
    """Yield the file of an upload; an archive is read from its end, so it is assembled first."""
    with tempfile.TemporaryFile() as file:
        for content in upload.pieces.order_by("position").values_list("content", flat=True).iterator(1):
            file.write(content)
        file.seek(0)
        yield file


def preview_of(upload: ProjectUpload) -> ArchivePreview:
    """Return the preview as of now: names that were free may have been taken since."""
    return _preview(**upload.contents)


def preview(contents: ArchiveContents) -> ArchivePreview:
    return _preview(**_as_json(contents))


def _preview(name: str, slug: str, usernames: list[str], counts: dict[str, int]) -> ArchivePreview:
    return ArchivePreview(name, free_slug(slug), slug, counts, offered(usernames))


def _as_json(contents: ArchiveContents) -> Json:
    return {
        "name": contents.name,
        "slug": contents.slug,
        "usernames": contents.usernames,
        "counts": dict(contents.counts),
    }
