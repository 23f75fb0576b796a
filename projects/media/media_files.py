"""Stores media files by name and their content by digest, and removes both."""

import hashlib
from enum import Enum
from functools import partial
from typing import IO, Any, BinaryIO, TypedDict

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models import Sum

from projects.events import record
from projects.media.file_types import HEAD, type_of
from projects.media.image_sizes import size_of
from projects.media.names import clean_name
from projects.media.refusals import MediaRefused
from projects.models import Event, MediaFile, Project

_LOCK = 7_003
_BLOCK = 1024 * 1024


class UploadResult(Enum):
    """What happened to an uploaded file."""

    ADDED = "added"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"


def store_media(
    project: Project, name: str, file: BinaryIO, *, by: Any, replace: bool = False
) -> UploadResult:
    """Store one file under a name in the project; raises MediaRefused, and then changes nothing."""
    name = clean_name(name)
    fields = _examined(file)
    with transaction.atomic():
        _lock_names(project)
        found = MediaFile.objects.filter(project=project, name=name).first()
        if found and found.sha256 == fields["sha256"]:
            return UploadResult.UNCHANGED
        if found and not replace:
            raise MediaRefused(
                "name_taken",
                "A different file with this name already exists. Rename this one, or choose to replace files.",
                status_code=409,
            )
        store_bytes(fields["sha256"], fields["n_bytes"], file)
        if found is None:
            MediaFile.objects.create(project=project, name=name, added_by=by, **fields)
            return UploadResult.ADDED
        transaction.on_commit(partial(drop_bytes, found.sha256))
        MediaFile.objects.filter(pk=found.pk).update(added_by=by, **fields)
        return UploadResult.REPLACED


class MediaProperties(TypedDict):
    """Fields of a media file that follow from its bytes. width, height: of an image, in pixels."""

    type: str
    sha256: str
    n_bytes: int
    width: int | None
    height: int | None


def _examined(file: BinaryIO) -> MediaProperties:
    """A file's type, digest and size; raises MediaRefused."""
    file.seek(0)
    head = file.read(HEAD)
    if not head:
        raise MediaRefused("empty", "The file is empty.")
    media_type = type_of(head)
    sha256, n_bytes = _digest(file)
    width, height = size_of(file, media_type) if media_type.startswith("image/") else (None, None)
    return {"type": media_type, "sha256": sha256, "n_bytes": n_bytes, "width": width, "height": height}


def _digest(file: BinaryIO) -> tuple[str, int]:
    digest, n_bytes = hashlib.sha256(), 0
    file.seek(0)
    while block := file.read(_BLOCK):
        digest.update(block)
        n_bytes += len(block)
        if n_bytes > settings.MEDIA_MAX_BYTES:
            raise too_large()
    return digest.hexdigest(), n_bytes


def too_large() -> MediaRefused:
    limit = settings.MEDIA_MAX_BYTES
    return MediaRefused(
        "too_large", f"The file is larger than {limit:,} bytes. Make it smaller.", status_code=413
    )


def room_in(project: Project) -> int:
    """The bytes that the project may still store; simultaneous uploads are not counted."""
    used = MediaFile.objects.filter(project=project).aggregate(sum=Sum("n_bytes"))["sum"] or 0
    return max(0, settings.MEDIA_MAX_PROJECT_BYTES - used)


def place_of(sha256: str) -> str:
    """The storage path of this content."""
    return f"{sha256[:2]}/{sha256}"


def store_bytes(sha256: str, n_bytes: int, file: IO[bytes]) -> None:
    """Write the content unless it exists, in the transaction of its row, so that it is not deleted meanwhile."""
    _lock_bytes(sha256)
    place = place_of(sha256)
    if default_storage.exists(place) and default_storage.size(place) == n_bytes:
        return
    file.seek(0)
    default_storage.save(place, File(file))


def remove(media: MediaFile, *, by: Any) -> None:
    """Remove a file; items that refer to it then show that it is missing."""
    with transaction.atomic():
        MediaFile.objects.filter(pk=media.pk).delete()
        record(Event.Kind.MEDIA_CHANGED, by=by, project=media.project, about=media.name, removed=1)
        transaction.on_commit(partial(drop_bytes, media.sha256))


def drop_bytes(sha256: str) -> None:
    """Delete content that no file of any project refers to anymore."""
    with transaction.atomic():
        _lock_bytes(sha256)
        if not MediaFile.objects.filter(sha256=sha256).exists():
            default_storage.delete(place_of(sha256))


def _lock_names(project: Project) -> None:
    """Serialize uploads of the same name."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, project.pk])


def _lock_bytes(sha256: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int(sha256[:15], 16)])
