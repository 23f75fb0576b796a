"""Imported files of labels, items, and questions, or of whole projects."""

from collections.abc import Collection
from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.urls import reverse

from core.runs.ledger import Run
from projects.models import Project
from raters.models.accounts import User

# A worker that loads fewer labels or items per second is stuck.
ROWS_PER_SECOND = 1_000


class LabelImport(Run):
    """An uploaded file: a draft while its preview is reviewed, then a run that loads its labels or items.

    Files of questions and of few items are loaded when confirmed, without a worker.
    """

    class Kind(models.TextChoices):
        LABELS = "labels", "Labels"
        ITEMS = "items", "Items"
        QUESTIONS = "questions", "Questions"

    task_name = "raters.load_import"
    # A separate task, because workers of an earlier version would read items as labels.
    items_task_name = "raters.load_items"
    no_progress: ClassVar[dict[str, object]] = {**Run.no_progress, "n_done": 0, "n_total": 0}

    kind = models.CharField(max_length=10, choices=Kind, default=Kind.LABELS)
    project = models.ForeignKey(Project, models.PROTECT, related_name="imports")
    file_name = models.CharField(max_length=300)
    sha256 = models.CharField(max_length=64)
    n_bytes = models.BigIntegerField()
    options = models.JSONField(default=dict)
    # Results of the last check of the file, shown on the page.
    preview = models.JSONField(default=dict)
    # Whether a person agreed to the preview, who is asked again if it showed the first part of the file, and the rest
    # turns out to differ.
    is_reviewed = models.BooleanField(default=False, db_default=False, editable=False)
    n_labels = models.PositiveIntegerField(default=0)
    n_created = models.PositiveIntegerField(default=0)
    n_changed = models.PositiveIntegerField(default=0)
    n_unchanged = models.PositiveIntegerField(default=0)
    # Labels read or written so far in the current stage, and their total; 0 while they are not counted.
    n_done = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    n_total = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    faults = models.JSONField(default=list)
    n_faults = models.PositiveIntegerField(default=0)
    undone_at = models.DateTimeField(null=True, editable=False)
    # Also null for the command line if no user is named.
    undone_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+", editable=False)
    # The effect of undoing it, from `raters.imports.undoing.UndoPreview`.
    undone = models.JSONField(default=dict, editable=False)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(kind="questions") | Q(state__in=["draft", "done", "cancelled"]),
                name="import_by_worker_is_not_of_questions",
            )
        ]
        indexes = [models.Index(fields=["state", "lease_until"], name="import_due")]

    def __str__(self) -> str:
        return self.file_name

    def get_absolute_url(self) -> str:
        return reverse("import", args=[self.project.slug, self.pk])

    @classmethod
    def task_names(cls) -> Collection[str]:
        return {cls.task_name, cls.items_task_name}

    @property
    def task(self) -> str:
        return self.items_task_name if self.kind == self.Kind.ITEMS else self.task_name

    @property
    def expires_at(self) -> datetime:
        """When an unconfirmed draft expires."""
        return self.asked_at + settings.IMPORT_DRAFT_LASTS

    @property
    def seconds_allowed(self) -> int:
        """Longer for a large file: it reports its progress and can be canceled."""
        return super().seconds_allowed + self.n_expected // ROWS_PER_SECOND

    @property
    def has_whole_preview(self) -> bool:
        """False if the preview shows the first part of a large file."""
        return bool(self.preview.get("is_whole", True))

    @property
    def n_expected(self) -> int:
        """Number of labels, items, or questions to expect in the file."""
        if self.has_whole_preview:
            return self.n_found
        return self.preview["n_expected"] or settings.IMPORT_MAX_ROWS

    @property
    def n_found(self) -> int:
        """Number of labels, items, or questions found in the file."""
        if self.kind == self.Kind.LABELS:
            return self.n_labels
        return self.n_created + self.n_changed + self.n_unchanged

    @property
    def origin(self) -> str:
        """The source of its labels in the history."""
        return f"import {self.pk}"

    @property
    def may_be_undone(self) -> bool:
        """Whether the state of the import allows undoing it."""
        is_loaded = self.kind == self.Kind.LABELS and self.state == self.State.DONE
        return is_loaded and self.undone_at is None


class ImportedRange(models.Model):
    """Range of IDs of rows created by an import; only those of its project count.

    A range of revisions may also include other revisions of the project.
    """

    class Kind(models.TextChoices):
        ITEM = "item", "Item"
        RATER = "rater", "Rater"
        QUESTION = "question", "Question"
        CATEGORY = "category", "Category"
        ROUND = "round", "Round"
        REVISION = "revision", "Revision"

    label_import = models.ForeignKey(LabelImport, models.CASCADE, related_name="ranges")
    kind = models.CharField(max_length=8, choices=Kind)
    first_id = models.BigIntegerField()
    last_id = models.BigIntegerField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(first_id__lte=models.F("last_id")), name="imported_range_in_order"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.first_id} to {self.last_id} of {self.label_import}"


class ImportChunk(models.Model):
    """A piece of an uploaded file, stored until the file is loaded or canceled."""

    label_import = models.ForeignKey(LabelImport, models.CASCADE, related_name="chunks")
    position = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["label_import", "position"], name="chunk_once_per_position")
        ]

    def __str__(self) -> str:
        return f"chunk {self.position} of {self.label_import}"


class ReadBlock(models.Model):
    """What a worker has read of a file, stored until its labels are loaded: another worker can go on from there."""

    label_import = models.ForeignKey(LabelImport, models.CASCADE, related_name="blocks")
    position = models.PositiveIntegerField()
    # Identifies how the file was read; blocks that were read differently are of no use.
    reading = models.CharField(max_length=64)
    # Rows of `raters.imports.staging.StagedBlock`, compressed.
    labels = models.BinaryField()
    items = models.BinaryField()
    kinds = models.BinaryField()
    # `raters.imports.staging.CopyRows.state` after this block.
    state = models.JSONField()
    # Whether it is the last one.
    is_last = models.BooleanField(default=False)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["label_import", "position"], name="read_block_once_per_position")
        ]

    def __str__(self) -> str:
        return f"block {self.position} of {self.label_import}"


class ProjectUpload(models.Model):
    """An uploaded project file with a preview for an owner, stored until imported, canceled, or a day old."""

    made_by = models.ForeignKey(User, models.CASCADE, related_name="+")
    made_at = models.DateTimeField(db_default=Now(), editable=False)
    file_name = models.CharField(max_length=300)
    # Contents of the file: name, slug, people, and counts.
    contents = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.file_name

    def get_absolute_url(self) -> str:
        return reverse("project_upload", args=[self.pk])


class ProjectUploadPiece(models.Model):
    upload = models.ForeignKey(ProjectUpload, models.CASCADE, related_name="pieces")
    position = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["upload", "position"], name="upload_piece_once_per_position")
        ]

    def __str__(self) -> str:
        return f"piece {self.position} of {self.upload}"
