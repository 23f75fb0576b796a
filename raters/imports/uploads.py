"""Uploaded files: read up to the limit and no further, and kept in pieces in the database until they are loaded."""

import hashlib
from collections.abc import Iterable, Iterator

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils import timezone

from core.refusals import Refusal
from core.tables import limits
from core.tables.encoding import Source
from raters.models import ImportChunk, LabelImport

PIECE = 1024 * 1024


def too_large() -> Refusal:
    limit = settings.IMPORT_MAX_BYTES
    return Refusal("too_large", f"The file is larger than {limit:,} bytes. Split it.", status_code=413)


def limit_upload(request: HttpRequest) -> None:
    """To be called before anything reads the body."""
    limits.limit_upload(request, most=settings.IMPORT_MAX_BYTES, too_large=too_large)


def limited(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The blocks, up to the limit of a file."""
    n_bytes = 0
    for block in blocks:
        n_bytes += len(block)
        if n_bytes > settings.IMPORT_MAX_BYTES:
            raise too_large()
        yield block


def store_pieces(label_import: LabelImport, blocks: Iterable[bytes]) -> None:
    """Keep the file in pieces, and note its digest and size."""
    digest, n_bytes = hashlib.sha256(), 0
    for position, piece in enumerate(_pieces(limited(blocks))):
        digest.update(piece)
        n_bytes += len(piece)
        ImportChunk.objects.create(label_import=label_import, position=position, content=piece)
    label_import.sha256, label_import.n_bytes = digest.hexdigest(), n_bytes
    label_import.save(update_fields=["sha256", "n_bytes"])


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
    """The file of an import, one piece in memory at a time."""

    def blocks() -> Iterator[bytes]:
        position = 0
        while (
            piece := label_import.chunks.filter(position=position).values_list("content", flat=True).first()
        ):
            yield bytes(piece)
            position += 1

    return blocks


def clear_away(imports: QuerySet[LabelImport]) -> int:
    """Give up the drafts among them that have expired, and forget the files of those that have ended."""
    old = imports.filter(
        state=LabelImport.State.DRAFT, asked_at__lt=timezone.now() - settings.IMPORT_DRAFT_LASTS
    )
    n = old.update(state=LabelImport.State.CANCELLED, finished_at=Now())
    forget_files(imports)
    return n


def forget_files(imports: QuerySet[LabelImport]) -> None:
    """Drop the pieces of those of the imports that have ended."""
    ended = [LabelImport.State.DONE, LabelImport.State.FAILED, LabelImport.State.CANCELLED]
    ImportChunk.objects.filter(label_import__in=imports.filter(state__in=ended)).delete()
