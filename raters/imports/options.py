"""How a file of labels is to be read, as a person chose it."""

from dataclasses import asdict, dataclass, field
from typing import Any, Self

from core.keys import MAX_KEY
from core.tables.encoding import AUTO
from projects.imports.options import READ_CHOICES, refuse_other
from projects.models import Question
from raters.models import Rater

LAYOUTS = {
    "long": "one label per row",
    "wide": "a column for each rater",
    "jsonl": "JSON Lines",
}
# What a column of a file may hold; a column of this very name holds it without being told.
ROLES = ("item", "rater", "question", "label", "round", "time")

# The consensus is what adjudicators decide here, and one in each project.
IMPORTED_KINDS = [choice for choice in Rater.Kind.choices if choice[0] != Rater.Kind.CONSENSUS]
RATER_KINDS = [value for value, _ in IMPORTED_KINDS]
CHOICES = {
    **READ_CHOICES,
    "layout": list(LAYOUTS),
    "question_kind": Question.Kind.values,
    "level": Question.Level.values,
    "rater_kind": RATER_KINDS,
}
# The options that are a text or a choice, and those that are a yes or no.
TEXTS = (*CHOICES, "question", "rater", "round")
FLAGS = ("trim", "replace", "declared_only")


@dataclass(frozen=True, slots=True)
class LabelOptions:
    """columns: role -> name of the column. ignored: columns to leave out. question, rater and round: for all rows."""

    layout: str = "long"
    encoding: str = AUTO
    separator: str = AUTO
    columns: dict[str, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    question: str = ""
    question_kind: str = Question.Kind.SINGLE
    level: str = Question.Level.NOMINAL
    rater: str = ""
    rater_kind: str = Rater.Kind.HUMAN
    round: str = ""
    trim: bool = False
    replace: bool = False
    declared_only: bool = False

    def __post_init__(self) -> None:
        refuse_other(self, CHOICES)
        if unknown := self.columns.keys() - set(ROLES):
            raise ValueError(f"columns can be mapped to {', '.join(ROLES)}, got {', '.join(sorted(unknown))}")
        for name, value in (("question", self.question), ("rater", self.rater), ("round", self.round)):
            if len(value) > MAX_KEY or value != value.strip() or "\0" in value:
                raise ValueError(
                    f"{name} must have at most {MAX_KEY} characters and no leading or trailing spaces"
                )

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "ignored": list(self.ignored)}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        return cls(**{**stored, "ignored": tuple(stored.get("ignored", ()))})

    def reads_alike(self, other: "LabelOptions") -> bool:
        """Whether both take the same labels from a file, so that a second import of it can bring nothing new."""
        return self._labels_taken() == other._labels_taken()

    def _labels_taken(self) -> tuple[object, ...]:
        columns = {role: self.columns.get(role, role) for role in ROLES}
        return self.layout, columns, self.question, self.rater, self.round, self.replace
