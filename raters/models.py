"""Who rates, and what they said: users, raters, assignments, labels and their history."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.urls import reverse
from knox.models import AuthToken

from core.keys import MAX_KEY
from core.runs.ledger import Run
from projects.events import record
from projects.models import MAX_TEXT, Category, Event, Item, Project, Question, Round


class User(AbstractUser):
    def __str__(self) -> str:
        return self.get_full_name() or self.username

    @property
    def is_erased(self) -> bool:
        return not self.is_active and self.username.startswith(f"erased-{self.pk}")

    def save(self, *args: Any, **kwargs: Any) -> None:
        """A new password ends every token, wherever it was set: whoever knew the old one may have made them."""
        is_new_password = getattr(self, "_password", None) is not None and not self._state.adding
        super().save(*args, **kwargs)
        if is_new_password:
            self.auth_token_set.all().delete()  # type: ignore[attr-defined]
            record(Event.Kind.PASSWORD_CHANGED, by=self, about=self.username)


class CachedValue(models.Model):
    """What `raters.cache` keeps: counters of attempts, and codes that were used, for all processes alike."""

    key = models.CharField(max_length=300, primary_key=True)
    value = models.JSONField()
    expires_at = models.DateTimeField(null=True, db_index=True)

    def __str__(self) -> str:
        return self.key


class TokenGrant(models.Model):
    """What a token of the API is called and may do. A token made before there were scopes has none until it is used."""

    class Scope(models.TextChoices):
        READ = "read", "Read"
        LABEL = "label", "Label"
        MANAGE = "manage", "Manage"

    token = models.OneToOneField(AuthToken, models.CASCADE, primary_key=True, related_name="grant")
    name = models.CharField(max_length=80, blank=True)
    scope = models.CharField(max_length=10, choices=Scope)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=["read", "label", "manage"]), name="token_scope_is_known"
            )
        ]

    def __str__(self) -> str:
        return self.name or self.token_id


class Rater(models.Model):
    """An identity inside one project: a person, a model, the reference, or the consensus."""

    class Kind(models.TextChoices):
        HUMAN = "human", "Person"
        MODEL = "model", "Model"
        REFERENCE = "reference", "Reference"
        CONSENSUS = "consensus", "Consensus"

    project = models.ForeignKey(Project, models.PROTECT, related_name="raters")
    key = models.CharField(max_length=MAX_KEY)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.HUMAN)
    user = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="raters")

    class Meta:
        ordering = ["key"]
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="rater_key_once_per_project"),
            models.UniqueConstraint(
                fields=["project", "user"],
                condition=Q(user__isnull=False),
                name="rater_once_per_project_user",
            ),
            # What adjudicators decide is one label for each item and question.
            models.UniqueConstraint(
                fields=["project"], condition=Q(kind="consensus"), name="rater_consensus_once_per_project"
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def is_newcomer(self) -> bool:
        """Whether somebody may label here, and has no work yet that would have made them a rater."""
        return self._state.adding


class Assignment(models.Model):
    """One rater’s work on one item. Without a rater it is available to the next rater who asks."""

    class State(models.TextChoices):
        PENDING = "pending", "Pending"
        DONE = "done", "Done"

    rater = models.ForeignKey(Rater, models.PROTECT, null=True, blank=True, related_name="assignments")
    item = models.ForeignKey(Item, models.PROTECT, related_name="assignments")
    round = models.ForeignKey(
        Round, models.PROTECT, null=True, blank=True, related_name="assignments", db_column="batch_id"
    )
    pass_number = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=8, choices=State, default=State.PENDING)
    # Its place in the rater's queue, or among the free assignments of its round.
    position = models.PositiveIntegerField(default=0)
    # Handed out on demand: given back when it lies idle, and to nobody by name.
    is_on_demand = models.BooleanField(default=False)
    handed_out_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    # Its rater passed over it: still pending, it comes again when nothing else is left.
    skipped_at = models.DateTimeField(null=True, blank=True, db_column="put_off_at")
    # The rater says that the guidelines leave this item open.
    is_guideline_unclear = models.BooleanField(default=False)
    # When its rater was shown the reference, in a training round; from then on the rater's answer stands.
    reference_shown_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rater", "item", "pass_number"], name="assignment_once_per_rater_item_pass"
            ),
            models.CheckConstraint(condition=Q(pass_number__gte=1), name="assignment_pass_from_1"),
            # What is nobody's can only wait to be handed out.
            models.CheckConstraint(
                condition=Q(rater__isnull=False) | Q(is_on_demand=True, state="pending"),
                name="assignment_free_is_on_demand",
            ),
        ]
        indexes = [
            # The next item of a rater, and the next free assignment, are looked up among the pending ones only.
            models.Index(
                fields=["rater", "position", "id"],
                condition=Q(state="pending", rater__isnull=False),
                name="assignment_pending",
            ),
            models.Index(
                fields=["round", "position", "id"],
                condition=Q(state="pending", is_on_demand=True),
                name="assignment_free",
            ),
            # Back, and the pace of a rater: what was done last.
            models.Index(fields=["rater", "-done_at"], condition=Q(state="done"), name="assignment_done"),
        ]

    def __str__(self) -> str:
        return f"{self.item} for {self.rater or 'anyone'}"


def counted(path: str = "") -> Q:
    """Assignments that count: one that waits on a withdrawn item is no work that is left. path: the lookup to them."""
    return Q((f"{path}state", Assignment.State.DONE)) | Q((f"{path}item__withdrawn_at", None))


class Submission(models.Model):
    """One saving that succeeded: sent again, it is answered again and done no second time.

    No foreign keys: it is looked up by its key alone, and may be cleared away when nobody can still send it.
    """

    user_id = models.BigIntegerField()
    key = models.UUIDField()
    # sha256 of what was sent, so that another body under the same key is not taken for it.
    digest = models.BinaryField(max_length=32)
    status = models.PositiveSmallIntegerField()
    answer = models.JSONField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user_id", "key"], name="submission_once_per_key")]

    def __str__(self) -> str:
        return f"submission {self.key}"


class Label(models.Model):
    """What a rater said of an item to a question: a category, a set of categories, a number, or "cannot tell".

    Narrow on purpose: there may be ten million. Its keys are checked by foreign keys; that item, question, rater and
    round are of one project, and the value of the question's kind, by a trigger for each statement. Another trigger
    writes every change to LabelRevision.
    """

    item = models.ForeignKey(Item, models.PROTECT, related_name="labels", db_index=False)
    question = models.ForeignKey(Question, models.PROTECT, related_name="labels", db_index=False)
    rater = models.ForeignKey(Rater, models.PROTECT, related_name="labels")
    round = models.ForeignKey(
        Round,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="labels",
        db_index=False,
        db_column="batch_id",
    )
    pass_number = models.PositiveSmallIntegerField(default=1)
    category = models.ForeignKey(
        Category, models.PROTECT, null=True, blank=True, related_name="labels", db_index=False
    )
    # The ids of the chosen categories in ascending order, for multiple choice; a trigger checks them.
    category_set = ArrayField(models.BigIntegerField(), null=True, blank=True)
    number = models.FloatField(null=True, blank=True)
    is_abstention = models.BooleanField(default=False)
    reason = models.CharField(max_length=MAX_KEY, blank=True, db_default="")
    note = models.TextField(max_length=MAX_TEXT, blank=True, db_default="")
    seconds = models.FloatField(null=True, blank=True)
    # Of `projects.GuidelinesVersion`; 0 before any were written, null for what was imported.
    guidelines_version = models.PositiveSmallIntegerField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=1)
    labelled_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "question", "rater", "pass_number"],
                name="label_once_per_item_question_rater_pass",
            ),
            models.CheckConstraint(condition=Q(pass_number__gte=1), name="label_pass_from_1"),
            # An abstention is missing data: it never carries a value. Every other label carries exactly one.
            models.CheckConstraint(
                condition=(
                    Q(
                        is_abstention=True,
                        category__isnull=True,
                        category_set__isnull=True,
                        number__isnull=True,
                    )
                    | Q(
                        is_abstention=False,
                        category__isnull=False,
                        category_set__isnull=True,
                        number__isnull=True,
                    )
                    | Q(
                        is_abstention=False,
                        category__isnull=True,
                        category_set__isnull=False,
                        number__isnull=True,
                    )
                    | Q(
                        is_abstention=False,
                        category__isnull=True,
                        category_set__isnull=True,
                        number__isnull=False,
                    )
                ),
                name="label_has_one_value_or_abstains",
            ),
            models.CheckConstraint(
                condition=Q(number__isnull=True) | (Q(number__gt=float("-inf")) & Q(number__lt=float("inf"))),
                name="label_number_is_finite",
            ),
        ]
        indexes = [
            # Answers "all labels of this question" by itself, in slices of items.
            models.Index(
                fields=["question", "item"],
                include=["rater", "category", "pass_number", "round"],
                name="label_of_question",
            )
        ]

    def __str__(self) -> str:
        return f"{self.rater} on {self.item}"


class Decision(models.Model):
    """What a label of the consensus rater does not say by itself; its reason, note and history are the label's own."""

    label = models.OneToOneField(Label, models.PROTECT, related_name="decision")
    decided_by = models.ForeignKey(User, models.PROTECT, related_name="decisions")
    # The guidelines should say more about what this item shows.
    is_for_guidelines = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"decision about {self.label.item}"


class LabelRevision(models.Model):
    """One change of one label, written and guarded by the database; nothing here is ever changed or deleted.

    No foreign keys: history outlives what it speaks of. Each revision belongs to an entry of its project's chain
    (`core.HistoryEntry`), so a report that knows how far it read can be computed again from the same labels.
    """

    class Change(models.TextChoices):
        CREATED = "I", "Created"
        CHANGED = "U", "Changed"
        WITHDRAWN = "D", "Withdrawn"

    label_id = models.BigIntegerField()
    change = models.CharField(max_length=1, choices=Change)
    item_id = models.BigIntegerField()
    question_id = models.BigIntegerField()
    rater_id = models.BigIntegerField()
    round_id = models.BigIntegerField(null=True, db_column="batch_id")
    pass_number = models.PositiveSmallIntegerField()
    revision = models.PositiveIntegerField()
    old_value = models.JSONField(null=True)
    category_id = models.BigIntegerField(null=True)
    category_set = ArrayField(models.BigIntegerField(), null=True)
    number = models.FloatField(null=True)
    is_abstention = models.BooleanField()
    reason = models.TextField(db_default="")
    note = models.TextField(db_default="")
    guidelines_version = models.PositiveSmallIntegerField(null=True)
    user_id = models.BigIntegerField(null=True)
    source = models.CharField(max_length=60)
    at = models.DateTimeField(db_default=Now())
    # Those of the label; null where the label is withdrawn, and in most revisions that release 0.1.0 wrote.
    seconds = models.FloatField(null=True)
    labelled_at = models.DateTimeField(null=True)
    entry_id = models.BigIntegerField(null=True)
    # Of the row, as `revision_digest` in the database makes it.
    digest = models.BinaryField(max_length=32, null=True)

    class Meta:
        indexes = [
            models.Index(fields=["item_id", "question_id"], name="revision_of_item"),
            models.Index(fields=["question_id", "entry_id"], name="revision_of_question"),
        ]

    def __str__(self) -> str:
        return f"revision {self.revision} of label {self.label_id}"


class LabelImport(Run):
    """One uploaded file: a draft while a person looks at its preview, then a run that loads its labels.

    Items and questions are few: their file is loaded when it is confirmed, so that no worker ever sees it.
    """

    class Kind(models.TextChoices):
        LABELS = "labels", "Labels"
        ITEMS = "items", "Items"
        QUESTIONS = "questions", "Questions"

    task_name = "raters.load_import"

    kind = models.CharField(max_length=10, choices=Kind, default=Kind.LABELS)
    project = models.ForeignKey(Project, models.PROTECT, related_name="imports")
    file_name = models.CharField(max_length=300)
    sha256 = models.CharField(max_length=64)
    n_bytes = models.BigIntegerField()
    options = models.JSONField(default=dict)
    # What was seen in the file when it was last checked; the page shows it.
    preview = models.JSONField(default=dict)
    n_labels = models.PositiveIntegerField(default=0)
    n_created = models.PositiveIntegerField(default=0)
    n_changed = models.PositiveIntegerField(default=0)
    n_unchanged = models.PositiveIntegerField(default=0)
    faults = models.JSONField(default=list)
    n_faults = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind="labels") | Q(state__in=["draft", "done", "cancelled"]),
                name="import_by_worker_is_of_labels",
            )
        ]
        indexes = [models.Index(fields=["state", "lease_until"], name="import_due")]

    def __str__(self) -> str:
        return self.file_name

    def get_absolute_url(self) -> str:
        return reverse("import", args=[self.project.slug, self.pk])

    @property
    def expires_at(self) -> datetime:
        """When a draft that nobody confirms is given up."""
        return self.asked_at + settings.IMPORT_DRAFT_LASTS

    @property
    def n_found(self) -> int:
        """How many labels, items or questions the file holds, as far as it was understood."""
        if self.kind == self.Kind.LABELS:
            return self.n_labels
        return self.n_created + self.n_changed + self.n_unchanged

    @property
    def origin(self) -> str:
        """What the history of its labels names as their source."""
        return f"import {self.pk}"


class ImportChunk(models.Model):
    """A piece of an uploaded file, kept only until the file is loaded or given up."""

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


class ProjectUpload(models.Model):
    """An uploaded project file whose preview an owner looks at; kept until it is imported, cancelled or a day old."""

    made_by = models.ForeignKey(User, models.CASCADE, related_name="+")
    made_at = models.DateTimeField(db_default=Now(), editable=False)
    file_name = models.CharField(max_length=300)
    # What was found in the file: name, slug, people and counts.
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
