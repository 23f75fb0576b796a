"""Every way an import begins and ends."""

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from core.runs.lease import RunFailed, RunLost
from core.tables.encoding import Source
from core.tables.faults import FileRefused
from core.tables.sources import digest_of
from projects.events import record
from projects.imports.turns import CONFIRMING, take_turn
from projects.models import Event, Project
from projects.refusals import ProjectClosed
from raters.imports.files import FileOfLabels, Preview, Tick, no_tick
from raters.imports.options import Options
from raters.imports.uploads import clear_away, store_pieces, stored
from raters.models import LabelImport, User

logger = logging.getLogger(__name__)

State = LabelImport.State
# Imports that have loaded a file, or are about to.
_COUNTING = (State.QUEUED, State.RUNNING, State.DONE)


class FileKnown(Exception):
    """The same file was imported into the project before, and read alike."""

    def __init__(self, first: LabelImport) -> None:
        verb = "was already imported" if first.state == State.DONE else "is already being imported"
        when = first.finished_at or first.asked_at
        super().__init__(
            f"This file {verb}, as import {first.pk} ({first.file_name}, {when:%Y-%m-%d %H:%M} UTC). "
            "Nothing was changed."
        )
        self.first = first


class NotConfirmable(Exception):
    """An import that is no draft any more, or whose file has faults."""


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file by the name it came with; the name is only ever shown."""

    name: str
    source: Source


def import_now(
    project: Project, file: NamedFile, options: Options, *, by: User | None, tick: Tick = no_tick
) -> LabelImport:
    """Load a file in this process and one transaction; raises ProjectClosed, FileKnown or FileRefused."""
    digest, n_bytes = digest_of(file.source)
    with transaction.atomic():
        refuse_closed(project)
        take_turn(project)
        refuse_known(project, digest, options)
        label_import = LabelImport.objects.create(
            project=project,
            file_name=shown_name(file.name),
            sha256=digest,
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
        record_import(label_import, preview.n_created, preview.n_changed)
    label_import.refresh_from_db()
    return label_import


@transaction.atomic
def upload(
    project: Project, name: str, blocks: Iterable[bytes], options: Options, *, by: User
) -> LabelImport:
    """A draft that holds the file and what a check of it found; raises ProjectClosed or FileKnown."""
    refuse_closed(project)
    clear_away(project.imports.all())
    label_import = LabelImport.objects.create(
        project=project,
        file_name=shown_name(name),
        n_bytes=0,
        options=options.as_json(),
        state=State.DRAFT,
        asked_by=by,
    )
    store_pieces(label_import, blocks)
    refuse_known(project, label_import.sha256, options)
    check_import(label_import, options)
    return label_import


def check_import(label_import: LabelImport, options: Options) -> None:
    """Check the file of a draft, read as these options say, and keep what was found."""
    examined = FileOfLabels(label_import.project, stored(label_import), options)
    examined.check()
    label_import.options = options.as_json()
    label_import.preview = examined.preview.as_json()
    label_import.n_faults = examined.faults.n
    label_import.faults = [fault.as_json() for fault in examined.faults.listed]
    for name, n in counts_of(examined.preview).items():
        setattr(label_import, name, n)
    label_import.save(
        update_fields=["options", "preview", "n_faults", "faults", *counts_of(examined.preview)]
    )


@transaction.atomic
def confirm_import(label_import: LabelImport, *, by: User, seen: str | None = None) -> None:
    """Hand a draft without faults to the workers; raises ProjectClosed, FileKnown, NotConfirmable or QueueFull.

    seen: digest_of_check of what the person looked at; else it is that of the import as it was given.
    """
    refuse_closed(label_import.project)
    draft = draft_as_seen(label_import, digest_of_check(label_import) if seen is None else seen)
    # Held for this short moment, so that of two that confirm the same file the second knows of the first.
    take_turn(label_import.project, CONFIRMING)
    refuse_known(label_import.project, draft.sha256, Options.from_json(draft.options))
    draft.queue(by=by)


def draft_as_seen(label_import: LabelImport, seen: str) -> LabelImport:
    """The draft, locked; raises NotConfirmable unless it is without faults, and as it was looked at."""
    draft = LabelImport.objects.select_for_update(no_key=True).get(pk=label_import.pk)
    if draft.state != State.DRAFT:
        raise NotConfirmable("This import was already confirmed or canceled.")
    if digest_of_check(draft) != seen:
        raise NotConfirmable(
            "The import settings were changed since you opened this page. Review the preview again."
        )
    if draft.n_faults:
        raise NotConfirmable("The file has problems. Fix them before importing.")
    return draft


def digest_of_check(label_import: LabelImport) -> str:
    """Tells one check of a draft from another: how its file was read, and how much was found."""
    seen = [label_import.options, label_import.n_found, label_import.n_changed]
    return sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()


@transaction.atomic
def give_up(label_import: LabelImport) -> bool:
    """Cancel, and forget the file; False if the import had ended before."""
    is_cancelled = label_import.cancel()
    if is_cancelled:
        label_import.chunks.all().delete()
    return is_cancelled


def run_import(label_import: LabelImport, *, tick: Tick) -> None:
    """What a worker does with a confirmed import: load all of it, or end it with its faults and a sentence."""
    try:
        with transaction.atomic():
            refuse_closed(label_import.project)
            _load_run(label_import, tick)
    except FileRefused as refusal:
        faults = refusal.faults
        LabelImport.objects.filter(pk=label_import.pk).update(
            faults=[fault.as_json() for fault in faults.listed], n_faults=faults.n
        )
        raise RunFailed(f"Nothing was imported. {faults.sentence()}") from None
    except ProjectClosed as refusal:
        raise RunFailed(str(refusal)) from None
    except IntegrityError:
        logger.exception("%s conflicted with labels saved at the same time", label_import)
        raise RunFailed(
            "Nothing was imported: labels for the same items were saved during the import. Upload the file again."
        ) from None


def _load_run(label_import: LabelImport, tick: Tick) -> None:
    file = FileOfLabels(
        label_import.project,
        stored(label_import),
        Options.from_json(label_import.options),
        n_rows=label_import.preview.get("staged", {}).get("n_rows", 0),
        tick=tick,
    )
    preview = file.load(by_id=label_import.asked_by_id, origin=label_import.origin)
    # First the row, then the pieces, as give_up does: whoever locks them the other way round may block both.
    if not label_import.finish(**counts_of(preview)):
        raise RunLost
    record_import(label_import, preview.n_created, preview.n_changed)
    label_import.chunks.all().delete()


def record_import(label_import: LabelImport, n_created: int, n_changed: int) -> None:
    record(
        Event.Kind.IMPORTED,
        by=label_import.asked_by,
        project=label_import.project,
        about=label_import.file_name,
        what=label_import.kind,
        created=n_created,
        changed=n_changed,
    )


def refuse_closed(project: Project) -> None:
    project.refresh_from_db(fields=["state", "is_codebook_closed"])
    if project.is_closed:
        raise ProjectClosed(f"The project {project} is closed. Reopen it to import labels.")


def refuse_known(project: Project, digest: str, options: Options) -> None:
    """Raise FileKnown if the file was taken before."""
    labels = project.imports.filter(kind=LabelImport.Kind.LABELS)
    for earlier in labels.filter(sha256=digest, state__in=_COUNTING).order_by("id"):
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
