"""The exported questions, items, and labels as rows, the same for every format."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from core.tables.safe_cells import Cell
from projects.models import Item, Question
from raters.models import Rater

# The key of a category, a text, the keys of a set (possibly empty), a number, or None for "cannot tell".
Value = str | tuple[str, ...] | float | None
# The separator between the keys of a set in one cell.
BETWEEN = "|"
# Readers, and the import here, understand all of these as missing values.
TEXTS_FOR_MISSING = ("NA", "n/a", "missing")
IS_TEXT = {Item.Field.TEXT, Item.Field.MARKDOWN}


class ExportKind(StrEnum):
    LABELS = "labels"
    FINAL = "final"
    ITEMS = "items"


WHAT_TITLES = {ExportKind.LABELS: "Labels", ExportKind.FINAL: "Final labels", ExportKind.ITEMS: "Items"}


class ExportCategory(NamedTuple):
    key: str
    title: str
    value: float | None
    is_missing: bool = False


NUMBER_RULES = ("minimum", "maximum", "is_whole", "step", "unit", "tolerance")


@dataclass(frozen=True, slots=True)
class ExportQuestion:
    """missing_numbers: of a number question, the numbers treated as missing; number_rules: its NUMBER_RULES."""

    pk: int
    key: str
    prompt: str
    kind: str
    level: str
    categories: tuple[ExportCategory, ...]
    missing_numbers: tuple[float, ...] = ()
    max_length: int | None = None
    number_rules: tuple[float | bool | str | None, ...] = ()

    @property
    def compared(self) -> tuple[ExportCategory, ...]:
        """The categories that are not treated as missing."""
        return tuple(category for category in self.categories if not category.is_missing)

    @property
    def missing_keys(self) -> frozenset[str]:
        return frozenset(category.key for category in self.categories if category.is_missing)

    def is_missing(self, value: Value) -> bool:
        """Return whether a label with this value is treated as missing; a set containing such a category is."""
        if isinstance(value, str):
            return value in self.missing_keys
        if isinstance(value, tuple):
            return not self.missing_keys.isdisjoint(value)
        return value is not None and value in self.missing_numbers

    @property
    def text_for_missing(self) -> str | None:
        """The cell text of a missing label: None, except for sets, where an empty cell would be an empty set."""
        if not self.is_multiple:
            return None
        keys = {category.key for category in self.categories if not category.is_missing}
        return next(text for text in (*TEXTS_FOR_MISSING, "") if text not in keys)

    @property
    def is_single(self) -> bool:
        return self.kind == Question.Kind.SINGLE

    @property
    def is_multiple(self) -> bool:
        return self.kind == Question.Kind.MULTIPLE

    @property
    def is_number(self) -> bool:
        return self.kind == Question.Kind.NUMBER

    @property
    def is_text(self) -> bool:
        return self.kind == Question.Kind.TEXT


class RaterRow(NamedTuple):
    pk: int
    key: str
    kind: str

    @property
    def is_model(self) -> bool:
        return self.kind == Rater.Kind.MODEL

    @property
    def is_reference(self) -> bool:
        return self.kind == Rater.Kind.REFERENCE


@dataclass(frozen=True, slots=True)
class LabelRow:
    """A label with everything known about it.

    is_first: whether it is the rater's first label on the item, among those read, that is not treated as missing.
    counts: whether statistics use it; they use each rater's first pass, without abstentions or texts. missing: the
    value of a label treated as missing; text_for_missing is written in its place.
    """

    item_id: int
    item: str
    question: str
    rater: str
    kind: str
    round: str
    pass_number: int
    value: Value
    is_abstention: bool
    reason: str
    note: str
    guidelines_version: int | None
    seconds: float | None
    labeled_at: datetime
    is_first: bool
    question_kind: str
    missing: Value = None
    text_for_missing: str | None = None
    confidence: float | None = None
    from_suggestion: bool = False

    @property
    def is_missing(self) -> bool:
        return self.missing is not None

    @property
    def counts(self) -> bool:
        return self.is_first and not self.is_abstention and Question.Kind(self.question_kind).is_compared

    @property
    def label(self) -> Cell:
        """The value as one cell."""
        if self.is_missing:
            return self.text_for_missing
        return BETWEEN.join(self.value) if isinstance(self.value, tuple) else self.value

    @property
    def keys(self) -> tuple[str, ...]:
        """The chosen categories; for a number, the number as text."""
        if self.value is None:
            return ()
        return self.value if isinstance(self.value, tuple) else (as_text(self.value),)


def as_text(value: str | float) -> str:
    """Return a number in its shortest form, and a key unchanged."""
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)


def as_integer_if_whole(value: float) -> int | float:
    return int(value) if value == int(value) and abs(value) < 1e15 else value


class ExportItemField(NamedTuple):
    name: str
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class ItemRow:
    pk: int
    key: str
    fields: tuple[ExportItemField, ...]
    is_withdrawn: bool

    @property
    def shown(self) -> ExportItemField:
        """The field for programs that show only one: the first text, else the first field of any kind, else the key."""
        first = next((field for field in self.fields if field.kind in IS_TEXT), None)
        return first or next(iter(self.fields), ExportItemField("text", Item.Field.TEXT, self.key))

    def texts(self, taken: frozenset[str]) -> dict[str, str]:
        """Return the fields by name; an underscore is appended to names reserved by the format."""
        return {free_name(field.name, taken): field.value for field in self.fields}


def free_name(name: str, taken: frozenset[str]) -> str:
    while name in taken:
        name += "_"
    return name


def key_name(names: Sequence[str]) -> str:
    """Return the name for the item's key among its fields."""
    return free_name("item", frozenset(names))


@dataclass(frozen=True, slots=True)
class FinalRow:
    """The final label of an item and question. A value of None means "cannot tell", or no final label.

    is_missing: the decision is treated as missing, so there is no label.
    """

    item_id: int
    item: str
    question: str
    value: Value
    origin: str
    share: float | None
    cells: Mapping[str, Cell]
    is_missing: bool = False


Lines = Iterator[str]
