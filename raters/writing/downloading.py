"""Labels exported by page, API and command: who may, whether a format can hold it, and one line in the log."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.http import content_disposition_header

from projects.access import AnyUser
from projects.events import record
from projects.models import Event
from raters.access import also_rates, refuse_blind_to
from raters.writing.contents import contents_in
from raters.writing.records import What
from raters.writing.scope import Scope
from raters.writing.source import reading
from raters.writing.target import CannotWrite, Target, never

ABOUT = {What.LABELS: "labels", What.FINAL: "final labels"}


def refuse_while_labeling(user: AnyUser, scope: Scope) -> None:
    """Raises StillBlind for one who labels items of it in a round that is not closed; items alone tell nothing."""
    if scope.what is not What.ITEMS:
        refuse_blind_to(user, scope.project, scope.round_keys, about=ABOUT[scope.what])


def file_of(user: Any, scope: Scope, target: Target) -> StreamingHttpResponse:
    """The file as a download. Raises StillBlind and CannotWrite."""
    refuse_while_labeling(user, scope)
    pieces = pieces_of(scope, target)
    # What fails at once, fails before an answer has begun, and before it is in the log.
    first = next(pieces, b"")
    record_export(scope, target, by=user, also_rates=also_rates(user, scope.project))
    response = StreamingHttpResponse(chain([first], pieces), content_type=target.content_type)
    disposition = content_disposition_header(True, target.file_name(scope))
    response["Content-Disposition"] = disposition or "attachment"
    return response


def pieces_of(scope: Scope, target: Target) -> Iterator[bytes]:
    """The file in pieces, all of one moment. Raises CannotWrite before the first."""
    with reading(target.scope_held(scope)) as live:
        # Counting takes as long as reading, and is left out where it can refuse nothing.
        why = target.refusal_of(scope)
        if not why and target.refuses is not never:
            why = target.refuses(contents_in(live))
        if why:
            raise CannotWrite(why)
        yield from target.write(live)


def record_export(scope: Scope, target: Target, *, by: Any = None, also_rates: bool = False) -> None:
    """What is exported, of which rounds, as which format."""
    if scope.what is What.FINAL:
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
