"""INCEpTION: document states in an exported project."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.tables.faults import Faults
from raters.reading.formats.fields import scalar_text
from raters.reading.formats.inception_answers import CURATOR
from raters.reading.formats.json_records import json_head, read_json
from raters.reading.formats.opening import (
    base_name,
    brought,
    extension,
    faults_of,
)
from raters.reading.records import (
    DRAFT,
    SKIPPED,
    SUBMITTED,
    Files,
    InputFile,
)

_STATES = {"FINISHED": SUBMITTED, "INPROGRESS": DRAFT, "NEW": DRAFT, "IGNORE": SKIPPED}


def is_project(file: InputFile) -> bool:
    is_named = base_name(file).startswith("exportedproject") and extension(file) == "json"
    return is_named and any(
        json_head(file, key) for key in ("source_documents", "annotation_documents", "layers")
    )


@dataclass(slots=True)
class ExportedProject:
    """documents: (document, user) -> state and comment. is_whole: the export has these states.

    n_unpacked: unpacked bytes of documents in their own archives so far.
    """

    documents: Mapping[tuple[str, str], tuple[str, str]]
    is_whole: bool
    takes_drafts: bool
    n_unpacked: int = 0

    def state(self, document: str, user: str) -> str:
        if not self.is_whole or user == CURATOR:
            return SUBMITTED
        state = _STATES.get(self.documents.get((document, user), ("", ""))[0], DRAFT)
        return SUBMITTED if state == DRAFT and self.takes_drafts else state


def documents_in(files: Files, faults: Faults) -> dict[tuple[str, str], tuple[str, str]]:
    documents: dict[tuple[str, str], tuple[str, str]] = {}
    for file in brought(files):
        if not is_project(file):
            continue
        its_faults = faults_of(file, files, faults)
        project = read_json(file, its_faults)
        listed = project.get("annotation_documents") if isinstance(project, dict) else None
        for place, entry in enumerate(listed if isinstance(listed, list) else [], start=1):
            name = scalar_text(entry.get("name")) if isinstance(entry, dict) else None
            user = scalar_text(entry.get("user")) if isinstance(entry, dict) else None
            if not name or not user:
                rule = f"entry {place:,} of annotation_documents has no name or user"
                its_faults.add(0, "annotation_documents", "", "bad_json", rule)
                continue
            state, comment = (
                scalar_text(entry.get("state")) or "",
                scalar_text(entry.get("annotatorComment")) or "",
            )
            documents[name, user] = (state, comment)
    return documents
