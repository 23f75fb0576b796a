"""Attributes of items and raters by which agreement may be compared, such as site, year, or device."""

import math
from collections.abc import Mapping
from typing import Any

from core.keys import MAX_KEY
from core.web.strict import CONTROL
from projects.models import MAX_VALUE

Attribute = str | int | float | bool
MAX_ATTRIBUTES = 200
MAX_ATTRIBUTE = 1_000


def check_attributes(given: Any) -> None:
    """Raise ValueError, with the reason, unless `given` is an object of names and plain values."""
    if not isinstance(given, Mapping) or len(given) > MAX_ATTRIBUTES:
        raise ValueError(f"must be an object of at most {MAX_ATTRIBUTES} names and values")
    for name, value in given.items():
        if not name.strip() or len(name) > MAX_KEY or CONTROL.search(name):
            raise ValueError(f"a name must have 1 to {MAX_KEY} characters and no control characters")
        check_attribute(name, value)


def check_attribute(name: str, value: Any) -> None:
    """Raise ValueError if the value is invalid."""
    if isinstance(value, bool):
        return
    if isinstance(value, str):
        if len(value) > MAX_ATTRIBUTE or "\0" in value:
            raise ValueError(f"{name} must have at most {MAX_ATTRIBUTE:,} characters, and no NUL")
        return
    if not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > MAX_VALUE:
        raise ValueError(f"{name} must be text, a number, true, or false")


def attributes_of_texts(texts: Mapping[str, str]) -> dict[str, str]:
    """Return a file's attributes of an item in a valid form: empty texts are left out, long ones are truncated."""
    found = {name.strip()[:MAX_KEY]: text.strip()[:MAX_ATTRIBUTE] for name, text in texts.items()}
    kept = [(name, text) for name, text in found.items() if name and text and not CONTROL.search(name)]
    return {name: text.replace("\0", "") for name, text in kept[:MAX_ATTRIBUTES]}


def in_words(value: Attribute) -> str:
    """Format a value for display."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:.12g}"
