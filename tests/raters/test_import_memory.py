"""However large a file is, a part of it at a time is in memory: as it arrives, as it is stored, and as it is loaded."""

import io
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from core.tables.sources import digest_of
from projects.imports.protocol import no_import_progress
from raters.imports import staging
from raters.imports.actions import confirm, run_import, upload
from raters.imports.label_options import LabelOptions
from raters.imports.submitted_file import BytesParser
from raters.imports.uploads import PIECE, store_pieces, stored
from raters.models import Label, LabelImport
from tests.files import GOOD
from tests.sizes import only_in_full

MEGABYTE = 1024 * 1024
N_MEGABYTES, N_ITEMS = 24, 30_000


class Body(io.RawIOBase):
    """A request body of many megabytes that are made as they are read."""

    def __init__(self) -> None:
        self.left = N_MEGABYTES * MEGABYTE

    def read(self, size: int = -1) -> bytes:
        assert 0 < size <= MEGABYTE
        size = min(size, self.left)
        self.left -= size
        return b"x" * size


def peak(work: Callable[[], object]) -> float:
    """Megabytes that Python held at most, above what it held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / MEGABYTE
    finally:
        tracemalloc.stop()


def test_a_raw_body_goes_to_a_file_as_it_arrives():
    files = []

    assert peak(lambda: files.append(BytesParser().parse(Body()))) < 2

    [file] = files
    assert digest_of(file.chunks)[1] == N_MEGABYTES * MEGABYTE
    file.close()


def test_a_file_is_stored_piece_by_piece(project, lead):
    """Told by what is in the database while the file arrives; for the log of queries, if it is on, holds all of it."""
    draft = upload(project, "labels.csv", [GOOD], LabelOptions(), by=lead)
    draft.chunks.all().delete()
    held = []

    def blocks() -> Iterator[bytes]:
        for n_sent in range(N_MEGABYTES):
            held.append(n_sent * MEGABYTE - draft.chunks.count() * PIECE)
            yield bytes([n_sent]) * MEGABYTE

    store_pieces(draft, blocks())

    assert max(held) < MEGABYTE + PIECE
    assert draft.n_bytes == N_MEGABYTES * MEGABYTE
    assert peak(lambda: digest_of(stored(draft))) < N_MEGABYTES / 2


@pytest.fixture
def described():
    """Blocks of a file whose items have texts."""

    def blocks() -> Iterator[bytes]:
        yield b"item,rater,label,text\n"
        for place in range(N_ITEMS):
            yield f"item-{place},ann,yes,{chr(97 + place % 26) * 1_000}\n".encode()

    return blocks


def loaded(project, lead, blocks) -> Callable[[], None]:
    draft = upload(project, "labels.csv", blocks, LabelOptions(), by=lead)
    confirm(draft, by=lead)
    run = LabelImport.objects.get(pk=draft.pk)
    assert run.claim()
    return lambda: run_import(run, report_progress=no_import_progress)


@only_in_full
def test_a_worker_reads_and_loads_a_part_at_a_time(project, lead, described, monkeypatch):
    monkeypatch.setattr(staging, "_BLOCK", 500)
    # The first import of a process imports modules, too.
    loaded(project, lead, [GOOD])()
    load = loaded(project, lead, described())
    assert LabelImport.objects.latest("pk").n_bytes > N_MEGABYTES * MEGABYTE

    assert peak(load) < N_MEGABYTES

    assert Label.objects.filter(item__project=project).count() == 2 + N_ITEMS
