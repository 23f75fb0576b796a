"""What a backup records about itself."""

import json
from dataclasses import asdict, dataclass, field

from core.shapes import Json

FORMAT = 1
NAME = "manifest.json"
DUMP = "database.dump"
MEDIA = "media/"


class BackupError(Exception):
    """A backup that can't be made or restored; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class BackupPart:
    n_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """version: of the program. migrations: all applied ones, as app.name. counts: rows of each table.

    heads: of each project's history, by project ID; "0" is the site's.

    parts: the files of the backup by name, in order. missing_media: digests of media files that the database refers
    to but whose content had been lost before.
    """

    version: str
    made_at: str
    postgres: str
    migrations: list[str]
    counts: dict[str, int]
    parts: dict[str, BackupPart]
    heads: dict[str, str] = field(default_factory=dict)
    missing_media: list[str] = field(default_factory=list)

    def as_bytes(self) -> bytes:
        found = {"program": "interrater", "format": FORMAT, **asdict(self)}
        return (json.dumps(found, indent=1) + "\n").encode()

    @classmethod
    def of_bytes(cls, data: bytes) -> "Manifest":
        try:
            found: Json = json.loads(data)
            if (found.pop("program"), found.pop("format")) != ("interrater", FORMAT):
                raise BackupError(
                    f"This backup has a different format. This version reads format {FORMAT} only."
                )
            parts = {name: BackupPart(**part) for name, part in found.pop("parts").items()}
            return cls(parts=parts, **found)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BackupError("This file is not a backup: its manifest cannot be read.") from error

    @property
    def n_rows(self) -> int:
        return sum(self.counts.values())

    @property
    def n_media(self) -> int:
        return sum(name.startswith(MEDIA) for name in self.parts)
