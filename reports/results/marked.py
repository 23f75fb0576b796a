"""Text with marks for italics and for gaps that its author fills in; rendered as plain text, HTML, or runs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from django.utils.safestring import SafeString, mark_safe

# Noncharacters, which Unicode reserves for internal use; `unmarked` removes them from names.
_ITALIC, _UPRIGHT, _GAP, _END_OF_GAP = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
_MARKS = _ITALIC + _UPRIGHT + _GAP + _END_OF_GAP
_NO_MARKS = dict.fromkeys(map(ord, _MARKS))
_TAGS = {_ITALIC: "<i>", _UPRIGHT: "</i>", _GAP: "<mark>", _END_OF_GAP: "</mark>"}


@dataclass(frozen=True, slots=True)
class TextRun:
    text: str
    is_italic: bool = False
    is_gap: bool = False


def italic(text: str) -> str:
    return f"{_ITALIC}{text}{_UPRIGHT}"


def gap(text: str) -> str:
    """Mark in brackets what only the author knows; the text reads well without it."""
    return f"{_GAP}[{text}]{_END_OF_GAP}"


def has_gap(marked: str) -> bool:
    return _GAP in marked


def plain(marked: str) -> str:
    return marked.translate(_NO_MARKS)


# For names given by people.
unmarked = plain


def as_html(marked: str) -> SafeString:
    text = escape(marked)
    for mark, tag in _TAGS.items():
        text = text.replace(mark, tag)
    return mark_safe(text)  # noqa: S308  Escaped above; the tags are ours.


def runs(marked: str) -> Iterator[TextRun]:
    is_italic = is_gap = False
    for part in re.split(f"([{_MARKS}])", marked):
        if part in {_ITALIC, _UPRIGHT}:
            is_italic = part == _ITALIC
        elif part in {_GAP, _END_OF_GAP}:
            is_gap = part == _GAP
        elif part:
            yield TextRun(part, is_italic, is_gap)
