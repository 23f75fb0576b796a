"""A file of labels checked as a whole, and loaded: the one path of page, API, command and worker."""

from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import connection, transaction

from core.planner import count_again
from core.tables.encoding import Source
from core.tables.faults import Faults, FileRefused
from projects.imports.protocol import BY_NOBODY, CheckedFile, Imported, Loading
from projects.imports.turns import take_turn
from projects.models import Item, Project
from raters.imports import loading
from raters.imports.checks import check_staged
from raters.imports.creating import create_names
from raters.imports.known import refuse_closed, refuse_known
from raters.imports.new_names import New, gather_names, new_names
from raters.imports.options import LabelOptions
from raters.imports.staging import Staged, stage
from raters.models import Label, LabelRevision

READING, CHECKING, WRITING = "Reading the file", "Checking the labels", "Writing the labels"
# The share of the time after which each of them ends, as measured on a million labels.
_READ, _CHECKED = 0.2, 0.35


@dataclass(slots=True)
class LabelsPreview:
    """What a file holds, and what its import does."""

    staged: Staged = field(default_factory=Staged)
    new: dict[str, New] = field(default_factory=dict)
    n_created: int = 0
    n_changed: int = 0
    n_unchanged: int = 0

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class FileOfLabels:
    """A file of labels for a project, read as the options say."""

    def __init__(
        self, project: Project, source: Source, options: LabelOptions, how: Loading = BY_NOBODY, /
    ) -> None:
        self.project, self.source, self.options = project, source, options
        self.how, self.tick, self.n_rows = how, how.tick, how.n_rows
        self.preview, self.faults = LabelsPreview(), Faults()

    def refuse(self, digest: str) -> None:
        """Raises ProjectClosed, and FileKnown for a file that was taken before."""
        refuse_closed(self.project)
        refuse_known(self.project, digest, self.options)

    def check(self) -> CheckedFile:
        refuse_closed(self.project)
        with transaction.atomic():
            with suppress(FileRefused):
                self._stage()
                self._examine()
            transaction.set_rollback(True)
        return CheckedFile(self._done, self.faults, self.preview.as_json())

    def load(self) -> Imported:
        """In the transaction around it."""
        refuse_closed(self.project)
        take_turn(self.project)
        by = self.how.by
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('interrater.user_id', %s, true)", [str(by.pk) if by else ""])
            cursor.execute("SELECT set_config('interrater.source', %s, true)", [self.how.origin])
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        self._stage()
        self._examine()
        if self.faults:
            raise FileRefused(self.faults)
        create_names(self.project, self.options)
        loading.resolve_answers(self.options)
        compared = loading.compare(has_rounds=self._has_rounds)
        self.preview.n_created = loading.write_labels(
            self.project,
            compared,
            has_rounds=self._has_rounds,
            tick=lambda share: self.tick(WRITING, _CHECKED + (1 - _CHECKED) * share),
        )
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        count_again(Item, Label, LabelRevision, n_rows=self.preview.n_created + self.preview.n_changed)
        return self._done

    @property
    def _done(self) -> Imported:
        found = self.preview
        return Imported(found.n_created, found.n_changed, found.n_unchanged, n_labels=found.staged.n_labels)

    @property
    def _has_rounds(self) -> bool:
        return bool(self.options.round) or "round" in self.preview.staged.places

    def _stage(self) -> None:
        self.tick(READING, 0.0)
        stage(
            self.project,
            self.source,
            self.options,
            staged=self.preview.staged,
            faults=self.faults,
            tick=self._tick_rows,
        )

    def _tick_rows(self, n_rows: int) -> None:
        self.tick(READING, _READ * min(n_rows / self.n_rows, 1.0) if self.n_rows else 0.0)

    def _examine(self) -> None:
        """Check what was staged; where it could not be, there are faults already."""
        staged = self.preview.staged
        if not staged.places:
            return
        self.tick(CHECKING, _READ)
        gather_names(self.project, self.options)
        check_staged(self.project, self.options, staged, self.faults)
        self.preview.new = new_names()
        loading.resolve_answers(self.options)
        compared = loading.compare(has_rounds=self._has_rounds)
        if compared.n_changed and not self.options.replace:
            loading.gather_conflicts(self.faults, column=self._label_column)
        self.preview.n_changed, self.preview.n_unchanged = compared.n_changed, compared.n_unchanged
        self.preview.n_created = staged.n_labels - compared.n_changed - compared.n_unchanged

    @property
    def _label_column(self) -> str:
        """Empty for wide files, where it is the rater's."""
        if self.options.layout == "wide":
            return ""
        staged = self.preview.staged
        return staged.columns[staged.places["label"]]
