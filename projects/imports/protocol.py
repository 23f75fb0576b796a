"""The protocol of files of items, questions and labels: open, check without writing, load.

Pages, API and commands depend only on this.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from django.db import transaction

from core.field_changes import Changes
from core.shapes import Json
from core.tables.encoding import Source
from core.tables.faults import Faults, FileRefused
from projects.models import Project

T = TypeVar("T")

# Labels or items of a file that its preview shows; only a worker or a command reads a larger file as a whole.
PREVIEWED = 100_000


class ReportImportProgress(Protocol):
    def __call__(self, stage: str, share: float, /, **counts: int) -> None:
        """Report progress: a stage, the share of all work done, and, where rows are counted, n_done and n_total of the
        stage. May raise to stop the work.
        """


def no_import_progress(stage: str, share: float, /, **counts: int) -> None:
    """For callers that need no progress reports."""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import did.

    n_labels: all labels, for a file of labels. n_replaced: items whose content was replaced; n_labeled: those of them
    with labels. questions: what changed in each, by its key. ranges: kind, first and last id of the rows that were
    created.
    """

    n_created: int = 0
    n_changed: int = 0
    n_unchanged: int = 0
    n_labels: int = field(default=0, compare=False)
    n_replaced: int = field(default=0, compare=False)
    n_labeled: int = field(default=0, compare=False)
    questions: Mapping[str, Changes] = field(default_factory=dict, compare=False)
    ranges: Sequence[tuple[str, int, int]] = field(default=(), compare=False)

    @property
    def counts(self) -> dict[str, int]:
        """The counts as stored with the import."""
        names = ("n_labels", "n_created", "n_changed", "n_unchanged")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What loading a file would do, its faults, and what its preview shows.

    options: how the file was understood, if that goes beyond what a person chose.
    """

    would_do: ImportResult
    faults: Faults
    preview: Mapping[str, Any]
    options: "ReadingOptions | None" = None


@dataclass(frozen=True, slots=True)
class ImportContext:
    """Who loads a file, from where, the expected number of rows and of bytes (0 if unknown), and where to report
    progress.

    name: of the file, as uploaded.
    """

    by: Any = None
    origin: str = ""
    name: str = ""
    n_rows: int = 0
    n_bytes: int = 0
    report_progress: ReportImportProgress = no_import_progress


BY_NOBODY = ImportContext()


class ReadingOptions(Protocol):
    """A person's choices of how to read a file."""

    def as_json(self) -> Json: ...


class ImportFile(Protocol):
    """A file for a project, read according to its options."""

    @property
    def options(self) -> ReadingOptions: ...

    def refuse(self, digest: str) -> None:
        """Raises Refused if the file can be refused without checking it."""

    def check(self) -> CheckedFile:
        """What loading it would do, judged by its first part if large; nothing is written. Raises ProjectClosed."""

    def check_all(self) -> CheckedFile:
        """The same, judged by all of it."""

    def load(self) -> ImportResult:
        """Write all of it. Raises FileRefused with every fault, or ProjectClosed."""


def about(estimate: float) -> int:
    """Round to two digits, since it is an estimate."""
    return int(float(f"{estimate:.2g}"))


class FileOpener(Protocol):
    def __call__(
        self, project: Project, source: Source, options: Any, how: ImportContext = ..., /
    ) -> ImportFile: ...


def dry_run(load: Callable[[], T], *, nothing: T) -> tuple[T, Faults]:
    """The result of a load that is rolled back; or nothing, with the faults that stopped it."""
    try:
        with transaction.atomic():
            done = load()
            transaction.set_rollback(True)
            return done, Faults()
    except FileRefused as refused:
        return nothing, refused.faults
