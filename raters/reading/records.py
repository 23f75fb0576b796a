"""Records read from files of labels: labels, items, and questions."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.tables.encoding import Source
from core.tables.faults import Faults

# Only submitted records are labels; others are counted and shown.
SUBMITTED, SKIPPED, DRAFT, REJECTED = "submitted", "skipped", "draft", "rejected"
STATES = (SUBMITTED, SKIPPED, DRAFT, REJECTED)
RATER_KINDS = HUMAN, MODEL, REFERENCE = "human", "model", "reference"
SINGLE, MULTIPLE, NUMBER, TEXT = "single", "multiple", "number", "text"

# As written ("" is an empty cell), the chosen categories of a set (possibly none), or None for no answer.
Value = str | tuple[str, ...] | None


class LabelRecord(NamedTuple):
    """One rater's answer to one question about one item, as in the file.

    line: physical line or position of the record, from 1. column: the table column with the value. Texts are as
    written, "" if not in the file; at: ISO 8601; seconds, pass_number: numbers as text. rater_kind, kind: ""
    leaves it to the user. source_id: the label's ID in the program that wrote the file.
    confidence: a probability, "0.75" or "75%". from_suggestion: whether the rater was shown this answer and accepted
    it; None if the file does not say.
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
    from_suggestion: bool | None = None


class ItemRecord(NamedTuple):
    """An item's content by field, which raters see, and attributes, by which agreement may be compared."""

    line: int
    item: str
    content: Mapping[str, str]
    attributes: Mapping[str, str] = {}


class QuestionRecord(NamedTuple):
    """A question declared in the file. categories: (key, title), in order; () if not listed."""

    line: int
    question: str
    kind: str = ""
    categories: Sequence[tuple[str, str]] = ()
    prompt: str = ""


Record = LabelRecord | ItemRecord | QuestionRecord
# Counts of what cannot be imported, by plural name ("spans").
LeftOut = Counter[str]


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file, or a member of an archive. name: including folders in the archive, separated by slashes."""

    name: str
    source: Source


@dataclass(frozen=True, slots=True)
class FormatChoice:
    """A choice for the user that the file leaves open. options: (value, title); the first is the default."""

    key: str
    title: str
    options: Sequence[tuple[str, str]]


Files = Sequence[InputFile]


@dataclass(frozen=True, slots=True)
class Format:
    """The file format of a program.

    recognizes: detects the format by content, not by name alone, from the start of each file. read: yields questions
    and items before the labels that need them, and raises or collects faults with positions. choices: what the
    files leave open.
    """

    key: str
    title: str
    recognizes: Callable[[Files], bool]
    read: Callable[[Files, Mapping[str, str], LeftOut, Faults], Iterator[Record]]
    choices: Callable[[Files], Sequence[FormatChoice]] = lambda files: ()
