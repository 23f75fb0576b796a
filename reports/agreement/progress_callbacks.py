"""Progress of a computation."""

from collections.abc import Callable

# Called between blocks with the share of the work done, from 0 to 1; an exception from it ends the computation.
ReportProgress = Callable[[float], None]


def no_progress(share: float) -> None:
    """Ignore progress."""


def part_of(report_progress: ReportProgress | None, start: float, end: float) -> ReportProgress:
    """Return a callback for a part of the work, from one share of the whole to another; if None, it does nothing."""
    if report_progress is None:
        return no_progress
    whole = report_progress
    return lambda share: whole(start + (end - start) * share)
