"""Exporting a project: all tables from one snapshot, row by row, into one ZIP archive with a manifest."""

import hashlib
import json
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

import psycopg
from django.core.files.storage import default_storage

from core.shapes import Json
from core.snapshots import snapshot_connection
from core.tables.zipped import ZipMember, zip_pieces
from projects.media.media_files import place_of
from projects.models import Project
from raters.archive.contents import FORMAT, KINDS, Model, Row, RowKind
from raters.models import LabelRevision, User

BLOCK = 2000
PATIENCE = (
    "SET LOCAL statement_timeout = '10min'",
    "SET LOCAL idle_in_transaction_session_timeout = '10min'",
)
PEOPLE = "people.jsonl"
MANIFEST = "manifest.json"


@dataclass(slots=True)
class FileEntry:
    """The manifest entry of one file: the number of lines, and the digest of all its bytes."""

    n: int = 0
    sha256: Any = field(default_factory=hashlib.sha256)

    def as_json(self) -> Json:
        return {"n": self.n, "sha256": self.sha256.hexdigest()}


class RowPlaces:
    """The place of each row in its table by ID; rows that are gone get places below 0 as they are encountered."""

    def __init__(self, ids: Iterable[int]) -> None:
        self._ids = array("q", ids)
        self._gone: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def n_gone(self) -> int:
        return len(self._gone)

    def of(self, pk: int) -> int:
        place = bisect_left(self._ids, pk)
        if place < len(self._ids) and self._ids[place] == pk:
            return place
        return self._gone.setdefault(pk, -len(self._gone) - 1)


def project_file(project: Project) -> Iterator[bytes]:
    """Yield the project file in blocks. The same project gives the same bytes on any server."""
    with snapshot_connection(PATIENCE) as opened:
        yield from zip_pieces(ProjectWriter(project, opened).members())


class ProjectWriter:
    def __init__(self, project: Project, opened: psycopg.Connection[Any]) -> None:
        self.params = {"project": project.pk}
        self.connection = opened
        self.places: dict[Model, RowPlaces] = {}
        self.counted: dict[str, FileEntry] = {}
        self.people: dict[int, int] = {}
        # The digest chains each history line to all lines before it: truncating or changing the history changes this.
        self.head = hashlib.sha256().hexdigest()

    def members(self) -> Iterator[ZipMember]:
        for kind in KINDS:
            places = RowPlaces(self._ids(kind))
            if places or not kind.is_optional:
                self.places[kind.model] = places
        for kind in self.kinds:
            yield ZipMember(kind.file_name, self._lines(kind))
        yield ZipMember(PEOPLE, self._people())
        yield from self._media()
        yield ZipMember(MANIFEST, [self._manifest()])

    @property
    def kinds(self) -> list[RowKind]:
        return [kind for kind in KINDS if kind.model in self.places]

    def _ids(self, kind: RowKind) -> Iterator[int]:
        query = f"SELECT t.id FROM {kind.name} t WHERE {kind.where} ORDER BY t.id"  # noqa: S608
        with self.connection.cursor(name="project_ids") as cursor:
            cursor.itersize = BLOCK
            cursor.execute(query, self.params, binary=True)
            yield from (pk for (pk,) in cursor)

    def _lines(self, kind: RowKind) -> Iterator[bytes]:
        counted = self.counted[kind.file_name] = FileEntry()
        columns = ", ".join(f"t.{column}" for column in kind.columns)
        query = f"SELECT {columns} FROM {kind.name} t WHERE {kind.where} ORDER BY t.id"  # noqa: S608
        with self.connection.cursor(name="project_file", binary=True) as cursor:
            cursor.itersize = BLOCK
            cursor.execute(query, self.params, binary=True)
            for row in cursor:
                values = {
                    name: self._value(kind, name, value)
                    for name, value in zip(kind.columns, row, strict=True)
                }
                line = _line(kind.without_defaults(values))
                counted.n += 1
                counted.sha256.update(line)
                if kind.model is LabelRevision:
                    self.head = hashlib.sha256(self.head.encode() + line).hexdigest()
                yield line

    def _value(self, kind: RowKind, column: str, value: Any) -> Any:
        if value is None:
            return None
        if column in kind.references:
            return self._place(kind.references[column], value)
        if column in kind.sets:
            return [self._place(kind.sets[column], pk) for pk in value]
        if column in kind.former:
            return self._former(kind.former[column], value)
        return value

    def _former(self, model: Model, row: Row) -> Row:
        """Return a former row of a label as stored in its history, with every ID replaced by a place."""
        kind = next(kind for kind in KINDS if kind.model is model)
        found = {name: self._value(kind, name, value) for name, value in row.items()}
        return kind.without_defaults(found) | {"id": self._place(model, row["id"])}

    def _place(self, model: Model, pk: int) -> int:
        if model is User:
            return self.people.setdefault(pk, len(self.people))
        return self.places[model].of(pk)

    def _people(self) -> Iterator[bytes]:
        """Yield the people named in the tables, in order of first appearance: only names, no contact details."""
        counted = self.counted[PEOPLE] = FileEntry()
        query = "SELECT id, username, first_name, last_name FROM raters_user WHERE id = ANY (%s)"
        found = {row[0]: row[1:] for row in self.connection.execute(query, [list(self.people)])}
        for pk in self.people:
            names = dict(
                zip(("username", "first_name", "last_name"), found.get(pk, ("", "", "")), strict=True)
            )
            line = _line(names)
            counted.n += 1
            counted.sha256.update(line)
            yield line

    def _media(self) -> Iterator[ZipMember]:
        """Yield the media files. Missing bytes are also missing in the export, but do not prevent it."""
        query = (
            "SELECT DISTINCT sha256 FROM projects_mediafile WHERE project_id = %(project)s ORDER BY sha256"
        )
        for (digest,) in self.connection.execute(query, self.params).fetchall():
            if default_storage.exists(place_of(digest)):
                yield ZipMember(f"media/{digest}", self._bytes_of(digest))

    def _bytes_of(self, digest: str) -> Iterator[bytes]:
        counted = self.counted[f"media/{digest}"] = FileEntry()
        with default_storage.open(place_of(digest)) as file:
            while block := file.read(1 << 16):
                counted.n += len(block)
                counted.sha256.update(block)
                yield block

    def _manifest(self) -> bytes:
        found = {
            "format": FORMAT,
            "program": "interrater",
            "files": {name: counted.as_json() for name, counted in sorted(self.counted.items())},
            # Rows that appear only in the history, by table.
            "gone": {kind.name: self.places[kind.model].n_gone for kind in self.kinds},
            "head_of_history": self.head,
        }
        return (json.dumps(found, indent=1, sort_keys=True) + "\n").encode()


def _line(row: Row) -> bytes:
    return (
        json.dumps(row, ensure_ascii=False, sort_keys=True, default=_plain, separators=(",", ":")) + "\n"
    ).encode()


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"a row of a project file cannot hold {type(value).__name__}")
