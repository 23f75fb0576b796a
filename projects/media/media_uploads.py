"""One upload of files and archives. Each file is accepted or refused separately."""

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.http import HttpRequest

from core.refusals import RefusedWithCode
from core.tables import read_limits
from projects.events import record
from projects.imports.import_lock import lock_timeout_refusals
from projects.media.media_archives import is_archive, members_of, name_of, unpacked
from projects.media.media_files import UploadResult, room_in, store_media
from projects.media.names import in_folder
from projects.media.refusals import MediaRefused
from projects.models import Event, Project
from projects.refusals import ProjectClosed

SHOWN_NAME = 200


@dataclass(frozen=True, slots=True)
class RefusedFile:
    name: str
    code: str
    sentence: str
    status_code: int


@dataclass(slots=True)
class UploadOutcome:
    """The outcome of an upload: the names of its files, and why some were refused."""

    added: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    refused: list[RefusedFile] = field(default_factory=list)

    @property
    def is_nothing(self) -> bool:
        """Whether no file of the upload was accepted."""
        return not (self.added or self.replaced or self.unchanged)

    @property
    def status_code(self) -> int:
        """The status of the response: that of the first refusal if everything was refused."""
        return self.refused[0].status_code if self.is_nothing and self.refused else 201

    def refuse(self, name: str, refusal: MediaRefused) -> None:
        shown = name.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")[:SHOWN_NAME]
        self.refused.append(RefusedFile(shown, refusal.code, str(refusal), refusal.status_code))


def limit_upload(request: HttpRequest) -> None:
    """Must be called before the body is read."""
    read_limits.limit_upload(request, most=settings.MEDIA_MAX_BYTES, too_large=too_large)


def too_large() -> RefusedWithCode:
    limit = settings.MEDIA_MAX_BYTES
    return RefusedWithCode(
        "too_large", f"An upload can contain at most {limit:,} bytes. Split it into several.", status_code=413
    )


class Upload:
    """One upload into a project, within its storage limit."""

    def __init__(self, project: Project, *, by: Any, folder: str = "", replace: bool = False) -> None:
        self.project, self.by, self.folder, self.replace = project, by, folder, replace
        self.outcome = UploadOutcome()
        self.room = room_in(project)

    def take_all(self, files: Iterable[tuple[str, BinaryIO]]) -> UploadOutcome:
        """Store all files, unpacking archives; records one event for all changes."""
        if self.project.is_closed:
            raise ProjectClosed("The project is closed. Reopen it to upload files.")
        try:
            for name, file in files:
                self.take(name, file)
        finally:
            self._record()
        return self.outcome

    def take_all_in(self, folder: Path) -> UploadOutcome:
        """Store the files in a folder under their relative names, without hidden files and symbolic links."""
        return self.take_all(_files_in(folder))

    def take(self, name: str, file: BinaryIO) -> None:
        try:
            if is_archive(file):
                self._take_archive(file)
            else:
                self._keep(in_folder(self.folder, name), file)
        except MediaRefused as refusal:
            self.outcome.refuse(name, refusal)

    def _take_archive(self, file: BinaryIO) -> None:
        members = members_of(file)
        left = settings.MEDIA_MAX_BYTES
        with zipfile.ZipFile(file) as archive:
            for place, member in enumerate(members):
                name = in_folder(self.folder, name_of(member))
                try:
                    with unpacked(archive, member, most=left) as found:
                        left -= found.seek(0, 2)
                        self._keep(name, found)
                except MediaRefused as refusal:
                    self.outcome.refuse(name, refusal)
                    if refusal.code == "too_large":
                        # Further files would only be unpacked to be too large as well.
                        self._refuse_rest(len(members) - place - 1, refusal)
                        break

    def _refuse_rest(self, n: int, refusal: MediaRefused) -> None:
        if n:
            self.outcome.refuse(f"{n:,} more in the archive", refusal)

    def _keep(self, name: str, file: BinaryIO) -> None:
        n_bytes = file.seek(0, 2)
        if n_bytes > self.room:
            raise MediaRefused("project_full", self._full(), status_code=413)
        with lock_timeout_refusals():
            kept = store_media(self.project, name, file, by=self.by, replace=self.replace)
        if kept != UploadResult.UNCHANGED:
            self.room -= n_bytes
        getattr(self.outcome, kept.value).append(name)

    def _full(self) -> str:
        limit = settings.MEDIA_MAX_PROJECT_BYTES
        return (
            f"The project has reached its limit of {limit:,} bytes of files. Remove some, or ask the "
            "server administrator to raise the limit."
        )

    def _record(self) -> None:
        n_added, n_replaced = len(self.outcome.added), len(self.outcome.replaced)
        if n_added or n_replaced:
            about = (self.outcome.added or self.outcome.replaced)[0]
            detail = {"added": n_added, "replaced": n_replaced}
            record(Event.Kind.MEDIA_CHANGED, by=self.by, project=self.project, about=about, **detail)


def _files_in(folder: Path) -> Iterator[tuple[str, BinaryIO]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_symlink() or not path.is_file() or any(part.startswith(".") for part in name.parts):
            continue
        with path.open("rb") as file:
            yield name.as_posix(), file
