"""Records imports in the log."""

from typing import Any

from projects.events import record
from projects.imports.protocol import ImportResult
from projects.models import Event, Project


def record_import(project: Project, done: ImportResult, *, by: Any, file_name: str, what: str) -> None:
    """One event for the file, and one for each question that it changed."""
    record(
        Event.Kind.IMPORTED,
        by=by,
        project=project,
        about=file_name,
        what=what,
        created=done.n_created,
        changed=done.n_changed,
        **({"replaced": done.n_replaced} if done.n_replaced else {}),
    )
    for key, changes in done.questions.items():
        record(
            Event.Kind.CODEBOOK_CHANGED,
            by=by,
            project=project,
            about=key,
            change="changed",
            changed=changes,
        )
