"""Additional rules for each table of a project file, except labels and their history."""

import itertools
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from projects.codebook.codebook_rules import VALUED, number_of
from projects.final_rules import offered_rules
from projects.media.file_types import HEAD, type_of
from projects.media.image_sizes import size_of
from projects.media.refusals import MediaRefused
from projects.models import Category, GuidelinesVersion, Item, MediaFile, Project, Question, Round
from raters.archive.contents import Model, Row
from raters.archive.row_rules import InvalidRow
from raters.models import Audit, AuditedLabel, Message, ModelConfiguration, Rater, Thread

_moment = datetime.fromisoformat


class TableRules:
    """Keeps the state with which later rows are compared."""

    def __init__(self) -> None:
        self.only_project: Row = {}
        self.n_guidelines = 0
        self.questions: list[Row] = []
        self.categories: list[tuple[int, int | None]] = []
        self.rater_kinds: list[str] = []
        # The rows for each digest, with their numbers.
        self.media: dict[str, list[tuple[int, Row]]] = {}
        # The keys of the selectable categories, by question.
        self._choices: dict[int, set[str]] = {}
        self._keys: set[tuple[Any, ...]] = set()
        self.of: dict[Model, Callable[[int, Row], None]] = {
            Project: self.project,
            GuidelinesVersion: self.guidelines,
            Question: self.question,
            Category: self.category,
            Round: self.round,
            Item: self.item,
            MediaFile: self.media_file,
            Rater: self.rater,
            Audit: self.audit,
            AuditedLabel: self.audited_label,
            ModelConfiguration: self.configuration,
            Thread: self.thread,
            Message: self.message,
        }
        self._strata: list[Row] = []
        # The stratum of each unit, and the number of units in each stratum.
        self._units: dict[int, int] = {}
        self._drawn: Counter[int] = Counter()

    def project(self, place: int, row: Row) -> None:
        if place:
            raise InvalidRow("", "a project file must contain exactly one project")
        self.only_project = row

    def guidelines(self, place: int, row: Row) -> None:
        self.n_guidelines = max(self.n_guidelines, row["number"])

    def question(self, place: int, row: Row) -> None:
        self._once("key", Question, row["key"])
        if row["max_length"] is not None and row["kind"] != Question.Kind.TEXT:
            raise InvalidRow("max_length", "must be null: its question is not a text question")
        if bool(row["asked_if_question"]) != bool(row["asked_if_categories"]):
            raise InvalidRow("asked_if_question", "needs categories in asked_if_categories, and they need it")
        if row["final_rule"] not in offered_rules(row["kind"], row["level"]):
            raise InvalidRow("final_rule", "is no rule for a question of this kind and level")
        if row["final_threshold"] is not None and not 0 < row["final_threshold"] <= 1:
            raise InvalidRow("final_threshold", "must be above 0 and at most 1")
        self.questions.append(row)

    def category(self, place: int, row: Row) -> None:
        question, into = row["question_id"], row["merged_into_id"]
        is_number = number_of(row["key"]) is not None or number_of(row["name"]) is not None
        # Numeric categories may date from before the answer type was corrected.
        if self.questions[question]["kind"] == Question.Kind.NUMBER and into is None and not is_number:
            raise InvalidRow("question_id", "refers to a number question, which can’t have categories")
        if self.questions[question]["kind"] == Question.Kind.TEXT:
            raise InvalidRow("question_id", "refers to a text question, which can’t have categories")
        self._once("key", Category, question, row["key"].casefold())
        if into is None and row["value"] is not None and self.questions[question]["level"] in VALUED:
            self._once("value", "value", question, float(row["value"]))
        self.categories.append((question, into))
        if into is None:
            self._choices.setdefault(question, set()).add(row["key"])

    def wrongly_merged(self) -> Iterator[tuple[int, InvalidRow]]:
        """Yield violations of the rule that a category is merged into a selectable one of the same question."""
        for number, (question, into) in enumerate(self.categories, start=1):
            if into is not None and self.categories[into] != (question, None):
                rule = f"refers to category {into}, which is itself merged or belongs to another question"
                yield number, InvalidRow("merged_into_id", rule)

    def wrong_conditions(self) -> Iterator[tuple[int, InvalidRow]]:
        """Yield violations of the rule that a question depends on categories of an earlier question."""
        order = {row["key"]: (row["position"], place) for place, row in enumerate(self.questions)}
        for place, row in enumerate(self.questions):
            parent = order.get(row["asked_if_question"])
            if not row["asked_if_question"]:
                continue
            if parent is None or parent >= order[row["key"]]:
                yield place + 1, InvalidRow("asked_if_question", "refers to no question that comes before it")
                continue
            kind = Question.Kind(self.questions[parent[1]]["kind"])
            if not kind.has_categories:
                yield place + 1, InvalidRow("asked_if_question", f"refers to a {kind.value} question")
            elif not set(row["asked_if_categories"]) <= self._choices.get(parent[1], set()):
                yield place + 1, InvalidRow("asked_if_categories", "refers to a category that is not there")

    def round(self, place: int, row: Row) -> None:
        self._once("key", Round, row["key"])
        names = ("opened_at", "closed_at", "revealed_at")
        times = [(name, row[name]) for name in names if row[name] is not None]
        for (earlier, before), (name, after) in itertools.pairwise(times):
            if _moment(after) < _moment(before):
                raise InvalidRow(name, f"must not be before {earlier}")
        if row["paused_at"] is not None and row["state"] != Round.State.OPEN:
            raise InvalidRow("paused_at", "must be null for a round that is not open")

    def item(self, place: int, row: Row) -> None:
        self._once("key", Item, unicodedata.normalize("NFC", row["key"]).casefold())

    def media_file(self, place: int, row: Row) -> None:
        self._once("name", MediaFile, row["name"])
        self.media.setdefault(row["sha256"], []).append((place + 1, row))

    def rater(self, place: int, row: Row) -> None:
        self._once("key", Rater, row["key"])
        self.rater_kinds.append(row["kind"])

    def audit(self, place: int, row: Row) -> None:
        if place:
            raise InvalidRow("", "a project can’t be more than one audit")
        if not self.only_project.get("is_audit"):
            raise InvalidRow("", "the project is not an audit")
        self._strata = row["strata"]
        for name, total in (("n_units", "size"), ("n_labels", "n_labels")):
            if row[name] != sum(each[total] for each in self._strata):
                raise InvalidRow(name, "must be the sum of the strata")
        if row["unit"] == Audit.Unit.LABEL and row["n_units"] != row["n_labels"]:
            raise InvalidRow("n_units", "must be the number of labels, which are the units")

    def audited_label(self, place: int, row: Row) -> None:
        if not row["stratum"] < len(self._strata):
            raise InvalidRow("stratum", "refers to no stratum of the audit")
        if not 0 < row["probability"] <= 1:
            raise InvalidRow("probability", "must be above 0 and at most 1")
        if row["severity"] and not row["verdict"]:
            raise InvalidRow("severity", "needs a verdict")
        if row["unit"] >= sum(each["drawn"] for each in self._strata):
            raise InvalidRow("unit", "must be less than the number of units drawn")
        if row["unit"] > len(self._units):
            raise InvalidRow("unit", "must be that of the row before, or the next one")
        if row["unit"] not in self._units:
            self._units[row["unit"]] = row["stratum"]
            self._drawn[row["stratum"]] += 1
        if self._units[row["unit"]] != row["stratum"]:
            raise InvalidRow("stratum", "must be the same for all labels of a unit")
        if self._drawn[row["stratum"]] > self._strata[row["stratum"]]["drawn"]:
            raise InvalidRow("stratum", "has more units than were drawn from it")

    def configuration(self, place: int, row: Row) -> None:
        self._once("rater_id", ModelConfiguration, row["rater_id"])
        if self.rater_kinds[row["rater_id"]] != Rater.Kind.MODEL:
            raise InvalidRow("rater_id", "refers to a rater that is not a model")

    def thread(self, place: int, row: Row) -> None:
        self._once("rater_id", Thread, row["item_id"], row["rater_id"])

    def message(self, place: int, row: Row) -> None:
        if not row["text"].strip():
            raise InvalidRow("text", "must not be empty")

    def _once(self, column: str, *key: Any) -> None:
        if key in self._keys:
            raise InvalidRow(column, "is a duplicate, possibly with different case")
        self._keys.add(key)


def check_media(archive: zipfile.ZipFile, name: str, n: int, row: Row) -> None:
    if row["n_bytes"] != n:
        raise InvalidRow("n_bytes", f"must be {n:,}, the size of {name}")
    try:
        with archive.open(name) as file:
            found = type_of(file.read(HEAD))
            size = size_of(file, found) if found.startswith("image/") else (None, None)  # type: ignore[arg-type]
    except MediaRefused as refused:
        raise InvalidRow("sha256", f"refers to a file that can’t be uploaded: {refused}") from None
    if row["type"] != found:
        raise InvalidRow("type", f"must be {found}, the type of {name}")
    if (row["width"], row["height"]) != size:
        raise InvalidRow("width", f"must be {size[0]} with height {size[1]}, the size of the image")
