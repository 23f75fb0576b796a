"""Export of a project's log as a file, oldest event first; the export is itself an event."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse

from core.shapes import Json
from core.tables.safe_cells import csv_lines
from projects.events import record
from projects.models import Event, Project
from raters.adjudication.exporting import TYPES, in_pieces
from raters.log.event_list import LogFilter, events_matching

COLUMNS = ["id", "at", "kind", "by", "user_id", "about", "detail"]
CHUNK = 2000


def row_of(event: Event) -> Json:
    """Return an event as shown in the API and the files."""
    return {
        "id": event.pk,
        "at": event.at.isoformat(),
        "kind": event.kind,
        "by": event.user_name,
        "user_id": event.user_id,
        "about": event.about,
        "detail": event.detail,
    }


def _csv(rows: Iterable[Json]) -> Iterator[str]:
    cells = ([*(row | {"detail": json.dumps(row["detail"], ensure_ascii=False)}).values()] for row in rows)
    return csv_lines(chain([COLUMNS], cells))


def _json_lines(rows: Iterable[Json]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


FORMATS: dict[str, Callable[[Iterable[Json]], Iterator[str]]] = {
    "csv": _csv,
    "jsonl": _json_lines,
}


def log_file(project: Project, wanted: LogFilter, kind: str, *, by: Any) -> StreamingHttpResponse:
    """Return the matching events as a download; it does not include the export itself."""
    last = Event.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    record(Event.Kind.EXPORTED, by=by, project=project, about=f"log.{kind}")
    events = events_matching(project, wanted, by=by).filter(pk__lte=last).order_by("pk")
    lines = FORMATS[kind](map(row_of, events.iterator(chunk_size=CHUNK)))
    response = StreamingHttpResponse(in_pieces(lines), content_type=TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-log.{kind}"'
    response["Cache-Control"] = "no-store"
    return response
