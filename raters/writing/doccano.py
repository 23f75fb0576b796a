"""doccano: a ZIP with one file per rater, like its own project export; one question, as in a doccano project."""

import json
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from core.tables.zipped import ZipMember, in_blocks, zip_pieces
from projects.models import Item
from raters.writing.contents import ExportContents
from raters.writing.records import ExportKind, ItemRow, as_text
from raters.writing.source import LiveLabels
from raters.writing.target import MISSING_NOTES, Loss, Target, lost

FINAL_LABELS, ITEMS = "final labels", "items"
_OWN = frozenset(
    {"id", "text", "filename", "label", "cats", "entities", "relations", "bbox", "Comments", "comments"}
)
_TEXTS = {Item.Field.TEXT, Item.Field.MARKDOWN, Item.Field.LINK}
_SAFE = frozenset(" @+_-.")
# doccano's name for the file in which it merges all annotators.
_MERGED = "all"


def file_name(rater: str) -> str:
    """Return a name valid on every system, from which the importer of doccano files can recover the rater's name."""
    name = "".join(char if char.isalnum() or char in _SAFE else quote(char, safe="") for char in rater)
    # Names starting with a dot are hidden files, and one name is reserved.
    if name == _MERGED or name[:1] in {".", " "}:
        name = f"%{ord(name[0]):02X}{name[1:]}"
    return f"{name}.jsonl"


def _archive(live: LiveLabels) -> Iterator[bytes]:
    return zip_pieces(_members(live))


def _members(live: LiveLabels) -> Iterator[ZipMember]:
    match live.scope.what:
        case ExportKind.LABELS:
            for rater in live.raters():
                yield ZipMember(file_name(rater.key), in_blocks(_of_rater(live, rater.pk)))
        case ExportKind.FINAL:
            yield ZipMember(file_name(FINAL_LABELS), in_blocks(_finals(live)))
        case ExportKind.ITEMS:
            yield ZipMember(file_name(ITEMS), in_blocks(_line(item, ()) for item in live.items()))


def _of_rater(live: LiveLabels, rater: int) -> Iterator[str]:
    for item, labels in live.labeled_items(rater):
        for label in labels:
            if label.counts:
                yield _line(item, label.keys, [label.note] if label.note else [])


def _finals(live: LiveLabels) -> Iterator[str]:
    for item, finals in live.items_with_finals():
        for final in finals:
            if final.value is not None:
                value = final.value
                yield _line(item, value if isinstance(value, tuple) else (as_text(value),))


def _line(item: ItemRow, keys: Iterable[str], notes: Iterable[str] = ()) -> str:
    shown = item.shown
    # All other fields become what doccano calls metadata.
    others = {
        (f"{field.name}_" if field.name in _OWN else field.name): field.value
        for field in item.fields
        if field is not shown
    }
    name = "text" if shown.kind in _TEXTS else "filename"
    record = {"id": item.key, name: shown.value, **others, "label": list(keys), "Comments": list(notes)}
    return json.dumps(record, ensure_ascii=False) + "\n"


def _loses(contents: ExportContents) -> list[Loss]:
    if contents.scope.what is not ExportKind.LABELS:
        numbers = Loss(contents.counts["final_numbers"], "numbers", "written as text labels")
        return [*lost(contents), numbers]
    counts = contents.counts
    return [
        *lost(contents, held=("notes",), missing=MISSING_NOTES),
        Loss(counts["abstaining_notes"], "notes on “cannot tell” labels"),
        Loss(counts["empty_sets"], "empty sets of categories", "the same as no label in doccano"),
        Loss(counts["numbers"], "numbers", "written as text labels"),
    ]


def _refuses(contents: ExportContents) -> str:
    if contents.scope.what is not ExportKind.ITEMS and len(contents.questions) != 1:
        return "A doccano project has one question. Select one question."
    return ""


DOCCANO = Target(
    "doccano",
    "doccano",
    "A ZIP archive with one JSONL file per rater; one question at a time.",
    "zip",
    "application/zip",
    tuple(ExportKind),
    _loses,
    _archive,
    _refuses,
    hint="doccano does not import raters’ names: import each rater’s file as that rater, or into a separate project.",
    name="{slug}-{what}-doccano",
)
