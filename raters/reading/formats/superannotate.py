"""SuperAnnotate: a JSON file per item, with the tags given by its annotator."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.shapes import Json
from core.tables.faults import Faults
from raters.reading.formats.answers import FREE_TEXT, AnswerStatistics
from raters.reading.formats.fields import from_epoch, scalar_text
from raters.reading.formats.json_records import json_head, read_json
from raters.reading.formats.opening import brought, faults_of
from raters.reading.records import (
    DRAFT,
    REJECTED,
    SKIPPED,
    SUBMITTED,
    Files,
    Format,
    InputFile,
    LabelRecord,
    LeftOut,
    Record,
)

TAGS = "tags"
_STATES = {"notstarted": DRAFT, "inprogress": DRAFT, "returned": REJECTED, "skipped": SKIPPED}
_SHAPES = {
    "entity": "spans",
    "bbox": "bounding boxes",
    "rbbox": "bounding boxes",
    "polygon": "polygons",
    "polyline": "polylines",
    "point": "points",
    "ellipse": "ellipses",
    "cuboid": "cuboids",
}


def recognizes(files: Files) -> bool:
    return any(_is_ours(file) for file in brought(files))


def _is_ours(file: InputFile) -> bool:
    return json_head(file, "metadata") and json_head(file, "instances") and json_head(file, "projectId")


def read(files: Files, chosen: Mapping[str, str], left_out: LeftOut, faults: Faults) -> Iterator[Record]:
    seen = AnswerStatistics(TAGS)
    seen.is_set = True
    labels: list[LabelRecord] = []
    for file in brought(files):
        if _is_ours(file):
            labels += _labels(file, seen, left_out, faults_of(file, files, faults))
    # If no item has a tag, the project has no tags.
    if seen.n:
        yield seen.question(1)
        yield from labels


def _labels(file: InputFile, seen: AnswerStatistics, left_out: LeftOut, faults: Faults) -> list[LabelRecord]:
    item = read_json(file, faults)
    metadata = item.get("metadata") if isinstance(item, dict) else None
    name = scalar_text(metadata.get("name")) if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not name:
        faults.add(1, "metadata", "", "missing_key", "the item has no name")
        return []
    instances = [entry for entry in _list(item.get("instances")) if isinstance(entry, dict)]
    for entry in instances:
        left_out[_SHAPES.get(scalar_text(entry.get("type")) or "", "other annotations")] += 1
    if item.get("freeText"):
        left_out[FREE_TEXT] += 1
    tags = [text for tag in _list(item.get(TAGS)) if (text := scalar_text(tag))]
    seen.add(*tags)
    status = (scalar_text(metadata.get("status")) or "").lower().replace(" ", "")
    last = metadata.get("lastAction")
    at = from_epoch(last.get("timestamp"), per_second=1_000) if isinstance(last, dict) else ""
    state = _STATES.get(status, SUBMITTED)
    return [
        LabelRecord(1, name, _rater(metadata, instances), TAGS, tuple(tags), at=at, state=state, column=TAGS)
    ]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _rater(metadata: Mapping[str, Any], instances: list[Json]) -> str:
    """Return the annotator of the item, or the author of its first manual annotation."""
    makers = [
        entry.get("createdBy") for entry in instances if entry.get("creationType", "Manual") == "Manual"
    ]
    found = [scalar_text(maker.get("email")) for maker in makers if isinstance(maker, dict)]
    return scalar_text(metadata.get("annotatorEmail")) or next(filter(None, found), "")


SUPERANNOTATE = Format("superannotate", "SuperAnnotate", recognizes, read)
