"""Exports from the page, API, and command line: permission, whether the format can hold it, and the log entry."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

from projects.access import AnyUser
from projects.events import record
from projects.models import Event
from raters.access import also_rates, refuse_blind_to, refuse_blind_to_items_of
from raters.writing.contents import contents_in
from raters.writing.records import ExportKind
from raters.writing.scope import ExportScope
from raters.writing.source import reading
from raters.writing.target import CannotWrite, Target, never

ABOUT = {ExportKind.LABELS: "labels", ExportKind.FINAL: "final labels"}


def refuse_while_labeling(user: AnyUser, scope: ExportScope) -> None:
    """Raises LabelsHidden for a user labeling items of it in a round that is not closed.

    Items alone reveal nothing, except those of a round that was chosen by labels.
    """
    if scope.what is ExportKind.ITEMS:
        if scope.round_keys is not None:
            refuse_blind_to_items_of(user, scope.project, scope.round_keys)
    else:
        refuse_blind_to(user, scope.project, scope.round_keys, about=ABOUT[scope.what])


def file_of(user: Any, scope: ExportScope, target: Target) -> StreamingHttpResponse:
    """Return the file as a download. Raises LabelsHidden and CannotWrite."""
    refuse_while_labeling(user, scope)
    pieces = pieces_of(scope, target)
    # Immediate errors occur before the response starts and before the export is logged.
    first = next(pieces, b"")
    record_export(scope, target, by=user, also_rates=also_rates(user, scope.project))
    response = StreamingHttpResponse(chain([first], pieces), content_type=target.content_type)
    disposition = content_disposition_header(True, target.file_name(scope))
    response["Content-Disposition"] = disposition or "attachment"
    return response


def pieces_of(scope: ExportScope, target: Target) -> Iterator[bytes]:
    """Yield the file in pieces, all from the same moment. Raises CannotWrite before the first."""
    with reading(target.scope_held(scope)) as live:
        # Counting takes as long as reading, so it is skipped if it cannot lead to a refusal.
        why = target.refusal_of(scope)
        if not why and target.refuses is not never:
            why = target.refuses(contents_in(live))
        if why:
            raise CannotWrite(why)
        yield from target.write(live)


def record_export(scope: ExportScope, target: Target, *, by: Any = None, also_rates: bool = False) -> None:
    """Log what is exported, from which rounds, and in which format."""
    if scope.what is ExportKind.FINAL:
        kind, about = Event.Kind.FINAL_LABELS_TAKEN, scope.about
    else:
        kind, about = Event.Kind.EXPORTED, target.file_name(scope)
    record(
        kind,
        by=by,
        project=scope.project,
        about=about,
        format=target.key,
        what=str(scope.what),
        questions=[question.key for question in scope.questions],
        rounds=scope.round_keys,
        also_rates=also_rates,
    )
