"""Progress of a computation with several steps."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from reports.agreement.progress_callbacks import ReportProgress, part_of

# Called with the stage in words and the overall progress in [0, 1]; an exception from it ends the computation.
ReportStep = Callable[[str, float], None]
T = TypeVar("T")


def silent(stage: str, share: float) -> None:
    """Ignore progress."""


def phase(report_step: ReportStep, words: str, start: float, end: float) -> ReportProgress:
    """Return a callback for one stage, which covers the overall progress from start to end."""
    report_progress = part_of(lambda share: report_step(words, share), start, end)
    report_progress(0)
    return report_progress


def each_of(things: Sequence[T], report_progress: ReportProgress) -> Iterator[tuple[T, ReportProgress]]:
    """Yield each thing with a callback for its part of the work."""
    for place, thing in enumerate(things):
        part = part_of(report_progress, place / len(things), (place + 1) / len(things))
        part(0)
        yield thing, part
