"""One import as a web process and a worker do it, in a process of its own, so that its memory is its own.

`python -m tests.benchmarks.import_by_worker PROJECT FILE [--check-all]` prints JSON: for each phase its seconds by the
clock and of the processors, the most memory, and the statements that took longest.
"""

import json
import os
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TICKS = os.sysconf("SC_CLK_TCK")
LISTED, SHOWN = 3, 60
UPLOADING, CHECKING_ALL, CONFIRMING = "Upload and preview", "Check of all, as before", "Confirm"


def processor_time(pid: int) -> float:
    """Seconds that the processors worked for this process and for the database process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    of_database = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return usage.ru_utime + usage.ru_stime + sum(map(int, of_database)) / TICKS


def peak_megabytes() -> float:
    """Of this program alone: what getrusage tells begins with that of the process that started it."""
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(told["VmHWM"].split()[0]) / 1024


@dataclass(slots=True)
class Clock:
    """Seconds by the clock and of the processors, by phase; and by statement."""

    pid: int
    phases: dict[str, list[float]] = field(default_factory=dict)
    statements: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def begin(self, phase: str) -> None:
        self.end()
        self._phase, self._since = phase, (time.perf_counter(), processor_time(self.pid))

    def end(self) -> None:
        if self._phase:
            began, worked = self._since
            took = (time.perf_counter() - began, processor_time(self.pid) - worked)
            before = self.phases.get(self._phase, [0.0, 0.0])
            self.phases[self._phase] = [a + b for a, b in zip(before, took, strict=True)]
        self._phase = ""

    _phase: str = ""
    _since: tuple[float, float] = (0.0, 0.0)

    def statement(self, execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(sql, *rest)
        finally:
            self.statements[" ".join(str(sql).split())[:SHOWN]] += time.perf_counter() - began


@contextmanager
def measuring_progress(clock: Clock) -> Iterator[None]:
    """Begin a phase whenever the worker reports that it has come to another stage."""
    from core.runs.lease import Lease

    report_progress = Lease.report_progress

    def ticked(lease: Any, stage: str, share: float, **counts: int) -> None:
        if stage != clock._phase:
            clock.begin(stage)
        report_progress(lease, stage, share, **counts)

    Lease.report_progress = ticked  # type: ignore[method-assign]
    try:
        yield
    finally:
        Lease.report_progress = report_progress  # type: ignore[method-assign]


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.db import connection

    from core.tables.sources import file_at
    from projects.models import Project
    from raters.imports.actions import confirm, opened, upload
    from raters.imports.label_options import LabelOptions
    from raters.models import LabelImport, User
    from raters.tasks import load_import

    project, path = Project.objects.get(slug=sys.argv[1]), Path(sys.argv[2])
    lead = User.objects.get(username="lena")
    clock = Clock(connection.connection.info.backend_pid)
    with connection.execute_wrapper(clock.statement):
        clock.begin(UPLOADING)
        run = upload(project, path.name, file_at(path)(), LabelOptions(), by=lead)
        assert not run.n_faults, run.faults
        # Not part of an import: what the preview of a large file used to do.
        if "--check-all" in sys.argv:
            clock.begin(CHECKING_ALL)
            opened(run).check_all()
        clock.begin(CONFIRMING)
        confirm(run, by=lead)
        clock.statements.clear()
        clock.begin("Start")
        with measuring_progress(clock):
            load_import(run.pk)
        clock.end()
    run.refresh_from_db()
    assert run.state == LabelImport.State.DONE, run.failure
    slowest = sorted(clock.statements.items(), key=lambda pair: -pair[1])[:LISTED]
    told = {
        "phases": clock.phases,
        "megabytes": peak_megabytes(),
        "statements": slowest,
    }
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
