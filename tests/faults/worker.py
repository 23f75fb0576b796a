"""The program's own Celery worker with faults inside: `celery -A tests.faults.worker worker`.

The first word of a project's name says which fault its runs meet when they first report progress. Everything
else is the program's.
"""

import os
import signal
import time
from collections.abc import Callable
from datetime import timedelta

import django
from django.utils import timezone

django.setup()

from config.celery import app  # noqa: E402
from core.runs.lease import Lease  # noqa: E402
from reports.agreement.intervals import replicates  # noqa: E402
from reports.store import question_shards, shards  # noqa: E402

__all__ = ["app"]

# Seconds that a slow run takes, in steps between which a cancel or a lost lease is noticed.
SLOW_SECONDS = float(os.environ.get("FAULT_SLOW_SECONDS", "1"))
SLOW_STEPS = 10
# Seconds by which the clock of this worker is wrong.
CLOCK_SHIFT = float(os.environ.get("FAULT_CLOCK_SHIFT", "0"))
# The size of the blocks of replicates; 0 for that of the program.
BLOCK_CELLS = int(os.environ.get("FAULT_BLOCK_CELLS", "0"))


def kill_own_process(report_progress: Callable[[], None]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def eat_memory(report_progress: Callable[[], None]) -> None:
    eaten = []
    while True:
        eaten.append(bytearray(64 * 1024 * 1024))


def loop_for_ever(report_progress: Callable[[], None]) -> None:
    while True:
        # Never for long, so that other tests get the processor.
        time.sleep(0.01)


def take_long(report_progress: Callable[[], None]) -> None:
    for _ in range(SLOW_STEPS):
        time.sleep(SLOW_SECONDS / SLOW_STEPS)
        report_progress()


FAULTS = {"kill": kill_own_process, "memory": eat_memory, "loop": loop_for_ever, "slow": take_long}

report_without_fault = Lease.report_progress


def report_with_fault(lease: Lease, stage: str, share: float, **counts: int) -> None:
    report_without_fault(lease, stage, share, **counts)
    fault = FAULTS.get(lease.run.project.name.split()[0])
    if fault and not getattr(lease, "met_fault", False):
        lease.met_fault = True  # type: ignore[attr-defined]
        fault(lambda: report_without_fault(lease, stage, share))


Lease.report_progress = report_with_fault  # type: ignore[method-assign]

if BLOCK_CELLS:
    # So few that a small report has many blocks, which are shared at once.
    replicates.BLOCK_CELLS = BLOCK_CELLS
    shards.MIN_MEASURABLE_SECONDS = question_shards.MIN_MEASURABLE_SECONDS = 0
    shards.LEAST_READINGS = 0

if CLOCK_SHIFT:
    true_time, true_now = time.time, timezone.now
    time.time = lambda: true_time() + CLOCK_SHIFT
    timezone.now = lambda: true_now() + timedelta(seconds=CLOCK_SHIFT)
