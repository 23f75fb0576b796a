"""A project file looked through from end to end before anything of it is stored: digests, rows, values, references."""

import hashlib
import itertools
import json
import unicodedata
import zipfile
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from typing import Any, NoReturn

from core.tables.faults import shown
from projects.codebook.checks import VALUED
from projects.media.kinds import HEAD, type_of
from projects.media.refusals import MediaRefused
from projects.media.sizes import size_of
from projects.models import Category, GuidelinesVersion, Item, MediaFile, Project, Question, Round
from raters.archive.archive import BadProjectFile, Problem, Row, manifest_of, pieces
from raters.archive.contents import BY_MODEL, Model, RowKind, kinds_in
from raters.archive.values import BadValue, Check, checks_of, line
from raters.archive.writing import MANIFEST, PEOPLE
from raters.models import Decision, Label, LabelRevision, Rater, User

MAX_PROBLEMS = 100
BY_COMMAND = "Import it on the server with manage.py import_project."
PERSON: dict[str, Check] = {
    "username": line(150, may_be_empty=True),
    "first_name": line(150, may_be_empty=True),
    "last_name": line(150, may_be_empty=True),
}
# What a revision and its label say alike, but for the set of categories and the number.
_said = itemgetter(
    "item_id", "question_id", "rater_id", "batch_id", "pass_number", "category_id",
    "is_abstention", "reason", "note", "guidelines_version",
)  # fmt: skip
_moment = datetime.fromisoformat


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is read of a file: its rows, and its bytes once unpacked."""

    n_rows: int
    n_bytes: int


# What a machine of today can hold; whoever may type commands on the server may bring so much.
NO_UPLOAD = Limits(n_rows=100_000_000, n_bytes=1 << 44)


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file that was found right holds. counts: rows by the name of their table, and people and media files."""

    name: str
    slug: str
    people: tuple[Row, ...]
    counts: Mapping[str, int]
    manifest: Mapping[str, Any] = field(repr=False)

    @property
    def usernames(self) -> list[str]:
        return [person["username"] for person in self.people if person["username"]]


def checked(archive: zipfile.ZipFile, limits: Limits = NO_UPLOAD) -> Contents:
    """Raises BadProjectFile unless every file of the manifest is there, whole, and all its values are right."""
    if sum(member.file_size for member in archive.infolist()) > limits.n_bytes:
        raise BadProjectFile(f"The uncompressed file is larger than {limits.n_bytes:,} bytes. {BY_COMMAND}")
    manifest = manifest_of(archive)
    n_rows = sum(entry["n"] for name, entry in manifest["files"].items() if not name.startswith("media/"))
    if n_rows > limits.n_rows:
        raise BadProjectFile(f"The file has more than {limits.n_rows:,} rows. {BY_COMMAND}")
    checking = _Checking(archive, manifest)
    checking.read_people()
    for kind in kinds_in(manifest):
        checking.read(kind)
    for name in manifest["files"]:
        if name.startswith("media/"):
            checking.read_media(name)
    checking.finish()
    return checking.contents()


@dataclass(frozen=True, slots=True)
class _Broken(Exception):
    column: str
    rule: str


class _Checking:
    """One pass over all rows; what later rows are compared with is kept in arrays, not in objects."""

    def __init__(self, archive: zipfile.ZipFile, manifest: Row) -> None:
        self.archive, self.manifest = archive, manifest
        self.problems: list[Problem] = []
        self.people: list[Row] = []
        self.n: dict[Model, int] = {
            kind.model: manifest["files"][kind.file_name]["n"] for kind in kinds_in(manifest)
        }
        self.n_gone: dict[Model, int] = dict.fromkeys(self.n, 0)
        self.head = hashlib.sha256().hexdigest()
        self.project: Row = {}
        self.n_guidelines = 0
        self.questions: list[Row] = []
        self.categories: list[tuple[int, int | None]] = []
        self.keys: set[tuple[Any, ...]] = set()
        self.rater_kinds: list[str] = []
        self.media: dict[str, list[tuple[int, Row]]] = {}
        self.label_raters = array("q")
        # Of each label, by its place, and of each that is gone: the last revision that its history tells, and what the
        # label said then. 0: none yet; negative: withdrawn.
        self.last = (array("q"), array("q"))
        self.said = (array("q"), array("q"))
        self.old_checks = checks_of(BY_MODEL[Label])
        self.old_columns = {*BY_MODEL[Label].columns, "id"}

    # Every file.

    def read_people(self) -> None:
        for number, person in self._rows(PEOPLE):
            try:
                self._columns(person, set(PERSON))
                self._values(person, PERSON)
            except _Broken as wrong:
                self._add(PEOPLE, number, wrong)
            self.people.append(person if isinstance(person, dict) else {})
        # What names people is not looked at before they are known to be right.
        self._stop_if_any()

    def read(self, kind: RowKind) -> None:
        checks, columns = checks_of(kind), set(kind.columns)
        references = [(name, model, kind.field_of(name).null) for name, model in kind.references.items()]
        further: Callable[[int, Row], None] | None = self._further.get(kind.model)
        for number, row in self._rows(kind.file_name):
            try:
                self._columns(row, columns)
                self._values(row, checks)
                for name, model, is_optional in references:
                    if row[name] is not None:
                        self._refer(row[name], name, model, may_be_gone=name in kind.plain)
                    elif not is_optional:
                        raise _Broken(name, "must not be empty")
                for name, model in kind.sets.items():
                    self._refer_to_set(row[name], name, model, may_be_gone=kind.model is LabelRevision)
                if further:
                    further(number - 1, row)
            except _Broken as wrong:
                self._add(kind.file_name, number, wrong)
        if kind.model is Category:
            self._check_merged()
        # Later files are read by what this one says.
        self._stop_if_any()

    def read_media(self, name: str) -> None:
        found, n = hashlib.sha256(), 0
        for piece in pieces(self.archive, name):
            found.update(piece)
            n += len(piece)
        self._compare(name, n, found.hexdigest())
        # Bytes are kept under their digest, for all projects: others may not stand there in their place.
        if name != f"media/{found.hexdigest()}":
            raise BadProjectFile(f"The digest of {name} does not match its name.")
        rows = self.media.get(found.hexdigest(), [])
        if not rows:
            self._add(name, 0, _Broken("", "is not listed in mediafile.jsonl"))
        for number, row in rows:
            try:
                self._check_media(name, n, row)
            except _Broken as wrong:
                self._add(BY_MODEL[MediaFile].file_name, number, wrong)

    def finish(self) -> None:
        if self.head != self.manifest["head_of_history"]:
            raise BadProjectFile("The history does not match the manifest. It was changed or is damaged.")
        for kind in kinds_in(self.manifest):
            if self.n_gone[kind.model] != self.manifest["gone"][kind.name]:
                wrong = _Broken("gone", f"{kind.name} must be {self.n_gone[kind.model]}, as in the history")
                self._add(MANIFEST, 0, wrong)
        if any(last >= 0 for last in self.last[1]):
            wrong = _Broken("label_id", "a deleted label was never withdrawn")
            self._add(BY_MODEL[LabelRevision].file_name, 0, wrong)
        self._stop_if_any()

    def contents(self) -> Contents:
        names = [name for name in self.manifest["files"] if name.startswith("media/")]
        counts = {str(model._meta.model_name): n for model, n in self.n.items()}
        counts |= {"people": len(self.people), "media": len(names)}
        return Contents(self.project["name"], self.project["slug"], tuple(self.people), counts, self.manifest)

    def _rows(self, name: str) -> Iterator[tuple[int, Any]]:
        """Each line as JSON, with its number; at the end the digest of all of them must be that of the manifest."""
        found, n, is_history = hashlib.sha256(), 0, name == BY_MODEL[LabelRevision].file_name
        for piece in pieces(self.archive, name):
            found.update(piece)
            n += 1
            if n > self.manifest["files"][name]["n"]:
                break
            if is_history:
                self.head = hashlib.sha256(self.head.encode() + piece).hexdigest()
            # What was damaged shows in the digest, which is the better reason; so all is read in any case.
            if len(self.problems) >= MAX_PROBLEMS:
                continue
            try:
                row = json.loads(piece, parse_constant=_refuse_constant)
            except _Broken as wrong:
                self._add(name, n, wrong)
                continue
            except (ValueError, RecursionError) as error:
                self._add(name, n, _Broken("", _why_unreadable(error)))
                continue
            yield n, row
        self._compare(name, n, found.hexdigest())

    def _compare(self, name: str, n: int, digest: str) -> None:
        expected = self.manifest["files"][name]
        if (n, digest) != (expected["n"], expected["sha256"]):
            raise BadProjectFile(f"{name} does not match the manifest. It was changed or is damaged.")

    def _add(self, file: str, number: int, wrong: _Broken) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(file, number, wrong.column, wrong.rule))

    def _stop_if_any(self) -> None:
        if self.problems:
            raise BadProjectFile.of(self.problems)

    # Every row.

    def _columns(self, row: Any, expected: set[str]) -> None:
        if not isinstance(row, dict):
            raise _Broken("", "must be an object, as in {…}")
        if missing := expected - row.keys():
            raise _Broken(min(missing), "is missing")
        if unknown := row.keys() - expected:
            raise _Broken(shown(min(unknown)), "is not a column of this file")

    def _values(self, row: Row, checks: Mapping[str, Check]) -> None:
        for name, check in checks.items():
            try:
                check(row[name])
            except BadValue as bad:
                raise _Broken(
                    name, f"{bad}, got {shown(json.dumps(row[name], ensure_ascii=False))}"
                ) from None

    def _refer(self, place: Any, column: str, model: Model, *, may_be_gone: bool) -> None:
        if type(place) is not int:
            raise _Broken(column, f"must be a row number, from 0, got {shown(json.dumps(place))}")
        if model is User:
            if not 0 <= place < len(self.people):
                raise _Broken(column, f"refers to person {place}, but there are only {len(self.people)}")
            if not may_be_gone and not self.people[place]["username"]:
                raise _Broken(column, "refers to a person without a username")
            return
        if place < 0 and may_be_gone:
            self._meet_gone(-place - 1, column, model)
        elif not 0 <= place < self.n[model]:
            file = BY_MODEL[model].file_name
            raise _Broken(
                column, f"refers to row {place} of {file}, which has {self.n[model]:,} rows (from 0)"
            )

    def _meet_gone(self, place: int, column: str, model: Model) -> None:
        """Rows of which only the history tells are numbered as they are met."""
        if place > self.n_gone[model]:
            raise _Broken(column, f"refers to deleted row {-place - 1} before {-self.n_gone[model] - 1}")
        self.n_gone[model] = max(self.n_gone[model], place + 1)

    def _refer_to_set(self, places: Any, column: str, model: Model, *, may_be_gone: bool) -> None:
        if places is None:
            return
        if not isinstance(places, list):
            raise _Broken(column, "must be a list of row numbers, or null")
        for place in places:
            self._refer(place, column, model, may_be_gone=may_be_gone)
        present = [place for place in places if place >= 0]
        if present != sorted(set(present)):
            raise _Broken(column, "must name each category once, in ascending order")

    def _once(self, column: str, *key: Any) -> None:
        if key in self.keys:
            raise _Broken(column, "is a duplicate, possibly with different case")
        self.keys.add(key)

    # What each table must hold besides.

    @property
    def _further(self) -> dict[Model, Callable[[int, Row], None]]:
        return {
            Project: self._project,
            GuidelinesVersion: self._guidelines,
            Question: self._question,
            Category: self._category,
            Round: self._round,
            Item: self._item,
            MediaFile: self._media_file,
            Rater: self._rater,
            LabelRevision: self._revision,
            Label: self._label,
            Decision: self._decision,
        }

    def _project(self, place: int, row: Row) -> None:
        if place:
            raise _Broken("", "a project file must contain exactly one project")
        self.project = row

    def _guidelines(self, place: int, row: Row) -> None:
        self.n_guidelines = max(self.n_guidelines, row["number"])

    def _question(self, place: int, row: Row) -> None:
        self._once("key", Question, row["key"])
        self.questions.append(row)

    def _category(self, place: int, row: Row) -> None:
        question, into = row["question_id"], row["merged_into_id"]
        if self.questions[question]["kind"] == Question.Kind.NUMBER:
            raise _Broken("question_id", "refers to a number question, which can’t have categories")
        self._once("key", Category, question, row["key"].casefold())
        if into is None and row["value"] is not None and self.questions[question]["level"] in VALUED:
            self._once("value", "value", question, float(row["value"]))
        self.categories.append((question, into))

    def _check_merged(self) -> None:
        """A category is merged into one of its own question that can still be chosen."""
        if self.problems:
            return
        for number, (question, into) in enumerate(self.categories, start=1):
            if into is not None and self.categories[into] != (question, None):
                rule = f"refers to category {into}, which is itself merged or belongs to another question"
                self._add(BY_MODEL[Category].file_name, number, _Broken("merged_into_id", rule))

    def _round(self, place: int, row: Row) -> None:
        self._once("key", Round, row["key"])
        names = ("opened_at", "closed_at", "revealed_at")
        times = [(name, row[name]) for name in names if row[name] is not None]
        for (earlier, before), (name, after) in itertools.pairwise(times):
            if _moment(after) < _moment(before):
                raise _Broken(name, f"must not be before {earlier}")

    def _item(self, place: int, row: Row) -> None:
        self._once("key", Item, unicodedata.normalize("NFC", row["key"]).casefold())

    def _media_file(self, place: int, row: Row) -> None:
        self._once("name", MediaFile, row["name"])
        self.media.setdefault(row["sha256"], []).append((place + 1, row))

    def _check_media(self, name: str, n: int, row: Row) -> None:
        if row["n_bytes"] != n:
            raise _Broken("n_bytes", f"must be {n:,}, the size of {name}")
        try:
            with self.archive.open(name) as file:
                found = type_of(file.read(HEAD))
                size = size_of(file, found) if found.startswith("image/") else (None, None)  # type: ignore[arg-type]
        except MediaRefused as refused:
            raise _Broken("sha256", f"refers to a file that can’t be uploaded: {refused}") from None
        if row["type"] != found:
            raise _Broken("type", f"must be {found}, the type of {name}")
        if (row["width"], row["height"]) != size:
            raise _Broken("width", f"must be {size[0]} with height {size[1]}, the size of the image")

    def _rater(self, place: int, row: Row) -> None:
        self._once("key", Rater, row["key"])
        self.rater_kinds.append(row["kind"])

    def _revision(self, place: int, row: Row) -> None:
        self._check_said(row, may_be_gone=True)
        old, change, label = row["old_value"], row["change"], row["label_id"]
        last, said, place = self._history_of(label)
        if change == LabelRevision.Change.CREATED:
            if old is not None:
                raise _Broken("old_value", "must be null: the label was created")
            if last[place]:
                raise _Broken("change", "says the label was created, but it is already in the history")
        else:
            self._check_old(old)
            if old["id"] != label or last[place] != old["revision"] or said[place] != _state(old):
                raise _Broken("old_value", "does not match the previous revision of this label")
            if row["revision"] != old["revision"] + 1:
                raise _Broken("revision", f"must be {old['revision'] + 1}, the next revision of this label")
            if any(row[name] != old[name] for name in ("item_id", "question_id", "rater_id", "pass_number")):
                raise _Broken("item_id", "a label cannot move to another item, question, rater or pass")
        is_withdrawn = change == LabelRevision.Change.WITHDRAWN
        last[place] = -row["revision"] if is_withdrawn else row["revision"]
        said[place] = _state(row)

    def _history_of(self, label: int) -> tuple[Any, Any, int]:
        which = 0 if label >= 0 else 1
        place = label if label >= 0 else -label - 1
        last, said = self.last[which], self.said[which]
        if missing := max(0, place + 1 - len(last)):
            last.extend([0] * missing)
            said.extend([0] * missing)
        return last, said, place

    def _check_old(self, old: Any) -> None:
        """A former row of a label."""
        try:
            self._columns(old, self.old_columns)
            self._values(old, self.old_checks)
            kind = BY_MODEL[Label]
            self._refer(old["id"], "id", Label, may_be_gone=True)
            for name, model in kind.references.items():
                if old[name] is not None or not kind.field_of(name).null:
                    self._refer(old[name], name, model, may_be_gone=True)
            self._refer_to_set(old["category_set"], "category_set", Category, may_be_gone=True)
        except _Broken as wrong:
            raise _Broken("old_value", f"{wrong.column} {wrong.rule}") from None

    def _label(self, place: int, row: Row) -> None:
        kind = self._check_said(row, may_be_gone=False)
        if not row["is_abstention"]:
            name = _COLUMN_OF[kind]
            if row[name] is None:
                raise _Broken(name, f"must not be empty: its question is of kind {kind}")
        last, said, _ = self._history_of(place)
        if last[place] != row["revision"] or said[place] != _state(row):
            raise _Broken("revision", "the label does not match its last revision in labelrevision.jsonl")
        self.label_raters.append(row["rater_id"])

    def _check_said(self, row: Row, *, may_be_gone: bool) -> str:
        """The kind of the question; its categories must be its own, and those of a label must not be merged away."""
        question = row["question_id"]
        chosen = [row["category_id"]] if row["category_id"] is not None else row["category_set"] or []
        column = "category_id" if row["category_id"] is not None else "category_set"
        for category in chosen:
            if category < 0:
                continue
            of, into = self.categories[category]
            if of != question:
                raise _Broken(column, f"refers to category {category}, which belongs to another question")
            if into is not None and not may_be_gone:
                raise _Broken(column, f"refers to category {category}, which was merged into another")
        if (row["guidelines_version"] or 0) > self.n_guidelines:
            raise _Broken("guidelines_version", f"must be at most {self.n_guidelines}, the last version")
        return str(self.questions[question]["kind"]) if question >= 0 else ""

    def _decision(self, place: int, row: Row) -> None:
        if self.rater_kinds[self.label_raters[row["label_id"]]] != Rater.Kind.CONSENSUS:
            raise _Broken("label_id", "refers to a label that is not by the consensus rater")


_COLUMN_OF = {
    "single": "category_id",
    "multiple": "category_set",
    "number": "number",
}


def _state(row: Row) -> int:
    """What a label says, as one number that is the same only for what is the same."""
    chosen, number = row["category_set"], row["number"]
    # PostgreSQL writes a large number of a former row without a point, so 3 and 3.0 are one.
    return hash(
        (*_said(row), None if chosen is None else tuple(chosen), None if number is None else float(number))
    )


def _refuse_constant(name: str) -> NoReturn:
    raise _Broken("", f"is not JSON: {name} is not a number in JSON")


def _why_unreadable(error: Exception) -> str:
    match error:
        case json.JSONDecodeError():
            return f"is not JSON: {error}"
        case UnicodeDecodeError():
            return "is not UTF-8"
        case RecursionError():
            return "is nested too deeply"
    return "has a number with too many digits"
