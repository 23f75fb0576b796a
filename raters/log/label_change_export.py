"""Export of the label history as a file, oldest change first; the export is logged as an event."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse

from core.shapes import Json
from core.tables.safe_cells import csv_lines
from projects.events import record
from projects.models import Event, Project
from raters.adjudication.exporting import TYPES, in_pieces
from raters.log.label_changes import ChangeFilter, ItemChange, every_change

COLUMNS = [
    *("at", "by", "way_in", "change", "item", "question", "rater", "rater_kind", "pass_number", "revision"),
    *(
        "old",
        "new",
        "old_reason",
        "reason",
        "old_note",
        "note",
        "guidelines_version",
        "old_confidence",
        "confidence",
        "from_suggestion",
    ),
]


def row_of(found: ItemChange) -> Json:
    """Return a change as shown in the API and the files."""
    row = asdict(found.change) | {"item": found.item, "at": found.revision.at.isoformat()}
    return {name: row[name] for name in COLUMNS}


def _csv(rows: Iterable[Json]) -> Iterator[str]:
    return csv_lines(chain([COLUMNS], ([*row.values()] for row in rows)))


def _json_lines(rows: Iterable[Json]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


FORMATS: dict[str, Callable[[Iterable[Json]], Iterator[str]]] = {
    "csv": _csv,
    "jsonl": _json_lines,
}


def label_changes_file(
    project: Project, wanted: ChangeFilter, kind: str, *, by: Any
) -> StreamingHttpResponse:
    record(Event.Kind.EXPORTED, by=by, project=project, about=f"label-history.{kind}")
    lines = FORMATS[kind](map(row_of, every_change(project, wanted)))
    response = StreamingHttpResponse(in_pieces(lines), content_type=TYPES[kind])
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-label-history.{kind}"'
    response["Cache-Control"] = "no-store"
    return response
