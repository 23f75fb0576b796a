"""Media files whose content is missing, because it was lost or never copied with the database."""

from django.core.files.storage import default_storage
from django.db.models import QuerySet

from projects.media.media_files import place_of
from projects.models import MediaFile

# Maximum number of files that a sentence names.
NAMED = 3


def lost_media(media: QuerySet[MediaFile]) -> list[str]:
    """Return the names of those files whose content is not in the storage, in alphabetical order."""
    digests = media.order_by().values_list("sha256", flat=True).distinct()
    lost = [digest for digest in digests if not default_storage.exists(place_of(digest))]
    return sorted(media.filter(sha256__in=lost).values_list("name", flat=True)) if lost else []


def lost_in_words(names: list[str]) -> str:
    """Return, for example, “2 media files are missing: a.png, b.wav.”; empty if none are."""
    if not names:
        return ""
    verb = "media file is" if len(names) == 1 else "media files are"
    shown = ", ".join(names[:NAMED])
    rest = f", and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"{len(names):,} {verb} missing: {shown}{rest}."
