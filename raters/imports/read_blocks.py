"""What a worker has read of a file, block by block in the database: after a kill, the next attempt goes on from there.

Blocks are written as the file is read, each in a transaction of its own, and only as long as the file has no faults.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields

from raters.imports.staging import CopyRows, Staged, StagedBlock, fill, staged_of
from raters.models import LabelImport, ReadBlock
from raters.reading.records import Record

# Characters of a block, at least.
_SIZE = 2_000_000
_FASTEST = 1
_PARTS = [part.name for part in fields(StagedBlock)]


class ReadBlocks:
    """The blocks of an import. how: identifies how the file is read; blocks that were read otherwise are of no use."""

    def __init__(self, label_import: LabelImport) -> None:
        self.label_import = label_import

    def read(
        self, records: Iterable[Record], reading: CopyRows, how: str, report_rows: Callable[[int], None]
    ) -> None:
        """Store what has not been read yet; or nothing at all, if the file has faults."""
        position = self._resume(reading, how)
        report_rows(reading.staged.n_records)
        for block, is_last in _gathered(reading.blocks(records)):
            if reading.faults:
                self.forget()
                return
            self._keep(position, block, reading, how, is_last=is_last)
            report_rows(reading.staged.n_records)
            position += 1

    def are_whole(self, how: str) -> bool:
        last = self._last
        return last is not None and last.is_last and self._are_read(how)

    def stage(self) -> Staged:
        """Fill the staged tables with all blocks."""
        last = self._last
        assert last is not None  # noqa: S101  For the type checker.
        fill(self._block(position) for position in range(last.position + 1))
        return staged_of(last.state["staged"])

    def forget(self) -> None:
        self.label_import.blocks.all().delete()

    @property
    def _last(self) -> ReadBlock | None:
        return self.label_import.blocks.defer(*_PARTS).last()

    def _are_read(self, how: str) -> bool:
        return not self.label_import.blocks.exclude(reading=how).exists()

    def _resume(self, reading: CopyRows, how: str) -> int:
        """Return the position of the next block."""
        last = self._last
        if last is None or last.is_last or not self._are_read(how):
            self.forget()
            return 0
        reading.resume(last.state, (self._block(place).kinds for place in range(last.position + 1)))
        return last.position + 1

    def _keep(self, position: int, block: StagedBlock, reading: CopyRows, how: str, *, is_last: bool) -> None:
        # A worker that has lost the run may still be writing the same block.
        row = ReadBlock(
            label_import=self.label_import,
            position=position,
            reading=how,
            state=reading.state,
            is_last=is_last,
            **{name: zlib.compress(getattr(block, name).encode(), _FASTEST) for name in _PARTS},
        )
        ReadBlock.objects.bulk_create([row], ignore_conflicts=True)

    def _block(self, position: int) -> StagedBlock:
        parts = self.label_import.blocks.values_list(*_PARTS).get(position=position)
        return StagedBlock(*(zlib.decompress(part).decode() for part in parts))


def _gathered(blocks: Iterable[StagedBlock]) -> Iterator[tuple[StagedBlock, bool]]:
    """Yield larger blocks, and whether each is the last one."""
    parts: list[StagedBlock] = []
    for block in blocks:
        parts.append(block)
        if sum(len(part.labels) + len(part.items) for part in parts) >= _SIZE:
            yield _joined(parts), False
            parts.clear()
    yield _joined(parts), True


def _joined(parts: list[StagedBlock]) -> StagedBlock:
    return StagedBlock(*("".join(getattr(part, name) for part in parts) for name in _PARTS))
