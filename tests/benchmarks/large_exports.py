"""The files of a report on 2,000 raters, whose two million pairs are in each: `python -m tests.benchmarks exports`."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf

from projects.models import Project
from raters.models import User
from reports.exports.export_list import RESULTS, ExportFile
from reports.models import Report
from tests.benchmarks.measuring import Results, measure, seconds, wait_for_quiet
from tests.benchmarks.pages import computed, new_project

N_RATERS, N_ITEMS = 2_000, 300
MOST_FIRST, MOST_MEGABYTES = 1.0, 64.0


@dataclass(frozen=True, slots=True)
class Sent:
    """first: seconds until the first byte. processor: seconds of the program's processor time."""

    first: float
    whole: float
    processor: float
    n_bytes: int


def run(results: Results) -> None:
    report = large_report()
    for file in RESULTS:
        measure_file(results, file, report)


def large_report() -> Report:
    lead = User.objects.create_user("lead", password="only for a benchmark")
    project: Project = new_project(lead, n_raters=N_RATERS, n_items=N_ITEMS)
    return computed(project, lead).report


def measure_file(results: Results, file: ExportFile, report: Report) -> None:
    wait_for_quiet()
    measured = measure(lambda: sent(lambda: file.pieces(report)), repeats=0)
    found: Sent = measured.value
    what = f"{file.name} of {N_RATERS:,} raters"
    results.at_most(f"{what}, first byte", found.first, goal=MOST_FIRST, unit="s")
    results.at_most(f"{what}, memory", measured.megabytes, goal=MOST_MEGABYTES, unit="MB")
    results.notes.append(
        f"{what}: {found.n_bytes / 1e6:.0f} MB in {seconds(found.whole)}, "
        f"processor time of the program {seconds(found.processor)}."
    )


def sent(pieces: Callable[[], Iterator[bytes]], *, most: float = inf) -> Sent:
    """Read a file to its end, or for so many seconds, and keep nothing of it."""
    start, processor = time.perf_counter(), time.process_time()
    first, n_bytes = 0.0, 0
    for piece in pieces():
        first = first or time.perf_counter() - start
        n_bytes += len(piece)
        if time.perf_counter() - start > most:
            break
    return Sent(first, time.perf_counter() - start, time.process_time() - processor, n_bytes)
