"""Every way an import begins and ends."""

from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models.functions import Now

from projects.actions import ProjectClosed
from projects.files.encoding import Source
from projects.files.faults import Faults, FileRefused
from projects.files.sources import digest_of
from projects.models import Project
from raters.importing.files import FileOfLabels, Preview, Tick, no_tick
from raters.importing.options import Options
from raters.models import LabelImport, User

State = LabelImport.State
# Imports that have loaded a file, or are about to.
_COUNTING = (State.QUEUED, State.RUNNING, State.DONE)
_LOCK = 7_002


class FileKnown(Exception):
    """The same file was imported into the project before, and read alike."""

    def __init__(self, first: LabelImport) -> None:
        verb = "was imported" if first.state == State.DONE else "is being imported"
        when = first.finished_at or first.asked_at
        super().__init__(
            f"This file {verb} already, as import {first.pk} ({first.file_name}, {when:%Y-%m-%d %H:%M} UTC). "
            "Nothing was changed."
        )
        self.first = first


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file by the name it came with; the name is only ever shown."""

    name: str
    source: Source


def import_now(
    project: Project, file: NamedFile, options: Options, *, by: User | None, tick: Tick = no_tick
) -> LabelImport:
    """Load a file in this process and one transaction; raises ProjectClosed, FileKnown or FileRefused."""
    sha256, n_bytes = digest_of(file.source)
    with transaction.atomic():
        refuse_closed(project)
        refuse_known(project, sha256, options)
        label_import = LabelImport.objects.create(
            project=project,
            file_name=shown_name(file.name),
            sha256=sha256,
            n_bytes=n_bytes,
            options=options.as_json(),
            state=State.RUNNING,
            asked_by=by,
            started_at=Now(),
        )
        preview = FileOfLabels(project, file.source, options, tick=tick).load(
            by_id=by.pk if by else None, origin=label_import.origin
        )
        LabelImport.objects.filter(pk=label_import.pk).update(
            state=State.DONE, share_done=1.0, finished_at=Now(), **counts_of(preview)
        )
    label_import.refresh_from_db()
    return label_import


def refuse_closed(project: Project) -> None:
    project.refresh_from_db(fields=["state", "is_codebook_closed"])
    if project.is_closed:
        raise ProjectClosed(f"The project {project} is closed; it takes no labels.")


def refuse_known(project: Project, sha256: str, options: Options) -> None:
    """Raise FileKnown if the file was taken before; until the transaction ends nobody else may take it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, project.pk])
    for earlier in project.imports.filter(sha256=sha256, state__in=_COUNTING).order_by("id"):
        if options.reads_alike(Options.from_json(earlier.options)):
            raise FileKnown(earlier)


def counts_of(preview: Preview) -> dict[str, int]:
    return {
        "n_labels": preview.staged.n_labels,
        "n_created": preview.n_created,
        "n_changed": preview.n_changed,
        "n_unchanged": preview.n_unchanged,
    }


def shown_name(name: str) -> str:
    """A file's name as text: without what a database cannot hold, and not longer than its column."""
    return name.replace("\0", "").encode("utf-8", "replace").decode()[:300] or "unnamed"


__all__ = ["Faults", "FileKnown", "FileRefused", "NamedFile", "ProjectClosed", "import_now"]
