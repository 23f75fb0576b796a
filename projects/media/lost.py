"""Media files whose content is missing, because it was lost or never copied with the database."""

import posixpath
from itertools import groupby

from django.core.files.storage import default_storage
from django.db.models import QuerySet

from projects.media.media_files import place_of
from projects.models import MediaFile

# Maximum number of files that a sentence names.
NAMED = 3
# Up to this number of files in a folder, each is looked up.
FEW = 3


def lost_media(media: QuerySet[MediaFile]) -> list[str]:
    """Return the names of those files whose content is not in the storage, in alphabetical order.

    Folders of the storage are listed, one at a time: asking for each of 5,000 files took five times as long.
    """
    digests = media.order_by("sha256").values_list("sha256", flat=True).distinct()
    folders = groupby(digests.iterator(), lambda digest: posixpath.dirname(place_of(digest)))
    lost = [digest for folder, found in folders for digest in _lost_in(folder, list(found))]
    return sorted(media.filter(sha256__in=lost).values_list("name", flat=True)) if lost else []


def _lost_in(folder: str, digests: list[str]) -> list[str]:
    """Return those of the digests without content; all of them are in the same folder."""
    # A few files are not worth a list of all files of all projects there.
    if len(digests) <= FEW:
        return [digest for digest in digests if not default_storage.exists(place_of(digest))]
    try:
        _, names = default_storage.listdir(folder)
    except FileNotFoundError:
        return digests
    stored = set(names)
    return [digest for digest in digests if posixpath.basename(place_of(digest)) not in stored]


def lost_in_words(names: list[str]) -> str:
    """Return, for example, “2 media files are missing: a.png, b.wav.”; empty if none are."""
    if not names:
        return ""
    verb = "media file is" if len(names) == 1 else "media files are"
    shown = ", ".join(names[:NAMED])
    rest = f", and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"{len(names):,} {verb} missing: {shown}{rest}."
