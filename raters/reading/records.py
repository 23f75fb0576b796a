"""The records that every file of labels becomes: labels, and what the file says of items and questions."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.tables.encoding import Source
from core.tables.faults import Faults

# Only what was submitted is a label; the others are counted and shown.
SUBMITTED, SKIPPED, DRAFT, REJECTED = "submitted", "skipped", "draft", "rejected"
STATES = (SUBMITTED, SKIPPED, DRAFT, REJECTED)
HUMAN, MODEL, REFERENCE = "human", "model", "reference"
SINGLE, MULTIPLE, NUMBER, TEXT = "single", "multiple", "number", "text"

# As it is written ("" is an empty cell), the chosen categories of a set (which may be none), or None: no answer.
Value = str | tuple[str, ...] | None


class LabelRecord(NamedTuple):
    """One rater's answer to one question about one item, as the file has it.

    line: physical line or place of the record, from 1. column: of a table, the one that holds the value. Texts are as
    written, "" where the file says nothing; at: ISO 8601; seconds, pass_number: a number as text. rater_kind and
    kind: "" leaves it to the person who imports. source_id: the label's id in the program that wrote the file.
    confidence: a probability, "0.75" or "75%".
    """

    line: int
    item: str
    rater: str
    question: str
    value: Value
    rater_kind: str = ""
    cannot_tell: bool = False
    reason: str = ""
    note: str = ""
    seconds: str = ""
    at: str = ""
    pass_number: str = ""
    round: str = ""
    source_id: str = ""
    state: str = SUBMITTED
    column: str = ""
    guidelines_version: str = ""
    confidence: str = ""


class ItemRecord(NamedTuple):
    """What raters see of an item, by field, and the attributes that agreement may be compared by."""

    line: int
    item: str
    content: Mapping[str, str]
    attributes: Mapping[str, str] = {}


class QuestionRecord(NamedTuple):
    """A question as the file declares it. categories: (key, title), in order; () if the file does not list them."""

    line: int
    question: str
    kind: str = ""
    categories: Sequence[tuple[str, str]] = ()
    prompt: str = ""


Record = LabelRecord | ItemRecord | QuestionRecord
# How much of a file cannot be imported, by its name in the plural ("spans").
LeftOut = Counter[str]


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file, or one member of an archive. name: with the folders of the archive, separated by slashes."""

    name: str
    source: Source


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person chooses because the file leaves it open. options: (value, title); the first is the default."""

    key: str
    title: str
    options: Sequence[tuple[str, str]]


Files = Sequence[InputFile]


@dataclass(frozen=True, slots=True)
class Format:
    """The files of one program.

    recognizes: by content, not by name alone; reads no more than the beginning of each file. read: yields what is
    known of questions and items before the labels that need it, and raises or gathers faults that say where.
    choices: what these files leave open.
    """

    key: str
    title: str
    recognizes: Callable[[Files], bool]
    read: Callable[[Files, Mapping[str, str], LeftOut, Faults], Iterator[Record]]
    choices: Callable[[Files], Sequence[Choice]] = lambda files: ()
