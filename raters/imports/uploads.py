"""Uploaded files: read only up to the size limit, and stored in pieces in the database until they are loaded."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils import timezone

from core.refusals import RefusedWithCode
from core.tables import read_limits
from core.tables.encoding import Source
from core.tables.zipped import ZipMember, zip_pieces
from raters.models import ImportChunk, LabelImport, ReadBlock

PIECE = 1024 * 1024


def too_large() -> RefusedWithCode:
    limit = settings.IMPORT_MAX_BYTES
    return RefusedWithCode(
        "too_large", f"The file is larger than {limit:,} bytes. Split it.", status_code=413
    )


def limit_upload(request: HttpRequest) -> None:
    """Limit the size of the upload. Must be called before anything reads the body."""
    read_limits.limit_upload(request, most=settings.IMPORT_MAX_BYTES, too_large=too_large)


def limited(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the blocks, up to the file size limit."""
    n_bytes = 0
    for block in blocks:
        n_bytes += len(block)
        if n_bytes > settings.IMPORT_MAX_BYTES:
            raise too_large()
        yield block


@dataclass(frozen=True, slots=True)
class CombinedUpload:
    """Several files that were uploaded together, combined into one archive."""

    files: Sequence[Any]

    @property
    def name(self) -> str:
        return combined_name([file.name for file in self.files])

    def chunks(self) -> Iterator[bytes]:
        return together([(file.name, file.chunks) for file in self.files])()

    def close(self) -> None:
        for file in self.files:
            file.close()


def one_of(files: Sequence[Any]) -> Any:
    """Return the uploaded file, or several combined into one."""
    return files[0] if len(files) == 1 else CombinedUpload(files)


def combined_name(names: Sequence[str]) -> str:
    return f"{len(names)} files ({', '.join(names[:3])}{', …' if len(names) > 3 else ''})"


def together(files: Sequence[tuple[str, Source]]) -> Source:
    """Return an archive of the files, numbering duplicate names."""
    seen: Counter[str] = Counter()
    named = []
    for name, source in files:
        seen[name] += 1
        start, dot, end = name.rpartition(".")
        n = f" ({seen[name]})" if seen[name] > 1 else ""
        named.append((f"{start}{n}{dot}{end}" if start else f"{name}{n}", source))

    return lambda: zip_pieces(ZipMember(name, source()) for name, source in named)


def store_pieces(label_import: LabelImport, blocks: Iterable[bytes]) -> None:
    """Store the file in pieces, with its digest and size."""
    digest, n_bytes = hashlib.sha256(), 0
    for position, piece in enumerate(_pieces(limited(blocks))):
        digest.update(piece)
        n_bytes += len(piece)
        ImportChunk.objects.create(label_import=label_import, position=position, content=piece)
    label_import.sha256, label_import.n_bytes = digest.hexdigest(), n_bytes
    label_import.save(update_fields=["sha256", "n_bytes"])


def copy_pieces(label_import: LabelImport, other: LabelImport) -> None:
    """Give the other import the same file."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO raters_importchunk (label_import_id, position, content) "
            "SELECT %s, position, content FROM raters_importchunk WHERE label_import_id = %s",
            [other.pk, label_import.pk],
        )


def _pieces(blocks: Iterable[bytes]) -> Iterator[bytes]:
    kept = bytearray()
    for block in blocks:
        kept += block
        while len(kept) >= PIECE:
            yield bytes(kept[:PIECE])
            del kept[:PIECE]
    if kept:
        yield bytes(kept)


def stored(label_import: LabelImport) -> Source:
    """Return the file of an import, with one piece in memory at a time besides the first, which every format reads."""

    def piece(position: int) -> bytes:
        contents = label_import.chunks.filter(position=position).values_list("content", flat=True)
        return bytes(contents.first() or b"")

    first = cache(partial(piece, 0))

    def blocks() -> Iterator[bytes]:
        position, n_bytes = 0, 0
        while n_bytes < label_import.n_bytes and (found := piece(position) if position else first()):
            yield found
            position += 1
            n_bytes += len(found)

    return blocks


def clear_away(imports: QuerySet[LabelImport]) -> int:
    """Cancel expired drafts, and delete the files of imports that have ended."""
    old = imports.filter(
        state=LabelImport.State.DRAFT, asked_at__lt=timezone.now() - settings.IMPORT_DRAFT_LASTS
    )
    n = old.update(state=LabelImport.State.CANCELLED, finished_at=Now())
    forget_files(imports)
    return n


def forget_files(imports: QuerySet[LabelImport]) -> None:
    """Delete the stored pieces of imports that have ended, and what was read of them."""
    ended = imports.filter(
        state__in=[LabelImport.State.DONE, LabelImport.State.FAILED, LabelImport.State.CANCELLED]
    )
    for model in (ImportChunk, ReadBlock):
        model._default_manager.filter(label_import__in=ended).delete()
