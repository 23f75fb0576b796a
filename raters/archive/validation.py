"""Validation of an entire project file before anything is stored: digests, rows, values, references."""

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from projects.models import Category, MediaFile, Question
from raters.archive import audit_values
from raters.archive.archive import BadProjectFile, Problem, manifest_of, pieces
from raters.archive.contents import BY_MODEL, Row, RowKind, kinds_in
from raters.archive.history_rules import HistoryRules
from raters.archive.project_export import MANIFEST, PEOPLE
from raters.archive.row_rules import InvalidRow, RowReferences, check_columns, check_values
from raters.archive.single_values import Check, line
from raters.archive.table_rules import TableRules, check_media
from raters.archive.values import checks_of
from raters.models import LabelRevision

MAX_PROBLEMS = 100
BY_COMMAND = "Import it on the server with manage.py import_project."
PERSON: dict[str, Check] = {
    "username": line(150, may_be_empty=True),
    "first_name": line(150, may_be_empty=True),
    "last_name": line(150, may_be_empty=True),
}


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much of a file is read: its rows, and its uncompressed bytes."""

    n_rows: int
    n_bytes: int


# What a current machine can hold; anyone who can run commands on the server may import this much.
NO_UPLOAD = ArchiveLimits(n_rows=100_000_000, n_bytes=1 << 44)


@dataclass(frozen=True, slots=True)
class ArchiveContents:
    """The contents of a valid file. counts: the rows by table name, and the people and media files."""

    name: str
    slug: str
    people: tuple[Row, ...]
    counts: Mapping[str, int]
    manifest: Mapping[str, Any] = field(repr=False)

    @property
    def usernames(self) -> list[str]:
        return [person["username"] for person in self.people if person["username"]]


def checked(archive: zipfile.ZipFile, limits: ArchiveLimits = NO_UPLOAD) -> ArchiveContents:
    """Return the contents. Raises BadProjectFile unless all files of the manifest are present, complete, and valid."""
    if sum(member.file_size for member in archive.infolist()) > limits.n_bytes:
        raise BadProjectFile(f"The uncompressed file is larger than {limits.n_bytes:,} bytes. {BY_COMMAND}")
    manifest = manifest_of(archive)
    n_rows = sum(entry["n"] for name, entry in manifest["files"].items() if not name.startswith("media/"))
    if n_rows > limits.n_rows:
        raise BadProjectFile(f"The file has more than {limits.n_rows:,} rows. {BY_COMMAND}")
    checking = _ArchiveValidator(archive, manifest)
    checking.read_people()
    for kind in kinds_in(manifest):
        checking.read(kind)
    for name in manifest["files"]:
        if name.startswith("media/"):
            checking.read_media(name)
    checking.finish()
    return checking.contents()


class _ArchiveValidator:
    """Check all rows in one pass."""

    def __init__(self, archive: zipfile.ZipFile, manifest: Row) -> None:
        self.archive, self.manifest = archive, manifest
        self.problems: list[Problem] = []
        self.head = hashlib.sha256().hexdigest()
        self.references, self.tables = RowReferences(manifest), TableRules()
        self.history = HistoryRules(self.references, self.tables)
        self.further = self.tables.of | self.history.of

    def read_people(self) -> None:
        for number, person in self._rows(PEOPLE):
            try:
                check_columns(person, set(PERSON))
                check_values(person, PERSON)
            except InvalidRow as wrong:
                self._add(PEOPLE, number, wrong)
            self.references.people.append(person if isinstance(person, dict) else {})
        # Rows that refer to people are checked only once the people are known to be valid.
        self._stop_if_any()

    def read(self, kind: RowKind) -> None:
        checks = {**checks_of(kind), **audit_values.CHECKS.get(kind.model, {})}
        columns = set(kind.columns)
        references = [(name, model, kind.field_of(name).null) for name, model in kind.references.items()]
        refer, refer_to_set = self.references.refer, self.references.refer_to_set
        further = self.further.get(kind.model)
        for number, row in self._rows(kind.file_name):
            try:
                if isinstance(row, dict):
                    row = kind.filled(row)
                check_columns(row, columns)
                check_values(row, checks)
                for name, model, is_optional in references:
                    if row[name] is not None:
                        refer(row[name], name, model, may_be_gone=name in kind.plain)
                    elif not is_optional:
                        raise InvalidRow(name, "must not be empty")
                for name, model in kind.sets.items():
                    refer_to_set(row[name], name, model, may_be_gone=kind.model is LabelRevision)
                if further:
                    further(number - 1, row)
            except InvalidRow as wrong:
                self._add(kind.file_name, number, wrong)
        if kind.model is Category and not self.problems:
            for number, broken in self.tables.wrongly_merged():
                self._add(kind.file_name, number, broken)
            for number, broken in self.tables.wrong_conditions():
                self._add(BY_MODEL[Question].file_name, number, broken)
        # Reading later files depends on this one.
        self._stop_if_any()

    def read_media(self, name: str) -> None:
        found, n = hashlib.sha256(), 0
        for piece in pieces(self.archive, name):
            found.update(piece)
            n += len(piece)
        self._compare(name, n, found.hexdigest())
        # Bytes are stored under their digest, for all projects: other bytes must not be stored under it.
        if name != f"media/{found.hexdigest()}":
            raise BadProjectFile(f"The digest of {name} does not match its name.")
        rows = self.tables.media.get(found.hexdigest(), [])
        if not rows:
            self._add(name, 0, InvalidRow("", "is not listed in mediafile.jsonl"))
        for number, row in rows:
            try:
                check_media(self.archive, name, n, row)
            except InvalidRow as wrong:
                self._add(BY_MODEL[MediaFile].file_name, number, wrong)

    def finish(self) -> None:
        if self.head != self.manifest["head_of_history"]:
            raise BadProjectFile("The history does not match the manifest. It was changed or is damaged.")
        for kind in kinds_in(self.manifest):
            n_gone = self.references.n_gone[kind.model]
            if n_gone != self.manifest["gone"][kind.name]:
                wrong = InvalidRow("gone", f"{kind.name} must be {n_gone}, as in the history")
                self._add(MANIFEST, 0, wrong)
        if not self.history.is_whole:
            wrong = InvalidRow("label_id", "a deleted label was never withdrawn")
            self._add(BY_MODEL[LabelRevision].file_name, 0, wrong)
        self._stop_if_any()

    def contents(self) -> ArchiveContents:
        project = self.tables.only_project
        names = [name for name in self.manifest["files"] if name.startswith("media/")]
        counts = {str(model._meta.model_name): n for model, n in self.references.n.items()}
        counts |= {"people": len(self.references.people), "media": len(names)}
        return ArchiveContents(
            project["name"], project["slug"], tuple(self.references.people), counts, self.manifest
        )

    def _rows(self, name: str) -> Iterator[tuple[int, Any]]:
        """Yield each line as JSON with its number; at the end, the digest of all lines must match the manifest."""
        found, n, is_history = hashlib.sha256(), 0, name == BY_MODEL[LabelRevision].file_name
        for piece in pieces(self.archive, name):
            found.update(piece)
            n += 1
            if n > self.manifest["files"][name]["n"]:
                break
            if is_history:
                self.head = hashlib.sha256(self.head.encode() + piece).hexdigest()
            # Damage shows in the digest, which makes a better error message, so everything is read in any case.
            if len(self.problems) >= MAX_PROBLEMS:
                continue
            try:
                row = json.loads(piece, parse_constant=_refuse_constant)
            except InvalidRow as wrong:
                self._add(name, n, wrong)
                continue
            except (ValueError, RecursionError) as error:
                self._add(name, n, InvalidRow("", _why_unreadable(error)))
                continue
            yield n, row
        self._compare(name, n, found.hexdigest())

    def _compare(self, name: str, n: int, digest: str) -> None:
        expected = self.manifest["files"][name]
        if (n, digest) != (expected["n"], expected["sha256"]):
            raise BadProjectFile(f"{name} does not match the manifest. It was changed or is damaged.")

    def _add(self, file: str, number: int, wrong: InvalidRow) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(file, number, wrong.column, wrong.rule))

    def _stop_if_any(self) -> None:
        if self.problems:
            raise BadProjectFile.of(self.problems)


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidRow("", f"is not JSON: {name} is not a number in JSON")


def _why_unreadable(error: Exception) -> str:
    match error:
        case json.JSONDecodeError():
            return f"is not JSON: {error}"
        case UnicodeDecodeError():
            return "is not UTF-8"
        case RecursionError():
            return "is nested too deeply"
    return "has a number with too many digits"
