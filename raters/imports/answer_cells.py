"""Labels, times, and numbers in files: validated, and formatted for COPY."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime

from django.utils import timezone

from core.keys import MAX_KEY
from core.tables.cells import NULL, Cells, InvalidCell, check_characters, for_copy
from projects.codebook.texts import UNSTORABLE
from projects.models import MAX_ANSWER_TEXT, MAX_TEXT, MAX_VALUE, Question
from raters.confidence_scale import is_probability
from raters.reading.number_notation import is_too_large, local_number, number_of
from raters.reading.records import Value
from raters.reading.values import is_missing_word, parts_of

# Starts a staged set and precedes each of its categories; no cell may contain it.
SET = "\x1f"
_REMEMBERED = 200_000
# Texts are long and rarely repeated.
_REMEMBERED_TEXTS = 1_000
_WHOLE = re.compile(r"\d{1,5}(\.0+)?", re.ASCII)


def category_cell(text: str) -> str:
    """Return the text as a category key. Raises InvalidCell."""
    if len(text) > MAX_KEY:
        raise InvalidCell("too_long", f"must have at most {MAX_KEY:,} characters; has {len(text):,}")
    if not text.isprintable():
        check_characters(text)
    return for_copy(text)


def single_choice_cell(value: Value) -> str:
    if isinstance(value, tuple):
        if len(value) != 1:
            raise InvalidCell("bad_choice", "several categories, but the question has a single choice")
        [value] = value
    return f"{category_cell(value or '')}\t{NULL}\t{NULL}"


def set_cell(value: Value, separator: str) -> str:
    parts = list(value) if isinstance(value, tuple) else parts_of(value or "", separator)
    if len(set(parts)) < len(parts):
        raise InvalidCell("bad_choice", "duplicate category")
    written = "".join(SET + category_cell(part) for part in parts) or SET
    if len(written) > MAX_TEXT:
        raise InvalidCell("too_long", f"must have at most {MAX_TEXT:,} characters; has {len(written):,}")
    return f"{written}\t{NULL}\t{NULL}"


def number_cell(value: Value, decimal: str) -> str:
    """Return a finite number. Anything else stays text, which may turn out to mean missing."""
    if isinstance(value, tuple):
        raise InvalidCell("bad_number", "a list, but the question asks for a number")
    number = local_number(value or "", decimal=decimal)
    if is_too_large(value or ""):
        raise InvalidCell("bad_number", f"number out of range; must be from -{MAX_VALUE:g} to {MAX_VALUE:g}")
    if number is None:
        return f"{category_cell(value or '')}\t{NULL}\t{NULL}"
    if abs(number) > MAX_VALUE:
        raise InvalidCell("bad_number", f"number out of range; must be from -{MAX_VALUE:g} to {MAX_VALUE:g}")
    return f"{NULL}\t{number!r}\t{NULL}"


def text_cell(value: Value) -> str:
    """Return the text exactly as written."""
    if isinstance(value, tuple):
        raise InvalidCell("bad_text", "a list, but the question asks for text")
    text = value or ""
    if len(text) > MAX_ANSWER_TEXT:
        raise InvalidCell("too_long", f"must have at most {MAX_ANSWER_TEXT:,} characters; has {len(text):,}")
    if unstorable := UNSTORABLE.search(text):
        raise InvalidCell(
            "control_character", f"the character U+{ord(unstorable[0]):04X}, which can’t be stored"
        )
    return f"{NULL}\t{NULL}\t{for_copy(text)}"


class AnswerCells(dict[Value, str]):
    """Map labels of one kind to label, number, and text for COPY. A dict, so that repeated values are cheap."""

    def __init__(self, written: Callable[[Value], str], *, remembered: int = _REMEMBERED) -> None:
        super().__init__()
        self._written, self._remembered = written, remembered

    def __missing__(self, value: Value) -> str:
        if len(self) >= self._remembered:
            self.clear()
        self[value] = written = self._written(value)
        return written


def answers_of(kind: str, *, separator: str, decimal: str) -> AnswerCells:
    if kind == Question.Kind.TEXT:
        return AnswerCells(text_cell, remembered=_REMEMBERED_TEXTS)
    by_kind: Mapping[str, Callable[[Value], str]] = {
        Question.Kind.SINGLE: single_choice_cell,
        Question.Kind.MULTIPLE: lambda value: set_cell(value, separator),
        Question.Kind.NUMBER: lambda value: number_cell(value, decimal),
    }
    return AnswerCells(by_kind[kind])


class TimeCells(Cells):
    """A date or time in ISO 8601. Without a time zone, the server's is assumed."""

    def written(self, text: str) -> str:
        if not text:
            return NULL
        try:
            time = datetime.fromisoformat(text)
        except ValueError:
            raise InvalidCell("bad_time", "not a time such as 2026-11-20T14:02:00Z") from None
        if not time.tzinfo:
            time = timezone.make_aware(time)
        try:
            return time.astimezone(timezone.get_current_timezone()).isoformat()
        except OverflowError:
            raise InvalidCell("bad_time", "outside the supported range of dates") from None


class SecondsCells(Cells):
    """The time a label took, in seconds."""

    def written(self, text: str) -> str:
        if not text or is_missing_word(text):
            return NULL
        seconds = number_of(text, decimal="," if "," in text else ".")
        if seconds is None or not 0 <= seconds <= MAX_VALUE:
            raise InvalidCell("bad_number", "not a number of seconds such as 12.5")
        return repr(seconds)


class ConfidenceCells(Cells):
    """The probability that a label is right."""

    def written(self, text: str) -> str:
        if not text or is_missing_word(text):
            return NULL
        plain = text.removesuffix("%").strip()
        number = number_of(plain, decimal="," if "," in plain else ".")
        confidence = None if number is None else number / 100 if text.endswith("%") else number
        if confidence is None or not is_probability(confidence):
            raise InvalidCell("bad_number", "not a probability from 0 to 1, or a percentage from 0% to 100%")
        return repr(confidence)


class IntegerCells(Cells):
    """A whole number from `least` to 32,767."""

    def __init__(self, *, least: int) -> None:
        super().__init__(may_be_empty=True)
        self.least = least

    def written(self, text: str) -> str:
        if not text:
            return NULL
        number = int(float(text)) if _WHOLE.fullmatch(text) else -1
        if not self.least <= number <= 32_767:
            raise InvalidCell("bad_number", f"not a whole number from {self.least} to 32,767")
        return str(number)


class NoteCells(Cells):
    """A longer text, unchanged, or nothing."""

    def __init__(self, *, limit: int) -> None:
        super().__init__(limit=limit, may_be_empty=True)

    def __missing__(self, raw: str) -> str:
        if len(raw) > self.limit:
            raise InvalidCell("too_long", f"must have at most {self.limit:,} characters; has {len(raw):,}")
        if not raw.isprintable():
            check_characters(raw)
        return for_copy(raw)
