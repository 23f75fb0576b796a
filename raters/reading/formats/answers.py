"""What the answers of a file are if it does not say so: categories, sets, numbers, or free text."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from core.tables.faults import Faults
from raters.reading.records import MULTIPLE, NUMBER, SINGLE, Choice, QuestionRecord, Value

FREE_TEXT = "free-text answers"
# Above this, categories are no longer what raters choose from.
MANY = 30
_LONG = 60
_REMEMBERED = 2_000
_NUMBER = re.compile(r"[+-]?(\d{1,30}([.,]\d{0,30})?|[.,]\d{1,30})([eE][+-]?\d{1,3})?")
_TEXT_NAMES = re.compile(
    r"(?i)(^|[^a-z])(comments?|notes?|remarks?|feedback|free_?text|free_?response|text_?box|why|reasons?|"
    r"explanations?|suggestions?|rationale)$"
)


def is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


class Seen:
    """What one question was answered with: enough to tell its kind, however many answers there are."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.n = self.n_characters = self.most = 0
        self.are_numbers, self.has_breaks, self.is_set = True, False, False
        self.values: dict[str, None] = {}

    def add(self, *chosen: str) -> None:
        """One answer: the categories chosen."""
        self.most = max(self.most, len(chosen))
        for value in chosen:
            self.n += 1
            self.n_characters += len(value)
            self.has_breaks = self.has_breaks or "\n" in value
            self.are_numbers = self.are_numbers and is_number(value)
            if len(self.values) < _REMEMBERED:
                self.values[value] = None

    @property
    def is_text(self) -> bool:
        """Whether the answers are free text."""
        if not self.n or self.are_numbers or self.is_set or self.most > 1:
            return False
        if self.has_breaks or self.n_characters / self.n >= _LONG or _TEXT_NAMES.search(self.name):
            return True
        n_distinct = len(self.values)
        return n_distinct > MANY and (n_distinct > 0.5 * self.n or n_distinct == _REMEMBERED)

    @property
    def kind(self) -> str:
        if self.is_set or self.most > 1:
            return MULTIPLE
        return NUMBER if self.n and self.are_numbers and len(self.values) > MANY else SINGLE

    def value(self, chosen: Sequence[str]) -> Value:
        """The chosen categories as the value of a label; for a set, choosing nothing is an answer."""
        if self.kind == MULTIPLE:
            return tuple(dict.fromkeys(chosen))
        return chosen[0] if chosen else None

    def question(self, line: int, key: str = "") -> QuestionRecord:
        return QuestionRecord(line, key or self.name, self.kind)


def first_option(choices: Sequence[Choice], chosen: Mapping[str, str], key: str, default: str = "") -> str:
    """What was chosen, or else the first option."""
    options = next(([value for value, _ in choice.options] for choice in choices if choice.key == key), [])
    said = chosen.get(key, "")
    return said if said in options else (options or [default])[0]


def text_of(value: Any) -> str | None:
    """A text or a number as it is written; None for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | Decimal):
        # Also numbers as they are written, as a plain str.
        return str(value)
    return None


def from_epoch(seconds: Any, *, per_second: int = 1) -> str:
    """ISO 8601 of seconds since 1970, or "" where it is no such time."""
    try:
        at = datetime.fromtimestamp(float(seconds) / per_second, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return ""
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def seconds_of(written: Any, *, per_second: int = 1) -> str:
    """Seconds as a number, or "" where there is no sensible one."""
    try:
        spent = float(text_of(written) or "") / per_second
    except ValueError:
        return ""
    return f"{spent:.3f}".rstrip("0").rstrip(".") if 0 < spent < 10**9 else ""


_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?: ?(Z|UTC|[+-]\d\d:?\d\d))?")


def iso_time(text: str, line: int, column: str, faults: Faults, *, zone: str = "") -> str:
    """ISO 8601; zone: for times that have none. A text that is no time is a fault."""
    if not text:
        return ""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        faults.add(line, column, text, "bad_time", "must be a time such as 2026-03-02 10:00:00")
        return ""
    return f"{found[1]}T{found[2]}{'Z' if found[3] == 'UTC' else found[3] or zone}"


def is_true(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in ("true", "1"))


def is_false(value: Any) -> bool:
    return value is False or (isinstance(value, str) and value.strip().lower() in ("false", "0"))


def n_times(counts: Counter[str], name: str, n: int) -> None:
    """Count what is left out, if anything."""
    if n:
        counts[name] += n
