"""Options for reading a file of labels, as chosen or detected."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Self

from core.keys import MAX_KEY
from core.shapes import Json
from core.tables.encoding import AUTO
from core.tables.table import TableChoices
from projects.imports.read_options import READ_CHOICES, refuse_other
from projects.models import Question
from raters.models import Rater
from raters.reading.columns import LAYOUTS, WIDE, Column
from raters.reading.records import RATER_KINDS
from raters.reading.values import ValueMeaning

# Without the consensus: its labels are decisions made here, and a project has only one.
IMPORTED_KINDS = [choice for choice in Rater.Kind.choices if choice[0] in RATER_KINDS]
# How to handle several labels of one rater for one item and question.
REPEATS = {"refuse": "Report as a problem", "last": "Keep the last", "first": "Keep the first"}
# Which item it is if several have the text that a row names its item by.
SAME_TEXTS = {"refuse": "Report as a problem", "first": "Use the first item"}
CHOICES = {
    **READ_CHOICES,
    "layout": [AUTO, *LAYOUTS],
    "question_kind": [AUTO, *Question.Kind.values],
    "level": [AUTO, *Question.Level.values],
    "rater_kind": RATER_KINDS,
    "decimal": [AUTO, ".", ","],
    "repeats": list(REPEATS),
    "same_texts": list(SAME_TEXTS),
}
# Options that are text or a choice, yes or no, or an object.
TEXTS = (*CHOICES, "format", "sheet", "header_line", "question", "rater", "round")
FLAGS = ("replace", "declared_only")
OBJECTS = ("columns", "questions", "choices", "statuses")


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """kind, level: for a new question. values: what each written value becomes. order: keys of its new categories.
    categories: keys of those that a new question has even if nobody chose them.
    """

    kind: str = AUTO
    level: str = AUTO
    values: Mapping[str, ValueMeaning] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    separator: str = ""
    categories: tuple[str, ...] = ()

    def as_json(self) -> Json:
        values = {written: becomes.as_json() for written, becomes in self.values.items()}
        found = {**asdict(self), "values": values, "order": list(self.order)}
        # Few files declare categories, and only these mention them.
        del found["categories"]
        return found | ({"categories": list(self.categories)} if self.categories else {})

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Parse JSON. Raises ValueError."""
        if not isinstance(stored, dict):
            raise ValueError("a question must be an object")
        if other := stored.keys() - {field.name for field in fields(cls)}:
            raise ValueError(
                f"a question has kind, level, values, order, categories, and separator, not {min(other)}"
            )
        values, order = stored.get("values", {}), stored.get("order", [])
        categories = stored.get("categories", [])
        if not isinstance(values, dict) or not all(
            isinstance(each, list | tuple) for each in (order, categories)
        ):
            raise ValueError("values of a question must be an object, and order and categories must be lists")
        asked = {"kind": stored.get("kind", AUTO), "level": stored.get("level", AUTO)}
        if asked["kind"] not in CHOICES["question_kind"] or asked["level"] not in CHOICES["level"]:
            raise ValueError(f"kind and level of a question can’t be {asked['kind']} and {asked['level']}")
        return cls(
            **asked,
            values={written: ValueMeaning.from_json(becomes) for written, becomes in values.items()},
            order=tuple(map(str, order)),
            separator=str(stored.get("separator", "")),
            categories=tuple(map(str, categories)),
        )


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """columns: the role of each; others are guessed. questions: options by key. choices: those of the file's format.

    question, rater, round: for all rows if the file has no such column. header_line: "0" for none. statuses: whether
    rows with this status are labels, by the words of the file; others are judged by well-known words.
    """

    format: str = AUTO
    choices: Mapping[str, str] = field(default_factory=dict)
    statuses: Mapping[str, bool] = field(default_factory=dict)
    encoding: str = AUTO
    separator: str = AUTO
    sheet: str = AUTO
    header_line: str = AUTO
    decimal: str = AUTO
    layout: str = AUTO
    columns: Mapping[str, Column] = field(default_factory=dict)
    question: str = ""
    questions: Mapping[str, QuestionOptions] = field(default_factory=dict)
    question_kind: str = AUTO
    level: str = AUTO
    rater: str = ""
    rater_kind: str = Rater.Kind.HUMAN
    round: str = ""
    repeats: str = "refuse"
    same_texts: str = "refuse"
    replace: bool = False
    declared_only: bool = False

    def __post_init__(self) -> None:
        refuse_other(self, CHOICES)
        if not all(isinstance(counts, bool) for counts in self.statuses.values()):
            raise ValueError("each of the statuses must be true (its rows are labels) or false")
        TableChoices(self.encoding, self.separator, self.sheet, self.header_line)
        for name, value in (("question", self.question), ("rater", self.rater), ("round", self.round)):
            if len(value) > MAX_KEY or value != value.strip() or "\0" in value:
                raise ValueError(
                    f"{name} must have at most {MAX_KEY} characters and no leading or trailing spaces"
                )

    def as_json(self) -> Json:
        return {
            **asdict(self),
            "columns": {name: column.as_json() for name, column in self.columns.items()},
            "questions": {key: question.as_json() for key, question in self.questions.items()},
            "choices": dict(self.choices),
            "statuses": dict(self.statuses),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Parse JSON, including that of version 0.1.0. Raises ValueError."""
        options = _of_before(stored) if "ignored" in stored else dict(stored)
        if other := options.keys() - {field.name for field in fields(cls)}:
            raise ValueError(f"there is no option {min(other)}")
        options["columns"] = {
            name: Column.from_json(column) for name, column in options.get("columns", {}).items()
        }
        options["questions"] = {
            key: QuestionOptions.from_json(question) for key, question in options.get("questions", {}).items()
        }
        return cls(**options)

    def for_another_file(self, *, sheet: str, rater: str, rater_kind: str) -> "LabelOptions":
        """Return the options for a file with the same columns, whose raters and round are its own."""
        is_by_rater = self.rater and self.layout == WIDE
        return replace(
            self,
            columns={} if is_by_rater else self.columns,
            sheet=sheet,
            rater=rater,
            rater_kind=rater_kind,
            round="",
            replace=False,
        )

    def reads_the_same_way(self, other: "LabelOptions") -> bool:
        """Return whether both read the same labels from a file, so that importing it again adds nothing."""
        return self._labels_taken() == other._labels_taken()

    def _labels_taken(self) -> tuple[object, ...]:
        columns = {name: column for name, column in self.columns.items() if column.role != "ignore"}
        statuses = dict(self.statuses)
        return (
            self.sheet,
            columns,
            dict(self.choices),
            statuses,
            self.question,
            self.rater,
            self.round,
            self.replace,
        )


def _of_before(stored: Mapping[str, Any]) -> Json:
    """Convert options of version 0.1.0, which mapped roles to columns and had an option for trimming."""
    kept = {
        name: value for name, value in stored.items() if name not in {"ignored", "trim", "columns", "layout"}
    }
    columns = {column: role for role, column in stored.get("columns", {}).items()}
    columns |= dict.fromkeys(stored["ignored"], "ignore")
    layout = {"jsonl": "long"}.get(stored["layout"], stored["layout"])
    return {**kept, "columns": columns, "layout": layout}
