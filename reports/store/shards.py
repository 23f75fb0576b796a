"""What takes long in a question is computed in shards, by any number of workers, with the same bits as by one."""

import struct
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil
from typing import Any, TypeVar

import numpy as np
from django.conf import settings
from django.db.models import QuerySet

from core.runs.lease import Lease, RunFailed, RunLost
from reports.agreement.blockwise import Blockwise, ShardBlocks
from reports.agreement.progress_callbacks import ReportProgress
from reports.agreement.results import FloatArray
from reports.analysis.kinds import kind_of
from reports.analysis.label_arrays import QuestionLabels, Raters
from reports.analysis.question import QuestionScope, scopes_of
from reports.models import Report, ReportShard
from reports.sources.question_labels import read_labels
from reports.sources.shared_snapshots import open_snapshot_at
from reports.store.pair_rows import rows_of
from reports.store.sharing import WorkSharing

# The first block also takes what is computed only once, so its time tells little if it is short.
MIN_MEASURABLE_SECONDS = 1.0
# Each shard reads the labels, so more of them would cost more than they balance; with fewer, workers would be idle.
LEAST_SHARDS, MOST_SHARDS = 8, 64
# A shard is worthwhile if it takes at least this many times as long as reading the labels, and this many seconds.
LEAST_READINGS, LEAST_SECONDS = 1.0, 1e-9
LENGTH = struct.Struct("<q")
DIFFER = (
    "The labels of {key} could not be read again as they were when the report started. Recompute the report."
)

T = TypeVar("T")


def even_bounds(costs: FloatArray, n_shards: int) -> list[int]:
    """Return where to cut blocks of these costs, so that shards cost about the same; fewer if some blocks cost more."""
    up_to = np.concatenate(([0.0], costs.cumsum()))
    wanted = np.linspace(0, up_to[-1], n_shards + 1)
    nearest = np.searchsorted((up_to[1:] + up_to[:-1]) / 2, wanted)
    return sorted(set(nearest.tolist()))


class SharedWork:
    """Computes a work of a question: alone if that is quick, otherwise together with all idle workers."""

    def __init__(
        self,
        lease: Lease[Report],
        scope: QuestionScope,
        labels: QuestionLabels[Any],
        raters: Raters,
        reading: float,
    ) -> None:
        """reading: how many seconds it took to read the labels."""
        self._scope, self._labels, self._raters, self._reading = scope, labels, raters, reading
        self._sharing = WorkSharing(lease)
        # By the work, the first block in a shard of an earlier attempt.
        self._begun = dict(self._shards.order_by("-first").values_list("work", "first"))

    def __call__(self, work: Blockwise[T], report_progress: ReportProgress) -> Iterator[T]:
        n_blocks = work.n_blocks
        blocks = work.blocks(0, n_blocks, *work.states([0]))
        for n_done in range(1, n_blocks + 1):
            began = time.monotonic()
            block = next(blocks)
            seconds = time.monotonic() - began
            yield block
            report_progress(n_done / n_blocks)
            if self._is_better_shared(work, n_done, n_blocks, seconds):
                yield from self._shared(work, n_blocks, report_progress)
                return

    @property
    def _shards(self) -> QuerySet[ReportShard]:
        report, question = self._sharing.report, self._scope.question["id"]
        return ReportShard.objects.filter(report=report, question=question, digest=self._labels.digest)

    def _is_better_shared(self, work: Blockwise[Any], n_done: int, n_blocks: int, seconds: float) -> bool:
        """Whether the blocks from `n_done` on are in shards, now or since an earlier attempt.

        seconds: what the last block took.
        """
        if work.key in self._begun:
            return self._begun[work.key] == n_done
        n_left = n_blocks - n_done
        is_telling = n_done > 1 or seconds > MIN_MEASURABLE_SECONDS
        if n_left < 2 or not is_telling:
            return False
        costs = work.costs
        seconds_left = seconds * costs[n_done:].sum() / costs[n_done - 1]
        if seconds_left < settings.RUN_SHARD_SECONDS:
            return False
        n_wanted = ceil(seconds_left / settings.RUN_SHARD_SECONDS)
        n_worthwhile = int(seconds_left / max(LEAST_READINGS * self._reading, LEAST_SECONDS))
        n_shards = min(max(LEAST_SHARDS, n_wanted), n_left, MOST_SHARDS, n_worthwhile)
        if n_shards < 2:
            return False
        bounds = [n_done + bound for bound in even_bounds(costs[n_done:], n_shards)]
        self._sharing.apart(lambda: self._sharing.cut(self._parts(work, bounds)))
        return True

    def _parts(self, work: Blockwise[Any], bounds: list[int]) -> Iterator[dict[str, Any]]:
        for (first, last), start in zip(pairwise(bounds), work.states(bounds[:-1]), strict=True):
            yield {
                "question_id": self._scope.question["id"],
                "lead": self._scope.lead,
                "digest": self._labels.digest,
                "raters": list(self._raters.keys),
                "counted": list(self._raters.counted),
                "work": work.key,
                "first": first,
                "last": last,
                "start": start,
            }

    def _shared(self, work: Blockwise[T], n_blocks: int, report_progress: ReportProgress) -> Iterator[T]:
        def compute(lease: Lease[ReportShard]) -> None:
            _finish(lease, lambda piece: piece(work, report_progress), check=self._sharing.check)

        shards = self._shards.filter(work=work.key)
        for first, result in self._sharing.results(shards, n_blocks, report_progress, compute):
            if result:
                yield from map(work.unpacked, _unpacked(result))
            else:
                # Too large to be sent: these blocks are computed one after the other as they are needed.
                bounds = self._sharing.apart(shards.filter(first=first).values_list("last", "start").get)
                yield from work.blocks(first, *bounds)


def compute_shard_blocks(lease: Lease[ReportShard]) -> None:
    """Compute the leased shard from the labels that its report reads."""
    shard = lease.run
    scope = _scope_of(shard)
    with open_snapshot_at(shard.report.head) as snapshot:
        labels = read_labels(
            snapshot, scope, report_progress=lambda share: lease.report_progress("Reading", 0)
        )
    if labels.digest != shard.digest:
        raise RunFailed(DIFFER.format(key=scope.question["key"]))
    analysis = kind_of(scope).analysis(labels, Raters(shard.raters, shard.counted))
    keep = rows_of(labels.rater_ids.tolist())
    _finish(lease, lambda piece: analysis.share(piece, keep))


def _scope_of(shard: ReportShard) -> QuestionScope:
    scopes = scopes_of(shard.report.codebook, shard.report.chosen)
    scope = next(each for each in scopes if each.question["id"] == shard.question_id)
    return replace(scope, lead=shard.lead)


def _finish(
    lease: Lease[ReportShard], ask: Callable[[ShardBlocks], object], check: Callable[[], None] = lambda: None
) -> None:
    """Store the blocks of a shard. ask: asks for work, among it that of the shard. check: called between blocks."""
    shard = lease.run

    def report_progress(share: float) -> None:
        check()
        lease.report_progress(f"Computing {shard.work}"[:60], share)

    piece = ShardBlocks(shard.work, shard.first, shard.last, shard.start, report_progress)
    ask(piece)
    is_whole = piece.is_too_large or len(piece.found or ()) == shard.last - shard.first
    if piece.found is None or not is_whole:
        raise RunFailed(DIFFER.format(key=shard.question.key))
    if not shard.finish(result=b"" if piece.is_too_large else _packed(piece.found)):
        raise RunLost


def _packed(blocks: Sequence[bytes]) -> bytes:
    packer = zlib.compressobj(1)
    found = [packer.compress(part) for block in blocks for part in (LENGTH.pack(len(block)), block)]
    return b"".join([*found, packer.flush()])


def _unpacked(result: bytes) -> Iterator[bytes]:
    sent, start = zlib.decompress(result), 0
    while start < len(sent):
        [length] = LENGTH.unpack_from(sent, start)
        start += LENGTH.size + length
        yield sent[start - length : start]
