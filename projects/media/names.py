"""Names of media files, as items refer to them; never paths on a disk."""

import re
import unicodedata

from django.urls import reverse

from core.keys import MAX_KEY
from core.tables.cells import InvalidCell, check_characters
from projects.media.refusals import MediaRefused
from projects.models import Item, MediaFile

# Bidirectional control characters, which make "gnp.exe" look like another name.
_TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LINES = re.compile(r"[\t\n\r]")
_ELSEWHERE = ("http://", "https://")
# Fields of items whose value names a file.
MEDIA = {Item.Field.IMAGE, Item.Field.AUDIO, Item.Field.VIDEO}


def clean_name(raw: str) -> str:
    """The name as it is stored: composed characters, folders separated by /; raises MediaRefused."""
    name = unicodedata.normalize("NFC", raw)
    if not 0 < len(name) <= MAX_KEY:
        raise MediaRefused(
            "bad_name", f"A name must have 1 to {MAX_KEY} characters; this one has {len(name):,}."
        )
    try:
        check_characters(name)
    except InvalidCell as bad:
        raise MediaRefused("bad_name", f"The name contains {bad.rule}. Rename the file.") from None
    if _TURNS.search(name) or _LINES.search(name):
        raise MediaRefused("bad_name", "The name contains an invisible character. Rename the file.")
    parts = name.split("/")
    if "\\" in name or any(part.strip() in {"", ".", ".."} for part in parts):
        raise MediaRefused(
            "bad_name",
            "A name must be a relative path such as photos/1.jpg, without \\, .. or empty folders.",
        )
    return name


def in_folder(folder: str, name: str) -> str:
    """The name inside the requested folder, if any."""
    above = folder.strip().strip("/")
    return f"{above}/{name}" if above else name


def name_in(value: str) -> str:
    """The name that the content of an item refers to."""
    return unicodedata.normalize("NFC", value.strip()).removeprefix("./")


def spellings(name: str) -> list[str]:
    """The spellings of this name that content may use."""
    forms = {name, unicodedata.normalize("NFD", name)}
    return sorted(forms | {f"./{form}" for form in forms})


def address_of(media: MediaFile) -> str:
    return reverse("api_media_file", args=[media.project.slug, media.pk])


def is_elsewhere(value: str) -> bool:
    return value.strip().lower().startswith(_ELSEWHERE)
