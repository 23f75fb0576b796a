"""What the page of a draft of labels asks for each column, value, and question."""

from collections.abc import Iterable
from dataclasses import dataclass

from raters.reading.columns import LABEL

# Value, title, and whether it is chosen.
Chosen = tuple[str, str, bool]


def chosen(choices: Iterable[tuple[str, str]], value: str) -> list[Chosen]:
    return [(key, title, key == value) for key, title in choices]


@dataclass(frozen=True, slots=True)
class StatusField:
    """n: number of its rows. is_label: whether these are labels. is_unseen: it is not in the first part of the file."""

    place: int
    written: str
    n: int
    is_label: bool
    is_unseen: bool


@dataclass(frozen=True, slots=True)
class ColumnField:
    """place: index of the column, used in field names. rater, question: those of its labels, in a wide file.
    rater_kinds: what this rater can become if new. is_special: a question or a type of rater is its own.
    is_unlike_raters: it shares no values with the other raters.
    """

    place: int
    name: str
    role: str
    roles: list[Chosen]
    rater: str
    question: str
    rater_kinds: list[Chosen]
    is_special: bool = False
    is_unlike_raters: bool = False

    @property
    def is_rater(self) -> bool:
        return self.role == LABEL


@dataclass(frozen=True, slots=True)
class ValueField:
    place: int
    written: str
    n: int
    why: str
    choices: list[Chosen]

    @property
    def chosen(self) -> str:
        return next((key for key, _, is_chosen in self.choices if is_chosen), "")


@dataclass(frozen=True, slots=True)
class QuestionField:
    """order: new categories of a scale, to be put in order. rest: values that are only shown, with their counts and
    what they become. n_more: number of values that the check did not keep. skipped: whole numbers between the new
    categories of an ordinal scale that are none of them.
    """

    place: int
    key: str
    is_new: bool
    is_named: bool
    kinds: list[Chosen]
    levels: list[Chosen]
    kind_title: str
    values: list[ValueField]
    rest: list[tuple[str, int, str]]
    order: list[str]
    n_more: int
    merged: list[tuple[str, str, int]]
    skipped: list[int]
