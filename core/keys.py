"""Keys: the short names by which files and programs refer to things."""

import unicodedata
from collections.abc import Iterable

MAX_KEY = 200


def look_alike(key: str, others: Iterable[str]) -> str | None:
    """Return one of the other keys that is the same, or differs only by case or Unicode form; the same one first."""
    found = [other for other in others if folded_key(other) == folded_key(key)]
    return key if key in found else next(iter(found), None)


def folded_key(key: str) -> str:
    """Return the same text for keys that differ only by case or Unicode form."""
    return unicodedata.normalize("NFC", key).casefold()
