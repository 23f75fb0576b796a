"""How the worker that has a report shares parts of the work, as shards, with all workers that are idle."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet

from core.runs.lease import Lease, RunFailed, RunLost, work_on
from reports.agreement.progress_callbacks import ReportProgress
from reports.models import Report, ReportShard

# Seconds between two looks at the shards of other workers.
POLL = 0.2

T = TypeVar("T")
State = ReportShard.State


def is_resumed(report: Report) -> bool:
    """Whether an earlier attempt left results that this one can use; if not, all its shards are deleted."""
    if report.attempt == 1:
        return False
    is_same_version = report.code_version == settings.VERSION
    if is_same_version and report.shards.filter(state=State.DONE).exists():
        return True
    report.shards.all().delete()
    return False


def is_of_this_version(shard_id: int) -> bool:
    """Whether this worker computes exactly what the one that cut the shard would; it may be deleted already."""
    shard = ReportShard.objects.filter(pk=shard_id).select_related("report").first()
    return shard is not None and shard.report.code_version == settings.VERSION


class WorkSharing:
    def __init__(self, lease: Lease[Report]) -> None:
        self.report = lease.run
        self._is_over = threading.Event()

    def check(self) -> None:
        """Raise RunLost once this attempt has ended."""
        if self._is_over.is_set():
            raise RunLost

    @transaction.atomic
    def cut(self, parts: Iterable[dict[str, Any]]) -> None:
        """Write a shard for each part, for other workers to start. parts: the fields of each, of the same work.

        They replace those that an earlier attempt cut of other labels.
        """
        report, fields = self.report, list(parts)
        # This locks the report, so that no other attempt takes it over and deletes the shards before they are written.
        if not report.record(code_version=settings.VERSION):
            raise RunLost
        of_questions = {each["question_id"] for each in fields}
        report.shards.filter(work=fields[0]["work"], question__in=of_questions).delete()
        owner = {"report": report, "asked_by": report.asked_by, "request_id": report.request_id}
        shards = ReportShard.objects.bulk_create(ReportShard(**owner, **part) for part in fields)
        shards[0].notify()

    def results(
        self,
        shards: QuerySet[ReportShard],
        end: int,
        report_progress: ReportProgress,
        compute: Callable[[Lease[ReportShard]], None],
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the first block and the result of each shard, in order, as soon as it is done here or elsewhere.

        end: of the last one. compute: finishes a shard.
        """
        result = partial(self._result, shards, end, report_progress, compute)
        for first in self.apart(lambda: _starts(shards, end)):
            yield first, self.apart(partial(result, first))

    def _result(
        self,
        shards: QuerySet[ReportShard],
        end: int,
        report_progress: ReportProgress,
        compute: Callable[[Lease[ReportShard]], None],
        first: int,
    ) -> bytes:
        while True:
            self.check()
            report_progress(1 - _share_left(shards, end))
            if done := shards.filter(first=first, state=State.DONE).first():
                return bytes(done.result or b"")
            due = ReportShard.objects.due().filter(pk__in=shards.values("pk")).order_by("first").first()
            if due is None:
                time.sleep(POLL)
                continue
            if not self.report.is_ours():
                # They may be those of another attempt, by a worker of another version.
                raise RunLost
            with work_on(ReportShard, due.pk) as lease:
                if lease is not None:
                    compute(lease)
                    continue
            # Another worker was quicker, or it was lost too often, which the dispatcher will find.
            time.sleep(POLL)

    def apart(self, work: Callable[[], T]) -> T:
        """Do what must be committed at once in a thread, with its own connection: this one is in a transaction."""
        context = copy_context()
        with ThreadPoolExecutor(1, thread_name_prefix="shards") as pool:
            doing = pool.submit(context.run, _closing, work)
            try:
                return doing.result()
            except BaseException:
                # Interrupted, or out of time: the block ends when the thread does.
                self._is_over.set()
                raise


def _closing(work: Callable[[], T]) -> T:
    try:
        return work()
    finally:
        connection.close()


def _starts(shards: QuerySet[ReportShard], end: int) -> list[int]:
    _share_left(shards, end)
    return list(shards.order_by("first").values_list("first", flat=True))


def _share_left(shards: QuerySet[ReportShard], end: int) -> float:
    """Return the share of the work that is left; 0 only when all shards are done."""
    rows = list(shards.order_by("first").values_list("state", "first", "last", "share_done", "failure"))
    failures = [failure for state, *_, failure in rows if state == State.FAILED]
    if failures:
        raise RunFailed(failures[0])
    # They are deleted when the report ends.
    if not rows or rows[-1][2] != end:
        raise RunLost
    n_left = sum((last - first) * (1 - share) for _, first, last, share, _ in rows)
    is_done = all(state == State.DONE for state, *_ in rows)
    return 0 if is_done else max(n_left / end, 1e-9)
