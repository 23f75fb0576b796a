"""Importing a project file: validate it completely first, then load it in one transaction."""

import json
import re
import zipfile
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

import psycopg
from django.db import DataError, IntegrityError, connection, transaction
from psycopg import sql
from psycopg.types.json import Jsonb

from core.planner import analyze_when_committed
from projects.actions import free_slug
from projects.codebook.versions import store_version
from projects.events import record
from projects.media.media_files import store_bytes
from projects.models import Event, Membership, Project, slug_of_letters
from raters.archive.archive import BadProjectFile, Problem, opened, pieces
from raters.archive.contents import BY_MODEL, REFERRED_TO, Model, Row, RowKind, kinds_in
from raters.archive.people import AccountChoice, NameTaken, accounts
from raters.archive.validation import NO_UPLOAD, ArchiveContents, ArchiveLimits, checked
from raters.models import LabelRevision, User

BLOCK = 1 << 16
# Tells the trigger on labels that the change is already in the history, so there is nothing to record.
SOURCE = "project file"
# The statement timeout for pages is too short for a whole project.
PATIENCE = (
    "SET LOCAL statement_timeout = '30min'",
    "SET LOCAL idle_in_transaction_session_timeout = '30min'",
)
_LINE = re.compile(r"COPY \w+, line (\d+)(?:, column (\w+))?")


def contents_of(file: BinaryIO, limits: ArchiveLimits = NO_UPLOAD) -> ArchiveContents:
    """Return the contents of a file after validating every value. Raises BadProjectFile."""
    with opened(file) as archive:
        return checked(archive, limits)


def import_project(
    file: BinaryIO,
    *,
    lead: User,
    slug: str = "",
    people: Mapping[str, AccountChoice] | None = None,
    limits: ArchiveLimits = NO_UPLOAD,
) -> Project:
    """Import the project, with `lead` as its only member. Raises BadProjectFile or NameTaken, changing nothing.

    slug: a slug other than the one in the file. people: the accounts for some of the people named in the file; all
    others become accounts with the same name that nobody can sign in with.
    """
    with opened(file) as archive:
        contents = checked(archive, limits)
        with transaction.atomic(), connection.cursor() as cursor:
            for setting in PATIENCE:
                cursor.execute(setting)
            project = ProjectReader(archive, contents, slug or contents.slug, people or {}).project()
            store_version(project)
            Membership.objects.create(project=project, user=lead, role=Membership.Role.LEAD)
            # Only their IDs: a name in the event details could not be erased.
            record(
                Event.Kind.PROJECT_IMPORTED,
                by=lead,
                project=project,
                about=project.slug,
                people=_ids_of(people or {}),
            )
    return project


def _ids_of(people: Mapping[str, AccountChoice]) -> list[int]:
    """Return the IDs of the accounts that people in the file became under a different name."""
    names = [account.name for name, account in people.items() if name != account.name]
    return sorted(User.objects.filter(username__in=names).values_list("pk", flat=True))


class ProjectReader:
    """Loads a valid file into the tables."""

    def __init__(
        self,
        archive: zipfile.ZipFile,
        contents: ArchiveContents,
        slug: str,
        people: Mapping[str, AccountChoice],
    ) -> None:
        self.archive, self.contents, self.slug = archive, contents, slug
        self.manifest = contents.manifest
        self.accounts = accounts(contents.usernames, people)
        self.ids: dict[Model, Sequence[int]] = {}
        # IDs that are never used otherwise, for rows that appear only in the history.
        self.gone: dict[Model, Sequence[int]] = {}

    def project(self) -> Project:
        self._refuse_taken()
        self.ids[User] = list(self._people())
        kinds = kinds_in(self.manifest)
        for kind in kinds:
            if kind.model in REFERRED_TO:
                self.ids[kind.model] = _new_ids(kind.model, self._n(kind))
                self.gone[kind.model] = _new_ids(kind.model, self.manifest["gone"][kind.name])
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('interrater.source', %s, true)", [SOURCE])
            for kind in kinds:
                self._load(kind, cursor)
            cursor.execute("SELECT set_config('interrater.source', '', true)")
        analyze_when_committed(*(kind.model for kind in kinds), n_rows=sum(map(self._n, kinds)))
        self._keep_media()
        return Project.objects.get(pk=self.ids[Project][0])

    def _n(self, kind: RowKind) -> int:
        return int(self.manifest["files"][kind.file_name]["n"])

    def _refuse_taken(self) -> None:
        slug_of_letters(self.slug)
        if Project.objects.filter(slug=self.slug).exists():
            free = free_slug(self.slug)
            raise NameTaken(
                f"A project with the slug {self.slug} already exists. Choose another slug, such as {free}.",
                slug=free,
            )

    def _people(self) -> Iterator[int]:
        """Yield the ID of each person: an existing account, or a new one that nobody can sign in with."""
        new_ids = iter(_new_ids(User, len(self.contents.people)))
        for person, pk in zip(self.contents.people, new_ids, strict=True):
            if not (name := person["username"]):
                yield pk
                continue
            account = self.accounts[name]
            if account.is_existing:
                yield User.objects.get(username=account.name).pk
                continue
            user = User(pk=pk, is_active=False, **{**person, "username": account.name})
            user.set_unusable_password()
            user.save(force_insert=True)
            yield pk

    def _load(self, kind: RowKind, cursor: Any) -> None:
        try:
            if kind.model is LabelRevision:
                self._load_history(cursor)
            else:
                self._copy(kind, kind.name, cursor)
            # Violations found only at the end are detected now, while the file is known.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        except (DataError, IntegrityError, psycopg.DataError, psycopg.IntegrityError) as error:
            raise BadProjectFile.of([_problem(kind, error)]) from error

    def _load_history(self, cursor: Any) -> None:
        """Stage the revisions; only the database itself may move them into the history."""
        project = self.ids[Project][0]
        self._copy(BY_MODEL[LabelRevision], "raters_stagedrevision", cursor, project_id=project)
        cursor.execute("SELECT adopt_revisions(%s)", [project])

    def _copy(self, kind: RowKind, table: str, cursor: Any, **same: int) -> None:
        """Copy the rows of a file to a table. same: columns that have the same value in all rows."""
        ids = self.ids.get(kind.model)
        columns = [*same, *([] if ids is None else ["id"]), *kind.columns]
        statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
            sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
        )
        with cursor.copy(statement) as copy:
            for place, row in enumerate(map(json.loads, pieces(self.archive, kind.file_name))):
                row = kind.filled(row)
                if kind.model is Project:
                    row["slug"] = self.slug
                values = [self._value(kind, name, row[name]) for name in kind.columns]
                copy.write_row([*same.values(), *([] if ids is None else [ids[place]]), *values])

    def _value(self, kind: RowKind, column: str, value: Any) -> Any:
        if column in kind.former and value is not None:
            return Jsonb(self._former(kind.former[column], value))
        if value is not None and kind.is_json(column):
            return Jsonb(value)
        return self._plain(kind, column, value)

    def _plain(self, kind: RowKind, column: str, value: Any) -> Any:
        if value is None:
            return None
        if column in kind.references:
            return self._id(kind.references[column], value)
        if column in kind.sets:
            return [self._id(kind.sets[column], place) for place in value]
        return value

    def _former(self, model: Model, row: Row) -> Row:
        found = {name: self._plain(BY_MODEL[model], name, value) for name, value in row.items()}
        return found | {"id": self._id(model, row["id"])}

    def _id(self, model: Model, place: int) -> int:
        # Places of rows that are gone count down from -1.
        return self.ids[model][place] if place >= 0 else self.gone[model][-place - 1]

    def _keep_media(self) -> None:
        for name in self.archive.namelist():
            if name.startswith("media/"):
                with self.archive.open(name) as file:
                    store_bytes(name.removeprefix("media/"), self.manifest["files"][name]["n"], file)


def _problem(kind: RowKind, error: Exception) -> Problem:
    """Return where in the file the rows are that the database rejects."""
    # For a COPY, it is not wrapped in a Django exception.
    diagnosis: Any = getattr(error.__cause__ or error, "diag", None)
    found = _LINE.search((diagnosis and diagnosis.context) or "")
    column = (found and found[2]) or (diagnosis and diagnosis.column_name) or ""
    rule = diagnosis and diagnosis.constraint_name
    problem = f"breaks the rule {rule}" if rule else f"is refused by the database: {error}".splitlines()[0]
    return Problem(kind.file_name, int(found[1]) if found else 0, column, problem)


def _new_ids(model: Model, n: int) -> Sequence[int]:
    """Return IDs from the table's own sequence, ascending."""
    query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
    with connection.cursor() as cursor:
        cursor.execute(query, [model._meta.db_table, n])
        # Millions of IDs: packed in an array rather than one Python object each.
        found = array("q")
        while rows := cursor.fetchmany(BLOCK):
            found.extend(pk for (pk,) in rows)
    return found
