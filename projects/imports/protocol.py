"""What the files of items, of questions and of labels have in common: opened, checked without a trace, loaded.

Pages, API and commands know no more of them than this.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from django.db import transaction

from core.changes import Changes
from core.tables.encoding import Source
from core.tables.faults import Faults, FileRefused
from projects.models import Project

T = TypeVar("T")
# Tells stage and share done; may raise, to stop the work.
Tick = Callable[[str, float], None]


def no_tick(stage_name: str, share: float) -> None:
    """For those who need not know how far the work is."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did.

    n_labels: in a file of labels, all of them. n_replaced: items that had content and have another now.
    questions: what changed in each, by its key. ranges: kind, first and last id of the rows that were created.
    """

    n_created: int = 0
    n_changed: int = 0
    n_unchanged: int = 0
    n_labels: int = field(default=0, compare=False)
    n_replaced: int = field(default=0, compare=False)
    questions: Mapping[str, Changes] = field(default_factory=dict, compare=False)
    ranges: Sequence[tuple[str, int, int]] = field(default=(), compare=False)

    @property
    def counts(self) -> dict[str, int]:
        """As the row of an import has them."""
        names = ("n_labels", "n_created", "n_changed", "n_unchanged")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """What a file would do, its faults, and what a person is shown of it before it is loaded.

    options: how the file was understood, if that is more than a person said.
    """

    would_do: Imported
    faults: Faults
    preview: Mapping[str, Any]
    options: "ReadingOptions | None" = None


@dataclass(frozen=True, slots=True)
class Loading:
    """Who loads a file, from where, how many rows are expected (0 if nobody knows), and who is told how far it is.

    name: of the file, as it came.
    """

    by: Any = None
    origin: str = ""
    name: str = ""
    n_rows: int = 0
    tick: Tick = no_tick


BY_NOBODY = Loading()


class ReadingOptions(Protocol):
    """How a file is read, as a person chose it."""

    def as_json(self) -> dict[str, Any]: ...


class ImportFile(Protocol):
    """A file for a project, read as its options say."""

    def refuse(self, digest: str) -> None:
        """Raises Refused where the file need not even be checked."""

    def check(self) -> CheckedFile:
        """What loading it would do; nothing is written. Raises ProjectClosed."""

    def load(self) -> Imported:
        """Write all of it. Raises FileRefused with every fault, or ProjectClosed."""


class OpenFile(Protocol):
    def __call__(
        self, project: Project, source: Source, options: Any, how: Loading = ..., /
    ) -> ImportFile: ...


def tried(load: Callable[[], T], *, nothing: T) -> tuple[T, Faults]:
    """What a load gives, which is taken back; or nothing, and the faults that stopped it."""
    try:
        with transaction.atomic():
            done = load()
            transaction.set_rollback(True)
            return done, Faults()
    except FileRefused as refused:
        return nothing, refused.faults
