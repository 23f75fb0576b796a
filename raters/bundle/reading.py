"""A project file into a database: looked through from end to end first, then all of it in one transaction."""

import hashlib
import json
import zipfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any, BinaryIO

from django.db import DataError, IntegrityError, connection, transaction
from psycopg import sql
from psycopg.types.json import Jsonb

from projects.events import record
from projects.media.keeping import store_bytes
from projects.models import Event, ItemVersion, Membership, Project
from projects.planner import count_again
from raters.bundle.contents import BY_MODEL, FORMAT, KINDS, Kind, Model
from raters.bundle.writing import MANIFEST, PEOPLE
from raters.models import LabelRevision, User

BLOCK = 1 << 16
# The trigger of labels takes it for: where the history tells it already, there is nothing to record.
SOURCE = "project file"
MAX_LINE = 64 << 20


class BadProjectFile(ValueError):
    """A file that is no project, or not whole; the message says what is wrong with it."""


class NameTaken(ValueError):
    """The server has a project, or people, of these names already; the message says which."""


@transaction.atomic
def import_project(file: BinaryIO, *, lead: User) -> Project:
    """The project of a file, with `lead` as its only member. Raises BadProjectFile or NameTaken, and changes nothing.

    People whom the file names become accounts that nobody can sign in with: their names stand in the history.
    """
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise BadProjectFile("This is no project file, or its end is missing.") from error
    with archive:
        check(archive)
        try:
            project = Reading(archive).project()
        except (LookupError, TypeError, ValueError, DataError, IntegrityError) as error:
            if isinstance(error, NameTaken):
                raise
            raise BadProjectFile(f"The rows of this file do not fit together: {error}") from error
    Membership.objects.create(project=project, user=lead, role=Membership.Role.LEAD)
    record(Event.Kind.PROJECT_IMPORTED, by=lead, project=project, about=project.slug)
    return project


def check(archive: zipfile.ZipFile) -> None:
    """Raises BadProjectFile unless every file of the manifest is there, whole, and no other."""
    manifest = _manifest(archive)
    if manifest.get("program") != "interrater" or manifest.get("format") != FORMAT:
        raise BadProjectFile(f"This file is of another program or format; format {FORMAT} is read.")
    expected = manifest["files"]
    names = archive.namelist()
    if sorted(names) != sorted([*expected, MANIFEST]):
        raise BadProjectFile(f"The manifest tells of other files than there are: {_odd(names, expected)}.")
    head = hashlib.sha256().hexdigest()
    for name, told in expected.items():
        found = hashlib.sha256()
        n = 0
        for piece in _pieces(archive, name):
            found.update(piece)
            n += len(piece) if name.startswith("media/") else 1
            if name == BY_MODEL[LabelRevision].file_name:
                head = hashlib.sha256(head.encode() + piece).hexdigest()
        if (n, found.hexdigest()) != (told["n"], told["sha256"]):
            raise BadProjectFile(f"{name} is not what the manifest says: it was changed or is damaged.")
        # Bytes are kept under their digest, for all projects: others may not stand there in their place.
        if name.startswith("media/") and name != f"media/{found.hexdigest()}":
            raise BadProjectFile(f"{name} does not have the digest that it is named by.")
    if head != manifest["head_of_history"]:
        raise BadProjectFile("The history is not what the manifest says: it was changed or is damaged.")


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        found = json.loads(archive.read(MANIFEST))
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise BadProjectFile("This is no project file: it has no manifest.") from error
    if not isinstance(found, dict) or not isinstance(found.get("files"), dict):
        raise BadProjectFile("This is no project file: its manifest names no files.")
    return found


def _odd(names: list[str], expected: dict[str, Any]) -> str:
    return ", ".join(sorted({*names, MANIFEST} ^ {*expected, MANIFEST})) or "one is there twice"


def _pieces(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """Blocks of a media file, lines of any other."""
    try:
        with archive.open(name) as file:
            if name.startswith("media/"):
                yield from iter(lambda: file.read(BLOCK), b"")
            else:
                yield from iter(lambda: file.readline(MAX_LINE), b"")
    except zipfile.BadZipFile as error:
        raise BadProjectFile(f"{name} is damaged.") from error


class Reading:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.manifest = _manifest(archive)
        self.ids: dict[Model, Sequence[int]] = {}
        # Ids that nothing has and nothing will have, for rows of which only the history tells.
        self.gone: dict[Model, Sequence[int]] = {}

    def project(self) -> Project:
        self.ids[User] = list(self._people())
        for kind in KINDS:
            if kind.model is LabelRevision:
                # The database numbers them itself.
                self.ids[kind.model] = []
                continue
            n = self.manifest["files"][kind.file_name]["n"] if self._has(kind) else 0
            self.ids[kind.model] = _new_ids(kind.model, n)
            self.gone[kind.model] = _new_ids(kind.model, self.manifest["gone"].get(kind.name, 0))
        self._refuse_taken()
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('interrater.source', %s, true)", [SOURCE])
            for kind in KINDS:
                if kind.model is LabelRevision:
                    self._adopt_history(kind, cursor)
                else:
                    self._load(kind, cursor, kind.name, ["id"], self.ids[kind.model])
            cursor.execute("SELECT set_config('interrater.source', '', true)")
        count_again(*(kind.model for kind in KINDS), n_rows=sum(len(self.ids[kind.model]) for kind in KINDS))
        self._keep_media()
        return Project.objects.get(pk=self.ids[Project][0])

    def _has(self, kind: Kind) -> bool:
        """False for a table that is newer than the file."""
        return kind.model is not ItemVersion or kind.file_name in self.manifest["files"]

    def _rows(self, kind: Kind) -> Iterator[dict[str, Any]]:
        if not self._has(kind):
            return iter(())
        return map(json.loads, _pieces(self.archive, kind.file_name))

    def _refuse_taken(self) -> None:
        slug = next(self._rows(BY_MODEL[Project]))["slug"]
        if Project.objects.filter(slug=slug).exists():
            raise NameTaken(f"There is a project {slug} on this server already.")

    def _people(self) -> Iterator[int]:
        """Accounts that nobody can sign in with, one for each who is named; taken names are refused."""
        people = [json.loads(line) for line in _pieces(self.archive, PEOPLE)]
        names = [person["username"] for person in people if person["username"]]
        if taken := sorted(User.objects.filter(username__in=names).values_list("username", flat=True)):
            raise NameTaken(f"There are people of these names on this server already: {', '.join(taken)}.")
        for person, pk in zip(people, _new_ids(User, len(people)), strict=True):
            if person["username"]:
                user = User(pk=pk, is_active=False, **person)
                user.set_unusable_password()
                user.save(force_insert=True)
            yield pk

    def _adopt_history(self, kind: Kind, cursor: Any) -> None:
        """The database moves the revisions into the history itself: the program may only stage them."""
        project = self.ids[Project][0]
        self._load(kind, cursor, "raters_stagedrevision", ["project_id"], repeat(project))
        cursor.execute("SELECT adopt_revisions(%s)", [project])

    def _load(self, kind: Kind, cursor: Any, table: str, first: Sequence[str], firsts: Iterable[int]) -> None:
        """Copy the rows of a file to a table, each after a value of `firsts` for the column `first`."""
        columns = [*first, *kind.columns]
        statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
            sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
        )
        with cursor.copy(statement) as copy:
            for value, row in zip(firsts, self._rows(kind), strict=False):
                copy.write_row((value, *(self._value(kind, name, row[name]) for name in kind.columns)))

    def _value(self, kind: Kind, column: str, value: Any) -> Any:
        if column in kind.former and value is not None:
            return Jsonb(self._former(kind.former[column], value))
        if value is not None and kind.is_json(column):
            return Jsonb(value)
        return self._plain(kind, column, value)

    def _plain(self, kind: Kind, column: str, value: Any) -> Any:
        if value is None:
            return None
        if column in kind.references:
            return self._id(kind.references[column], value)
        if column in kind.sets:
            return [self._id(kind.sets[column], place) for place in value]
        return value

    def _former(self, model: Model, row: dict[str, Any]) -> dict[str, Any]:
        found = {name: self._plain(BY_MODEL[model], name, value) for name, value in row.items()}
        return found | {"id": self._id(model, row["id"])}

    def _id(self, model: Model, place: int) -> int:
        # Places of rows that are gone count from -1 downwards.
        return self.ids[model][place] if place >= 0 else self.gone[model][-place - 1]

    def _keep_media(self) -> None:
        for name in self.archive.namelist():
            if name.startswith("media/"):
                with self.archive.open(name) as file:
                    store_bytes(name.removeprefix("media/"), self.manifest["files"][name]["n"], file)


def _new_ids(model: Model, n: int) -> Sequence[int]:
    """Ids of the table's own sequence, ascending."""
    query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
    with connection.cursor() as cursor:
        cursor.execute(query, [model._meta.db_table, n])
        # Millions of ids: packed, not a Python object for each.
        found = array("q")
        while rows := cursor.fetchmany(BLOCK):
            found.extend(pk for (pk,) in rows)
    return found
