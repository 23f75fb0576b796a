"""Start and finish imports."""

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.urls import reverse

from core.refusals import Refused
from core.runs.lease import RunFailed, RunLost
from core.tables.encoding import Source
from core.tables.faults import FileRefused
from core.tables.sources import digest_of
from projects.events import record
from projects.imports.import_lock import CONFIRMING, acquire_import_lock
from projects.imports.protocol import (
    CheckedFile,
    ImportContext,
    ImportFile,
    ImportResult,
    ReadingOptions,
    ReportImportProgress,
    no_import_progress,
)
from projects.imports.recording import record_import
from projects.models import Event, Project, Webhook
from projects.refusals import ProjectClosed
from projects.webhooks.event_queue import queue_event
from raters.imports.file_kinds import KINDS, opened
from raters.imports.import_refusals import refuse_closed, refuse_numbered_again
from raters.imports.label_file import GoesBeyondPreview, LabelFile
from raters.imports.label_options import LabelOptions
from raters.imports.read_blocks import ReadBlocks
from raters.imports.uploads import clear_away, copy_pieces, store_pieces, stored
from raters.models import ImportedRange, LabelImport, User

logger = logging.getLogger(__name__)

State = LabelImport.State
# What can make an import fail although its checks passed.
CONFLICTS: dict[str, str] = {
    LabelImport.Kind.LABELS: "labels for the same items were saved",
    LabelImport.Kind.ITEMS: "some of the items were created",
}


class ImportNotConfirmable(Refused):
    """The import is not a draft any more, or its file has faults."""

    code = "not_confirmable"


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A file with its original name, which is only for display."""

    name: str
    source: Source


def import_now(
    project: Project,
    file: NamedSource,
    options: LabelOptions,
    *,
    by: User | None,
    report_progress: ReportImportProgress = no_import_progress,
) -> LabelImport:
    """Load a file of labels in this process and one transaction. Raises ProjectClosed, FileKnown, or FileRefused."""
    digest, n_bytes = digest_of(file.source)
    with transaction.atomic():
        acquire_import_lock(project)
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
        LabelFile(project, file.source, options, ImportContext(name=file.name)).refuse(digest)
        run.save()
        how = ImportContext(by=by, origin=run.origin, name=file.name, report_progress=report_progress)
        loading = LabelFile(project, file.source, options, how)
        done = loading.load()
        run.options = loading.options.as_json()
        run.save(update_fields=["options"])
        _end(run, done)
    run.refresh_from_db()
    return run


def _end(run: LabelImport, done: ImportResult) -> None:
    """Mark a run loaded in this process as done. started_at is unchanged, since it shows that a worker is alive."""
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
    by: User | None,
    kind: str = LabelImport.Kind.LABELS,
) -> LabelImport:
    """Create a draft with the file and the result of checking it. Raises ProjectClosed or FileKnown."""
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


@transaction.atomic
def draft_from_file_of(
    draft: LabelImport, options: ReadingOptions, *, by: User | None, kind: str
) -> LabelImport:
    """Create a draft of another part of the same uploaded file, such as another sheet. Raises ProjectClosed."""
    other = LabelImport.objects.create(
        project=draft.project,
        kind=kind,
        file_name=draft.file_name,
        n_bytes=draft.n_bytes,
        sha256=draft.sha256,
        options=options.as_json(),
        state=State.DRAFT,
        asked_by=by,
    )
    copy_pieces(draft, other)
    check(other, options)
    return other


def check(draft: LabelImport, options: ReadingOptions) -> None:
    """Check the file of a draft with these options, and save the result. Raises ProjectClosed."""
    found = opened(draft, options).check()
    # The page asks for the rater where it did before, although the field was cleared.
    asked_for_rater = bool(draft.options.get("rater")) or draft.preview.get("asked_for_rater", False)
    values = {
        "kind": draft.kind,
        "options": options.as_json(),
        "is_reviewed": False,
        **_preview_fields(found),
    }
    if asked_for_rater:
        values["preview"]["asked_for_rater"] = True
    for name, value in values.items():
        setattr(draft, name, value)
    draft.save(update_fields=list(values))


def _preview_fields(found: CheckedFile) -> dict[str, Any]:
    """Return what a draft shows of a check."""
    return {
        **({"options": found.options.as_json()} if found.options else {}),
        "preview": dict(found.preview),
        "faults": [fault.as_json() for fault in found.faults.listed],
        "n_faults": found.faults.n,
        **found.would_do.counts,
    }


def confirm(label_import: LabelImport, *, by: User, seen: str | None = None) -> None:
    """Load a draft without faults, or queue it for the workers.

    seen: digest_of_check of what the person saw; None if nobody saw it. Raises ProjectClosed, FileKnown, QueueFull, or
    ImportNotConfirmable, also if loading would differ from what was seen.
    """
    if not label_import.has_whole_preview or label_import.n_found > KINDS[label_import.kind].most_at_once:
        _queue(label_import, by=by, seen=seen)
        return
    try:
        _load_reviewed(label_import, by=by, seen=seen)
    except (FileRefused, _UnexpectedChanges):
        label_import.refresh_from_db()
        check(label_import, KINDS[label_import.kind].options.from_json(label_import.options))
        raise ImportNotConfirmable(
            "Nothing was imported: the project was changed since you opened this page. Review the preview again."
        ) from None


@transaction.atomic
def _queue(label_import: LabelImport, *, by: User, seen: str | None) -> None:
    if label_import.kind == LabelImport.Kind.LABELS:
        refuse_closed(label_import.project)
    draft = reviewed_draft(label_import, seen)
    # Serialize concurrent confirmations, so that the second one finds the file already known.
    acquire_import_lock(label_import.project, CONFIRMING)
    refuse_numbered_again(draft)
    opened(draft).refuse(draft.sha256)
    draft.queue(by=by)
    LabelImport.objects.filter(pk=draft.pk).update(is_reviewed=seen is not None)


class _UnexpectedChanges(Exception):
    """The load did not do what its check had predicted."""


@transaction.atomic
def _load_reviewed(label_import: LabelImport, *, by: User, seen: str | None) -> None:
    draft = reviewed_draft(label_import, seen)
    draft.asked_by = by
    refuse_numbered_again(draft)
    done = opened(draft).load()
    if done != ImportResult(draft.n_created, draft.n_changed, draft.n_unchanged):
        raise _UnexpectedChanges
    _end(draft, done)
    draft.chunks.all().delete()


def reviewed_draft(label_import: LabelImport, seen: str | None) -> LabelImport:
    """Lock and return the draft. Raises ImportNotConfirmable if it has faults or differs from what was seen."""
    draft = LabelImport.objects.select_for_update(no_key=True).get(pk=label_import.pk)
    if draft.state != State.DRAFT:
        raise ImportNotConfirmable("This import was already confirmed or canceled.")
    if digest_of_check(draft) != (digest_of_check(label_import) if seen is None else seen):
        raise ImportNotConfirmable(
            "The import settings were changed since you opened this page. Review the preview again."
        )
    if draft.n_faults:
        raise ImportNotConfirmable("The file has problems. Fix them before importing.")
    return draft


def digest_of_check(label_import: LabelImport) -> str:
    """Return a digest that identifies a check: how the file was read, and the counts found."""
    seen = [label_import.options, label_import.n_found, label_import.n_changed]
    return sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()


@transaction.atomic
def give_up(label_import: LabelImport, *, by: User | None) -> bool:
    """Cancel the import and delete its file. Returns False if it had already ended."""
    is_canceled = label_import.cancel()
    if is_canceled:
        label_import.chunks.all().delete()
        label_import.blocks.all().delete()
        project, name = label_import.project, label_import.file_name
        record(Event.Kind.IMPORT_CANCELED, by=by, project=project, about=name)
    return is_canceled


def run_import(label_import: LabelImport, *, report_progress: ReportImportProgress) -> None:
    """Load a confirmed import in a worker, or fail with its faults and an error message.

    If a person agreed to a preview of its first part, and the rest has faults or differs, it becomes a draft again.
    """
    try:
        _run_import(label_import, report_progress)
    except ProjectClosed as refusal:
        raise RunFailed(str(refusal)) from None


def _run_import(label_import: LabelImport, report_progress: ReportImportProgress) -> None:
    asks_again = label_import.is_reviewed and not label_import.has_whole_preview
    file = _file_of(label_import, report_progress, asks_again=asks_again)
    try:
        if isinstance(file, LabelFile):
            file.read_ahead()
        with transaction.atomic():
            _load_run(label_import, file)
    except GoesBeyondPreview:
        _ask_again(label_import, file)
    except FileRefused as refusal:
        if asks_again:
            _ask_again(label_import, file)
            return
        faults = refusal.faults
        LabelImport.objects.filter(pk=label_import.pk).update(
            faults=[fault.as_json() for fault in faults.listed], n_faults=faults.n
        )
        raise RunFailed(f"Nothing was imported. {faults.sentence()}") from None
    except IntegrityError:
        logger.exception("%s conflicted with what was saved at the same time", label_import)
        raise RunFailed(
            f"Nothing was imported: {CONFLICTS[label_import.kind]} during the import. Upload the file again."
        ) from None


def _file_of(run: LabelImport, report_progress: ReportImportProgress, *, asks_again: bool) -> ImportFile:
    n_rows = run.preview.get("n_expected" if not run.has_whole_preview else "n_records", 0)
    how = ImportContext(run.asked_by, run.origin, run.file_name, n_rows, run.n_bytes, report_progress)
    if run.kind != LabelImport.Kind.LABELS:
        return opened(run, how=how)
    seen = run.preview if asks_again else None
    options = LabelOptions.from_json(run.options)
    return LabelFile(run.project, stored(run), options, how, blocks=ReadBlocks(run), seen=seen)


@transaction.atomic
def _ask_again(label_import: LabelImport, file: ImportFile) -> None:
    """Make the import a draft again, whose preview now shows all of the file."""
    found = file.checked if isinstance(file, LabelFile) else opened(label_import).check_all()
    is_ours = label_import.record(
        state=State.DRAFT,
        asked_at=Now(),
        lease_until=None,
        **label_import.no_progress,
        **_preview_fields(found),
    )
    if not is_ours:
        raise RunLost
    label_import.blocks.all().delete()


def _load_run(label_import: LabelImport, file: ImportFile) -> None:
    done = file.load()
    if _goes_beyond(label_import, done):
        raise GoesBeyondPreview
    # First the row, then the pieces, in the same order as give_up, to avoid a deadlock.
    if not label_import.finish(options=file.options.as_json(), **done.counts):
        raise RunLost
    _record(label_import, done)
    label_import.chunks.all().delete()
    label_import.blocks.all().delete()


def _goes_beyond(run: LabelImport, done: ImportResult) -> bool:
    """Return whether a file of items did more than the preview that a person agreed to showed."""
    if run.kind != LabelImport.Kind.ITEMS or not run.is_reviewed:
        return False
    if run.has_whole_preview:
        return done != ImportResult(run.n_created, run.n_changed, run.n_unchanged)
    return done.n_labeled > run.preview["n_labeled"]


def _record(run: LabelImport, done: ImportResult) -> None:
    ImportedRange.objects.bulk_create(
        ImportedRange(label_import=run, kind=kind, first_id=first, last_id=last)
        for kind, first, last in done.ranges
    )
    record_import(run.project, done, by=run.asked_by, file_name=run.file_name, what=run.kind)
    queue_event(
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
    """Return a file name that the database can store: valid text, no longer than its column."""
    return name.replace("\0", "").encode("utf-8", "replace").decode()[:300] or "unnamed"
