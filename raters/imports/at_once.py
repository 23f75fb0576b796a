"""Files of items or questions: a draft, checked by a load that is taken back, and loaded at once when confirmed."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.db.models.functions import Now

from core.tables.encoding import Source
from core.tables.faults import Faults, FileRefused
from core.tables.table import looks_like_json_lines
from projects.codebook.imports import first_questions, import_questions
from projects.imports.options import Beginning, Imported, ReadOptions
from projects.imports.recording import record_import
from projects.items.imports import first_items, import_items, missing_files_of
from projects.models import ItemVersion, Project
from raters.imports.actions import NotConfirmable, draft_as_seen, shown_name
from raters.imports.uploads import clear_away, store_pieces, stored
from raters.models import Label, LabelImport, User

State = LabelImport.State
FIRST = 10


@transaction.atomic
def upload(
    project: Project, kind: str, name: str, blocks: Iterable[bytes], options: ReadOptions, *, by: User
) -> LabelImport:
    """A draft that holds the file and what a check of it found; raises ProjectClosed."""
    clear_away(project.imports.all())
    draft = LabelImport.objects.create(
        project=project, kind=kind, file_name=shown_name(name), n_bytes=0, state=State.DRAFT, asked_by=by
    )
    store_pieces(draft, blocks)
    check(draft, options)
    return draft


def check(draft: LabelImport, options: ReadOptions) -> None:
    """Try to load the file, take that back, and keep what it would have done; raises ProjectClosed."""
    done, faults = Imported(0, 0, 0), Faults()
    n_labeled = 0
    before = ItemVersion.objects.aggregate(last=Max("pk", default=0))["last"]
    try:
        with transaction.atomic():
            done = _load(draft, options)
            replaced = ItemVersion.objects.filter(pk__gt=before, item__project=draft.project)
            has_labels = Exists(Label.objects.filter(item=OuterRef("item")))
            n_labeled = replaced.filter(has_labels).count() if done.n_replaced else 0
            transaction.set_rollback(True)
    except FileRefused as refused:
        faults = refused.faults
    values = {
        "options": asdict(options),
        "preview": _preview(draft, options) | {"n_labeled": n_labeled},
        "faults": [fault.as_json() for fault in faults.listed],
        "n_faults": faults.n,
        "n_created": done.n_created,
        "n_changed": done.n_changed,
        "n_unchanged": done.n_unchanged,
    }
    for name, value in values.items():
        setattr(draft, name, value)
    draft.save(update_fields=list(values))


def confirm(draft: LabelImport, *, by: User, seen: str) -> None:
    """Load all of a draft; raises ProjectClosed, or NotConfirmable if that would do other than what was seen."""
    try:
        _load_as_seen(draft, by=by, seen=seen)
    except (FileRefused, _Otherwise):
        draft.refresh_from_db()
        check(draft, ReadOptions(**draft.options))
        raise NotConfirmable(
            "Nothing was imported: the project was changed since you opened this page. Review the preview again."
        ) from None


class _Otherwise(Exception):
    """What a load did is not what its check had found."""


@transaction.atomic
def _load_as_seen(given: LabelImport, *, by: User, seen: str) -> None:
    draft = draft_as_seen(given, seen)
    draft.asked_by = by
    done = _load(draft, ReadOptions(**draft.options))
    if done != Imported(draft.n_created, draft.n_changed, draft.n_unchanged):
        raise _Otherwise
    # Without started_at, by which a worker is known to be awake.
    LabelImport.objects.filter(pk=draft.pk).update(
        state=State.DONE, asked_by=by, share_done=1.0, finished_at=Now()
    )
    record_import(draft.project, done, by=by, file_name=draft.file_name, what=draft.kind)
    draft.chunks.all().delete()


def _load(draft: LabelImport, options: ReadOptions) -> Imported:
    source = stored(draft)
    if draft.kind == LabelImport.Kind.QUESTIONS:
        return import_questions(draft.project, source, options)
    is_json = looks_like_json_lines(source)
    return import_items(draft.project, source, options, by=draft.asked_by, is_json=is_json)


def _preview(draft: LabelImport, options: ReadOptions) -> dict[str, Any]:
    """How the file begins, or nothing if its columns cannot be told."""
    source = stored(draft)
    try:
        return {
            **asdict(_beginning(draft.kind, source, options)),
            "missing": _missing(draft, source, options),
        }
    except FileRefused:
        return {}


def _missing(draft: LabelImport, source: Source, options: ReadOptions) -> dict[str, Any] | None:
    """The media files that its items name and the project does not have; None if there are none."""
    if draft.kind != LabelImport.Kind.ITEMS:
        return None
    is_json = looks_like_json_lines(source)
    found = missing_files_of(draft.project, source, options, is_json=is_json)
    return {**asdict(found), "n_more": found.n_more} if found.n else None


def _beginning(kind: str, source: Source, options: ReadOptions) -> Beginning:
    if kind == LabelImport.Kind.QUESTIONS:
        return first_questions(source, options, n=FIRST)
    return first_items(source, options, n=FIRST, is_json=looks_like_json_lines(source))
