"""Keys: the short names by which files and programs refer to things."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable

MAX_KEY = 200
# Of a text that is too long for a key.
_BEGINNING, _DIGITS = 100, 12
# Direction control characters, which make a name look like another one or reorder the text around it.
TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
NO_TURNS = "This can’t contain invisible characters that change the direction of text. Type it again."


def key_of_text(text: str) -> str:
    """Return the text in one line; if that is too long for a key, its beginning and a digest of the whole."""
    line = " ".join(text.split())
    if len(line) <= MAX_KEY:
        return line
    return f"{line[:_BEGINNING].rstrip()} … {hashlib.sha256(line.encode()).hexdigest()[:_DIGITS]}"


def look_alike(key: str, others: Iterable[str]) -> str | None:
    """Return one of the other keys that is the same, or differs only by case or Unicode form; the same one first."""
    found = [other for other in others if folded_key(other) == folded_key(key)]
    return key if key in found else next(iter(found), None)


def folded_key(key: str) -> str:
    """Return the same text for keys that differ only by case or Unicode form."""
    return unicodedata.normalize("NFC", key).casefold()
