"""Refuse files of labels for closed projects and files that were imported before."""

from collections.abc import Sequence

from core.refusals import Refused
from core.tables.encoding import AUTO, Source
from core.tables.sources import digest_of
from projects.models import Project
from projects.refusals import ProjectClosed
from raters.imports.label_options import LabelOptions
from raters.models import LabelImport

State = LabelImport.State
# Number of earlier imports searched for one with the same columns.
_REMEMBERED = 50
# Imports that have loaded a file, or are about to.
_COUNTING = (State.QUEUED, State.RUNNING, State.DONE)


class FileKnown(Refused):
    """The same file was imported into the project before, with equivalent options."""

    code = "same_file"

    def __init__(self, first: LabelImport) -> None:
        verb = "was already imported" if first.state == State.DONE else "is already being imported"
        when = first.finished_at or first.asked_at
        super().__init__(
            f"This file {verb}, as import {first.pk} ({first.file_name}, {when:%Y-%m-%d %H:%M} UTC). "
            "Nothing was changed."
        )
        self.first = first
        self.errors = [{"import": first.pk, "code": self.code}]


class IsAudit(ProjectClosed):
    """Only the labels of its auditors count in an audit."""

    code = "is_audit"


def refuse_closed(project: Project) -> None:
    """Raise ProjectClosed, also for an audit."""
    project.refresh_from_db(fields=["state", "is_codebook_closed", "deletion_due_at"])
    if project.is_closed:
        raise ProjectClosed(f"The project {project} is closed. Reopen it to import labels.")
    if project.is_audit:
        raise IsAudit(
            "This project is an audit, whose items only its auditors label. Labels can’t be imported."
        )


def refuse_known(project: Project, digest: str, options: LabelOptions) -> None:
    """Raise FileKnown if the file was imported before, and the import was not undone."""
    labels = project.imports.filter(kind=LabelImport.Kind.LABELS, undone_at=None)
    for earlier in labels.filter(sha256=digest, state__in=_COUNTING).order_by("id"):
        if options.reads_the_same_way(LabelOptions.from_json(earlier.options)):
            raise FileKnown(earlier)


def refuse_numbered_again(draft: LabelImport) -> None:
    """Raise FileKnown for items that an earlier import of the same file has numbered: they would get other numbers."""
    if draft.preview.get("is_numbered"):
        earlier = draft.project.imports.filter(
            kind=draft.kind, sha256=draft.sha256, state=State.DONE, preview__is_numbered=True
        )
        sheet = draft.options.get("sheet", AUTO)
        for first in earlier.order_by("id"):
            if first.options.get("sheet", AUTO) == sheet:
                raise FileKnown(first)


def next_sheet(project: Project, source: Source, sheets: Sequence[str]) -> str:
    """Return the first of the sheets that was not imported from this file yet, or else the first one."""
    digest, _ = digest_of(source)
    earlier = project.imports.filter(sha256=digest, undone_at=None, state__in=_COUNTING)
    known = set(earlier.values_list("options__sheet", flat=True))
    return next((sheet for sheet in sheets if sheet not in known), sheets[0])


def last_similar_import(project: Project, options: LabelOptions, digest: str) -> LabelImport | None:
    """Return the last import with the same format and columns that was not undone; of the same file, if any."""
    done = project.imports.filter(kind=LabelImport.Kind.LABELS, state=State.DONE, undone_at=None)
    found = None
    for earlier in done.order_by("-id")[:_REMEMBERED]:
        before = LabelOptions.from_json(earlier.options)
        if before.format == options.format and before.columns.keys() == options.columns.keys():
            if earlier.sha256 == digest:
                return earlier
            found = found or earlier
    return found
