"""The rules for every cell, and its form for COPY."""

import re
import unicodedata

from core.keys import MAX_KEY

# Tabs and line breaks are text; other control characters are accidents, and PostgreSQL can't store NUL.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"[\\\t\n\r]")
_ESCAPES = {"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"}
_REMEMBERED = 200_000
# What COPY reads as NULL.
NULL = r"\N"


class InvalidCell(Exception):
    def __init__(self, code: str, rule: str) -> None:
        super().__init__(rule)
        self.code, self.rule = code, rule


class Cells(dict[str, str]):
    """Cells of one column: raw text -> the same, checked, trimmed if requested, and escaped for COPY.

    A dict, so that a repeated value costs one lookup; it is emptied before it grows large.
    """

    def __init__(self, *, limit: int = MAX_KEY, trim: bool = False, may_be_empty: bool = False) -> None:
        super().__init__()
        self.limit, self.trim, self.may_be_empty = limit, trim, may_be_empty

    def __missing__(self, raw: str) -> str:
        text = self.checked(raw)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[raw] = written = self.written(text)
        return written

    def written(self, text: str) -> str:
        return for_copy(text) if text else NULL

    def checked(self, raw: str) -> str:
        text = raw.strip() if self.trim else raw
        if len(text) > self.limit:
            raise InvalidCell("too_long", f"must have at most {self.limit:,} characters; has {len(text):,}")
        if not text.isprintable():
            check_characters(text)
        if not text and not self.may_be_empty:
            raise InvalidCell("empty_cell", "can’t be empty")
        if has_edge_space(text):
            raise InvalidCell("edge_space", "leading or trailing space; remove it")
        return text


def check_characters(text: str) -> None:
    """Raise InvalidCell for a character that no cell may contain."""
    if "\0" in text:
        raise InvalidCell("nul", "a NUL character")
    if control := _CONTROL.search(text):
        raise InvalidCell("control_character", f"the control character U+{ord(control[0]):04X}")
    if _SURROGATE.search(text):
        raise InvalidCell("surrogate", "contains a lone surrogate, which is not a valid character")


def has_edge_space(text: str) -> bool:
    """Whether the text begins or ends with a space of any width; tabs and line breaks are checked elsewhere."""
    return text != "" and (unicodedata.category(text[0]) == "Zs" or unicodedata.category(text[-1]) == "Zs")


def for_copy(text: str) -> str:
    """The text in the text format of COPY."""
    return _ESCAPED.sub(lambda found: _ESCAPES[found[0]], text) if _ESCAPED.search(text) else text
