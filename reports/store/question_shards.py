"""Questions that take long are computed in shards, one each, by any number of workers.

A shard writes what its question always has, in a transaction that is rolled back once the rows were copied; the report
inserts these rows in its own transaction.
"""

import struct
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.conf import settings
from django.db import connection, transaction
from psycopg import sql

from core.runs.lease import Lease, RunLost
from reports.agreement.blockwise import MOST_BYTES
from reports.analysis.question import QuestionScope
from reports.models import Report, ReportShard
from reports.sources.shared_snapshots import Snapshot, open_snapshot_at
from reports.store.sharing import WorkSharing

# With less for a question, copying its rows twice is no gain.
MIN_MEASURABLE_SECONDS = 1.0
QUESTION = "question"
# The rows of a question, those that others refer to first; the parameter is the ID of its results.
ROWS = {
    "reports_questionagreement": "id",
    "reports_labelblock": "agreement_id",
    "reports_pairagreement": "agreement_id",
    "reports_laterfigures": "agreement_id",
}
LENGTH = struct.Struct("<q")

# Writes the results of the question at this place.
Write = Callable[[Report, int, Snapshot, Lease[Report] | Lease[ReportShard]], object]
# Stores once more what a snapshot has of a question that the history does not.
KeepPresent = Callable[[int, Snapshot], None]


class SharedQuestions:
    """Writes the questions of a report: alone if that is quick, otherwise together with all idle workers."""

    def __init__(
        self, lease: Lease[Report], scopes: Sequence[QuestionScope], write: Write, keep_present: KeepPresent
    ) -> None:
        self._lease, self._scopes, self._write, self._keep_present = lease, scopes, write, keep_present
        self._sharing = WorkSharing(lease)
        self._shards = lease.run.shards.filter(work=QUESTION).order_by("first")
        # The first question in a shard of an earlier attempt.
        self._begun = self._shards.values_list("first", flat=True).first()

    def write_all(self, snapshot: Snapshot) -> None:
        for place in range(len(self._scopes)):
            began = time.monotonic()
            self._write(self._lease.run, place, snapshot, self._lease)
            if self._is_better_shared(place + 1, time.monotonic() - began):
                self._write_shared(snapshot)
                return

    def _is_better_shared(self, n_done: int, seconds: float) -> bool:
        """Whether the questions from `n_done` on are in shards, now or since an earlier attempt.

        seconds: what the last question took.
        """
        if self._begun is not None:
            return self._begun == n_done
        n_left = len(self._scopes) - n_done
        if n_left < 2 or seconds < MIN_MEASURABLE_SECONDS or seconds * n_left < settings.RUN_SHARD_SECONDS:
            return False
        # Where replicates take most of the time, all workers compute those of one question after the other.
        if self._lease.run.shards.exists():
            return False
        self._sharing.apart(lambda: self._sharing.cut(self._parts(n_done)))
        return True

    def _parts(self, n_done: int) -> Iterator[dict[str, Any]]:
        for place in range(n_done, len(self._scopes)):
            yield {
                "question_id": self._scopes[place].question["id"],
                "digest": "",
                "counted": [],
                "work": QUESTION,
                "first": place,
                "last": place + 1,
            }

    def _write_shared(self, snapshot: Snapshot) -> None:
        def report_progress(share: float) -> None:
            self._lease.report_progress("Computing the other questions", share)

        def compute(lease: Lease[ReportShard]) -> None:
            compute_question(lease, self._write, check=self._sharing.check)

        for place, rows in self._sharing.results(self._shards, len(self._scopes), report_progress, compute):
            if rows:
                paste(rows)
                self._keep_present(place, snapshot)
            else:
                self._write(self._lease.run, place, snapshot, self._lease)


@dataclass(frozen=True, slots=True)
class _CheckedLease:
    """A lease that also ends when the work that it is for does."""

    lease: Lease[ReportShard]
    check: Callable[[], None]

    @property
    def run(self) -> ReportShard:
        return self.lease.run

    def report_progress(self, *progress: Any, **more: Any) -> None:
        self.check()
        self.lease.report_progress(*progress, **more)


def compute_question(
    lease: Lease[ReportShard], write: Write, check: Callable[[], None] = lambda: None
) -> None:
    """Store the rows that the question of the leased shard would have. check: called whenever progress is reported."""
    shard = lease.run
    with open_snapshot_at(shard.report.head) as snapshot, transaction.atomic():
        write(shard.report, shard.first, snapshot, cast("Lease[ReportShard]", _CheckedLease(lease, check)))
        rows = copied(shard)
        transaction.set_rollback(True)
    if not shard.finish(result=rows):
        raise RunLost


def copied(shard: ReportShard) -> bytes:
    """Return the rows of the question; b"" if they are too large."""
    found, size = [], 0
    of = shard.report.questions.get(question=shard.question_id).pk
    for table, column in ROWS.items():
        query = sql.SQL("COPY (SELECT * FROM {} WHERE {} = {}) TO STDOUT (FORMAT binary)").format(
            sql.Identifier(table), sql.Identifier(column), sql.Literal(of)
        )
        packer, packed = zlib.compressobj(1), bytearray()
        with connection.cursor() as cursor, cursor.copy(query) as copy:
            for rows in copy:
                size += len(rows)
                # To be read to the end, or the connection could do nothing else.
                if size <= MOST_BYTES:
                    packed += packer.compress(rows)
        if size > MOST_BYTES:
            return b""
        packed += packer.flush()
        found += [LENGTH.pack(len(packed)), bytes(packed)]
    return b"".join(found)


def paste(packed: bytes) -> None:
    """Insert rows that were copied by a shard."""
    start = 0
    for table in ROWS:
        [length] = LENGTH.unpack_from(packed, start)
        start += LENGTH.size + length
        rows = zlib.decompress(packed[start - length : start])
        query = sql.SQL("COPY {} FROM STDIN (FORMAT binary)").format(sql.Identifier(table))
        with connection.cursor() as cursor, cursor.copy(query) as copy:
            copy.write(rows)
