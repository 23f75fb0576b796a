"""The meaning of values in a file: categories, missing, "cannot tell", none of them, or numbers."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from core.keys import MAX_KEY
from core.tables.cells import InvalidCell
from raters.reading.number_notation import (
    COMMA,
    POINT,
    decimal_mark,
    is_number,
    local_number,
    number_of,
    separates_thousands,
)
from raters.reading.records import MULTIPLE, NUMBER, SINGLE, TEXT, Value

CATEGORY, MISSING, CANNOT_TELL, NONE_OF_THEM = "category", "missing", "cannot_tell", "none"
NOMINAL, ORDINAL, INTERVAL = "nominal", "ordinal", "interval"
# Separators of the categories of a set; the first one that splits anything is used.
SEPARATORS = ("|", ";", ",")

# An empty set in a cell.
NO_CATEGORY = "{}"

# Common codes for a missing answer, in lower case.
_MISSING = frozenset(
    {
        "na", "n/a", "n.a.", "n.a", "#n/a", "<na>", "nan", "null", "#null!", "nil", ".", "-", "--", "–", "—", "...",
        "…", "missing", "(missing)", "not applicable", "no answer", "no response", "not rated", "not coded",
        "unanswered", "<no annotation>", "<no label>", "undefined", "sysmis", "blank", "(blank)",
    }
)  # fmt: skip
_CANNOT_TELL = frozenset({"cannot tell", "can't tell", "can’t tell", "cant tell"})
# Numbers that mean a missing value if no other value is near them.
MISSING_CODES = (9.0, 99.0, 999.0, 9999.0, 98.0, 998.0, 88.0, -9.0, -99.0, -999.0, -9999.0)
# Scales with a well-known order.
_SCALES: tuple[tuple[str, ...], ...] = (
    ("negative", "neutral", "positive"),
    ("very negative", "negative", "neutral", "positive", "very positive"),
    ("none", "mild", "moderate", "severe"),
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("small", "medium", "large"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"),
    ("very poor", "poor", "fair", "good", "very good"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("no", "maybe", "yes"),
    ("no", "partly", "yes"),
    ("not relevant", "partially relevant", "relevant"),
    ("not relevant", "relevant", "highly relevant"),
)
_WHOLE = re.compile(r"([+-]?\d+)[.,]0+", re.ASCII)
_COMBINES = re.compile(r"[+&|;,/]")
# With more distinct numbers than this, a question asks for a number rather than a choice.
_MOST_POINTS = 20
# Values are numbers despite a few words, which may mean a missing value, if there are this many and this share of them.
_LEAST_NUMBERS = 5
SHARE_OF_NUMBERS = 0.8


@dataclass(frozen=True, slots=True)
class ValueMeaning:
    """The meaning of a value in the file. key: the category's key, else ""."""

    what: str
    key: str = ""

    def as_json(self) -> Any:
        """Return JSON: the key for a category, null for missing, an empty list for none of them."""
        if self.what == CATEGORY:
            return self.key
        return {MISSING: None, NONE_OF_THEM: [], CANNOT_TELL: {"cannot_tell": True}}[self.what]

    @classmethod
    def from_json(cls, stored: Any) -> Self:
        """Parse JSON. Raises ValueError."""
        if isinstance(stored, str) and stored:
            return cls(CATEGORY, stored)
        if stored is None:
            return cls(MISSING)
        if stored == []:
            return cls(NONE_OF_THEM)
        if stored == {"cannot_tell": True}:
            return cls(CANNOT_TELL)
        raise ValueError(
            'a value becomes the key of a category, null (missing), [] (none) or {"cannot_tell": true}'
        )


@dataclass(frozen=True, slots=True)
class Suggestion:
    """why: "missing_code" or "same_spelling" if the user should check it, else ""."""

    becomes: ValueMeaning
    why: str = ""


def suggested(
    counts: Mapping[str, int],
    *,
    kind: str,
    known: Collection[str] = (),
    declared_missing: Collection[str] = (),
) -> dict[str, Suggestion]:
    """Return the most likely meaning of each written value.

    counts: count of each value; for sets, of each category. known: existing keys of the question.
    declared_missing: values that the file declares as missing.
    """
    codes = _codes_in(counts)
    words = (
        _MISSING - ({"-", "--", "–", "—"} if counts.keys() & {"+", "++"} else set()) - _combined_in(counts)
    )
    spellings = _spellings(counts, known)
    found: dict[str, Suggestion] = {}
    for written in counts:
        if written in known:
            found[written] = Suggestion(ValueMeaning(CATEGORY, written))
        elif written.casefold() in words or written in declared_missing or number_of(written) in codes:
            found[written] = Suggestion(ValueMeaning(MISSING), "missing_code")
        elif written.casefold() in _CANNOT_TELL:
            found[written] = Suggestion(ValueMeaning(CANNOT_TELL))
        elif kind != NUMBER:
            key = spellings[folded(written)]
            found[written] = Suggestion(
                ValueMeaning(CATEGORY, key), "" if key == written else "same_spelling"
            )
    return found


def _combined_in(counts: Mapping[str, int]) -> set[str]:
    """Return words that are combined in other values: "missing" is a category if there is "added+missing"."""
    combined: set[str] = set()
    alone = {written.casefold() for written in counts}
    for written in alone:
        parts = {part.strip() for part in _COMBINES.split(written)}
        combined |= parts if len(parts) > 1 and parts <= alone else set()
    return combined


def folded(value: str) -> str:
    """Normalize case, Unicode form, and spaces; 1.0, as written by spreadsheets, becomes 1."""
    text = re.sub(r"\s+", " ", unicodedata.normalize("NFKC", value)).strip().casefold()
    whole = _WHOLE.fullmatch(text)
    return whole[1] if whole else text


def _spellings(counts: Mapping[str, int], known: Collection[str]) -> dict[str, str]:
    """Return the spelling to use for each folded value: the known one, else the most frequent."""
    spelled: dict[str, str] = {}
    for written in sorted(counts, key=lambda value: (bool(_WHOLE.fullmatch(value)), -counts[value])):
        spelled.setdefault(folded(written), written)
    return spelled | {folded(key): key for key in known}


def _codes_in(counts: Mapping[str, int]) -> set[float]:
    """Return the missing codes among the values, if all are numbers."""
    numbers = [number for written in counts if (number := number_of(written)) is not None]
    texts = [
        written for written in counts if number_of(written) is None and written.casefold() not in _MISSING
    ]
    return set() if texts else missing_codes_in(numbers)


def missing_codes_in(numbers: Iterable[float]) -> set[float]:
    """Return the missing codes that are far from all other numbers."""
    distinct = set(numbers)
    others = [number for number in distinct if number not in MISSING_CODES]
    if len(others) < 2:
        return set()
    low, high = min(others), max(others)
    return {
        code
        for code in distinct
        if code in MISSING_CODES and ((code < 0 and low >= 0) or code >= max(high + 2, high * 1.5))
    }


def is_missing_word(written: str) -> bool:
    return written.casefold() in _MISSING


def parts_of(text: str, separator: str) -> list[str]:
    """Split a cell into the categories of a set. Raises InvalidCell."""
    if text == NO_CATEGORY:
        return []
    parts = [part.strip() for part in text.split(separator)] if separator else [text]
    if "" in parts:
        raise InvalidCell("bad_choice", f"an empty category before, after, or between {separator}")
    return parts


# As in a classification: 008.45 and V27.0 are no numbers.
_CODE = re.compile(r"0\d|[A-Za-z]{1,3}\d")


@dataclass(frozen=True, slots=True)
class InferredKind:
    """The kind and scale of a question, inferred from its values. separator: between categories of a set."""

    kind: str
    level: str = NOMINAL
    separator: str = "|"


def inferred_kind(values: Sequence[Value]) -> InferredKind:
    """Infer the kind and scale of a question from some of its values."""
    texts = [
        value for value in values if isinstance(value, str) and value and value.casefold() not in _MISSING
    ]
    if any(isinstance(value, tuple) for value in values):
        return InferredKind(MULTIPLE)
    if NO_CATEGORY in texts:
        return InferredKind(MULTIPLE, separator=separator_in(texts) or "|")
    decimal = COMMA if decimal_mark(texts) == COMMA else POINT
    numbers = [number for text in texts if (number := local_number(text, decimal=decimal)) is not None]
    are_numbers = bool(texts) and len(numbers) == len(texts)
    if are_numbers and any(map(separates_thousands, texts)):
        return InferredKind(NUMBER, INTERVAL)
    found = _inferred_from_numbers(set(numbers)) if are_numbers else InferredKind(NUMBER, INTERVAL)
    if (are_numbers or _are_nearly_all_numbers(texts, numbers)) and not (
        found.kind == NUMBER and any(_CODE.match(text) for text in texts)
    ):
        return found
    if (separator := separator_in(texts)) is not None:
        return InferredKind(MULTIPLE, separator=separator)
    # Longer than any category can be; a few may be mistakes in a column of categories.
    if 2 * sum(len(text) > MAX_KEY for text in texts) >= len(texts) > 0:
        return InferredKind(TEXT)
    keys = {folded(text) for text in texts}
    return InferredKind(SINGLE, ORDINAL if len(keys) > 2 and scale_of(keys) else NOMINAL)


def _are_nearly_all_numbers(texts: Sequence[str], numbers: Sequence[float]) -> bool:
    """Return whether these are numbers with decimals, apart from a few words. A list such as 1,2,3 is not a word."""
    if len(numbers) < _LEAST_NUMBERS or len(numbers) < SHARE_OF_NUMBERS * len(texts):
        return False
    if all(number == round(number) for number in numbers):
        return False
    # A few values such as 1,2 among single digits are sets.
    if 2 * sum(any(mark in text for mark in ".,") for text in texts) < len(numbers):
        return False
    words = {text for text in texts if not is_number(text)}
    parts = {part.strip() for word in words for part in re.split(r"[|;,]", word)}
    return all(number_of(part) is None for part in parts)


def _inferred_from_numbers(numbers: set[float]) -> InferredKind:
    points = numbers - missing_codes_in(numbers)
    if len(points) > _MOST_POINTS or any(number != round(number) for number in points):
        return InferredKind(NUMBER, INTERVAL)
    is_scale = len(points) > 2 and max(points) - min(points) <= _MOST_POINTS
    return InferredKind(SINGLE, ORDINAL if is_scale else NOMINAL)


def separator_in(texts: Sequence[str]) -> str | None:
    """Return the separator that splits these values into few categories, or None."""
    for separator in SEPARATORS:
        several = [text for text in texts if separator in text]
        if not several:
            continue
        parts: dict[str, int] = defaultdict(int)
        for text in texts:
            for part in text.split(separator):
                parts[part.strip()] += 1
        if "" not in parts and len(parts) < len(set(texts)) and max(map(len, parts)) <= 60:
            return separator
    return None


def scale_of(keys: Collection[str]) -> list[str] | None:
    """Return the keys in the order of a well-known scale that has all of them, or None."""
    by_fold = {folded(key): key for key in keys}
    for scale in _SCALES:
        if set(by_fold) <= set(scale):
            return [by_fold[word] for word in scale if word in by_fold]
    return None


def in_order(keys: Sequence[str]) -> list[str]:
    """Order new categories: by size if all are numbers, by a known scale, or else as they occur."""
    numbers = {key: number for key in keys if (number := number_of(key)) is not None}
    if len(numbers) == len(keys):
        return sorted(keys, key=numbers.__getitem__)
    return (scale_of(keys) if len(keys) > 2 else None) or list(keys)
