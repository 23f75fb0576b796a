"""Programs that get a fixed share of a processor, so that one machine stands for several smaller ones.

By the control groups of Linux, of either version; needs root.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.__main__ import descendants

FIRST, SECOND = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
# Microseconds; a program waits for no longer than this until it may go on.
PERIOD = 20_000


def can_be_limited() -> bool:
    return os.geteuid() == 0 and ((FIRST / "cgroup.procs").exists() or (SECOND / "cpu.max").parent.exists())


@contextmanager
def limited(pid: int, share: float) -> Iterator[None]:
    """This process, those below it, and those that they start have `share` of one processor together."""
    is_first = (FIRST / "cgroup.procs").exists()
    root = FIRST if is_first else SECOND
    group = root / f"irr-benchmark-{pid}"
    group.mkdir()
    quota = int(PERIOD * share)
    try:
        if is_first:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
        else:
            (group / "cpu.max").write_text(f"{quota} {PERIOD}")
        for each in (pid, *descendants(pid)):
            (group / "cgroup.procs").write_text(str(each))
        yield
    finally:
        for each in (group / "cgroup.procs").read_text().split():
            (root / "cgroup.procs").write_text(each)
        group.rmdir()
