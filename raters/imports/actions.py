"""Every way an import begins and ends."""

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.urls import reverse

from core.refusals import Refused
from core.runs.lease import RunFailed, RunLost
from core.tables.encoding import Source
from core.tables.faults import FileRefused
from core.tables.sources import digest_of
from projects.events import record
from projects.imports.protocol import Imported, Loading, ReadingOptions, Tick, no_tick
from projects.imports.recording import record_import
from projects.imports.turns import CONFIRMING, take_turn
from projects.models import Event, Project, Webhook
from projects.refusals import ProjectClosed
from projects.webhooks.telling import tell
from raters.imports.file_kinds import KINDS, opened
from raters.imports.known import refuse_closed
from raters.imports.label_file import FileOfLabels
from raters.imports.options import LabelOptions
from raters.imports.uploads import clear_away, store_pieces
from raters.models import ImportedRange, LabelImport, User

logger = logging.getLogger(__name__)

State = LabelImport.State


class NotConfirmable(Refused):
    """An import that is no draft any more, or whose file has faults."""

    code = "not_confirmable"


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file by the name it came with; the name is only ever shown."""

    name: str
    source: Source


def import_now(
    project: Project, file: NamedFile, options: LabelOptions, *, by: User | None, tick: Tick = no_tick
) -> LabelImport:
    """Load a file of labels in this process and one transaction; raises ProjectClosed, FileKnown or FileRefused."""
    digest, n_bytes = digest_of(file.source)
    with transaction.atomic():
        take_turn(project)
        run = LabelImport(
            project=project,
            file_name=shown_name(file.name),
            sha256=digest,
            n_bytes=n_bytes,
            options=options.as_json(),
            state=State.RUNNING,
            asked_by=by,
            started_at=Now(),
        )
        FileOfLabels(project, file.source, options, Loading(name=file.name)).refuse(digest)
        run.save()
        how = Loading(by=by, origin=run.origin, name=file.name, tick=tick)
        loading = FileOfLabels(project, file.source, options, how)
        done = loading.load()
        run.options = loading.options.as_json()
        run.save(update_fields=["options"])
        _end(run, done)
    run.refresh_from_db()
    return run


def _end(run: LabelImport, done: Imported) -> None:
    """Of a run that was loaded here; started_at, by which a worker is known to be awake, stays as it is."""
    LabelImport.objects.filter(pk=run.pk).update(
        state=State.DONE, asked_by=run.asked_by, share_done=1.0, finished_at=Now(), **done.counts
    )
    _record(run, done)


@transaction.atomic
def upload(
    project: Project,
    name: str,
    blocks: Iterable[bytes],
    options: ReadingOptions,
    *,
    by: User,
    kind: str = LabelImport.Kind.LABELS,
) -> LabelImport:
    """A draft that holds the file and what a check of it found; raises ProjectClosed or FileKnown."""
    clear_away(project.imports.all())
    draft = LabelImport.objects.create(
        project=project,
        kind=kind,
        file_name=shown_name(name),
        n_bytes=0,
        options=options.as_json(),
        state=State.DRAFT,
        asked_by=by,
    )
    store_pieces(draft, blocks)
    opened(draft).refuse(draft.sha256)
    check(draft, options)
    return draft


def check(draft: LabelImport, options: ReadingOptions) -> None:
    """Check the file of a draft, read as these options say, and keep what was found; raises ProjectClosed."""
    found = opened(draft, options).check()
    values = {
        "kind": draft.kind,
        "options": (found.options or options).as_json(),
        "preview": dict(found.preview),
        "faults": [fault.as_json() for fault in found.faults.listed],
        "n_faults": found.faults.n,
        **found.would_do.counts,
    }
    for name, value in values.items():
        setattr(draft, name, value)
    draft.save(update_fields=list(values))


def confirm(given: LabelImport, *, by: User, seen: str | None = None) -> None:
    """Load a draft without faults, or hand it to the workers.

    seen: digest_of_check of what the person looked at; else it is that of the import as it was given. Raises
    ProjectClosed, FileKnown, QueueFull, or NotConfirmable, also if loading would do other than what was seen.
    """
    seen = digest_of_check(given) if seen is None else seen
    if KINDS[given.kind].is_queued:
        _queue(given, by=by, seen=seen)
        return
    try:
        _load_as_seen(given, by=by, seen=seen)
    except (FileRefused, _Otherwise):
        given.refresh_from_db()
        check(given, KINDS[given.kind].options.from_json(given.options))
        raise NotConfirmable(
            "Nothing was imported: the project was changed since you opened this page. Review the preview again."
        ) from None


@transaction.atomic
def _queue(given: LabelImport, *, by: User, seen: str) -> None:
    refuse_closed(given.project)
    draft = draft_as_seen(given, seen)
    # Held for this short moment, so that of two that confirm the same file the second knows of the first.
    take_turn(given.project, CONFIRMING)
    opened(draft).refuse(draft.sha256)
    draft.queue(by=by)


class _Otherwise(Exception):
    """What a load did is not what its check had found."""


@transaction.atomic
def _load_as_seen(given: LabelImport, *, by: User, seen: str) -> None:
    draft = draft_as_seen(given, seen)
    draft.asked_by = by
    done = opened(draft).load()
    if done != Imported(draft.n_created, draft.n_changed, draft.n_unchanged):
        raise _Otherwise
    _end(draft, done)
    draft.chunks.all().delete()


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
@transaction.atomic
def give_up(label_import: LabelImport, *, by: User) -> bool:
    """Cancel, and forget the file; False if the import had ended before."""
    is_canceled = label_import.cancel()
    if is_canceled:
        label_import.chunks.all().delete()
        project, name = label_import.project, label_import.file_name
        record(Event.Kind.IMPORT_CANCELED, by=by, project=project, about=name)
    return is_canceled


def run_import(label_import: LabelImport, *, tick: Tick) -> None:
    """What a worker does with a confirmed import: load all of it, or end it with its faults and a sentence."""
    try:
        with transaction.atomic():
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
    n_rows = label_import.preview.get("n_records", 0)
    how = Loading(label_import.asked_by, label_import.origin, label_import.file_name, n_rows, tick)
    done = opened(label_import, how=how).load()
    # First the row, then the pieces, as give_up does: whoever locks them the other way round may block both.
    if not label_import.finish(**done.counts):
        raise RunLost
    _record(label_import, done)
    label_import.chunks.all().delete()


def _record(run: LabelImport, done: Imported) -> None:
    ImportedRange.objects.bulk_create(
        ImportedRange(label_import=run, kind=kind, first_id=first, last_id=last)
        for kind, first, last in done.ranges
    )
    record_import(run.project, done, by=run.asked_by, file_name=run.file_name, what=run.kind)
    tell(
        run.project,
        Webhook.Event.IMPORT_DONE,
        {
            "import_id": run.pk,
            "kind": run.kind,
            "n_created": done.counts["n_created"],
            "n_changed": done.counts["n_changed"],
            "n_unchanged": done.counts["n_unchanged"],
        },
        links={"import_url": reverse("api_import", args=[run.project.slug, run.pk])},
    )


def shown_name(name: str) -> str:
    """A file's name as text: without what a database cannot hold, and not longer than its column."""
    return name.replace("\0", "").encode("utf-8", "replace").decode()[:300] or "unnamed"
