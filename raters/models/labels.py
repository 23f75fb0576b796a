"""What raters said, and its history."""

from functools import reduce
from operator import or_

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Length, Now
from django.db.models.lookups import LessThanOrEqual

from core.keys import MAX_KEY
from projects.models import MAX_ANSWER_TEXT, MAX_TEXT, Category, Item, Question, Round
from raters.models.accounts import User
from raters.models.assignments import Rater


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


# The columns of a label that can hold what was said.
_VALUES = ("category", "category_set", "number", "text")


def _only(held: str = "") -> dict[str, bool]:
    """Which of them are null: all but `held`."""
    return {f"{name}__isnull": name != held for name in _VALUES}


def _one_value() -> Q:
    said = [Q(is_abstention=False, **_only(name)) for name in _VALUES]
    return reduce(or_, said)


class Label(models.Model):
    """What a rater said of an item to a question: a category, a set of categories, a number, a text, or "cannot
    tell".

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
    # Exactly as it was typed.
    text = models.TextField(null=True, blank=True, max_length=MAX_ANSWER_TEXT)
    is_abstention = models.BooleanField(default=False)
    # How probable the rater, or the model, says it is that the label is right; null where nobody said.
    confidence = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=MAX_KEY, blank=True, db_default="")
    note = models.TextField(max_length=MAX_TEXT, blank=True, db_default="")
    seconds = models.FloatField(null=True, blank=True)
    # Of `projects.GuidelinesVersion`; 0 before any were written, null for what was imported.
    guidelines_version = models.PositiveSmallIntegerField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=1)
    labelled_at = models.DateTimeField(db_default=Now())
    # What the label is called where it comes from, such as the annotation's id; not a part of what it says.
    source_id = models.CharField(max_length=MAX_KEY, blank=True, db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "question", "rater", "pass_number"],
                name="label_once_per_item_question_rater_pass",
            ),
            # Sent again, it is the same label; most labels have none, and are not in its index.
            models.UniqueConstraint(
                fields=["rater", "question", "source_id"],
                condition=~Q(source_id=""),
                name="label_once_per_source_id",
            ),
            models.CheckConstraint(condition=Q(pass_number__gte=1), name="label_pass_from_1"),
            # An abstention is missing data: it never carries a value. Every other label carries exactly one.
            models.CheckConstraint(
                condition=Q(is_abstention=True, **_only()) | _one_value(),
                name="label_has_one_value_or_abstains",
            ),
            models.CheckConstraint(
                condition=Q(number__isnull=True) | (Q(number__gt=float("-inf")) & Q(number__lt=float("inf"))),
                name="label_number_is_finite",
            ),
            models.CheckConstraint(
                condition=Q(text__isnull=True)
                | ~Q(text="") & Q(LessThanOrEqual(Length("text"), MAX_ANSWER_TEXT)),
                name="label_text_is_bounded",
            ),
            # Nobody is sure of an answer that they did not give. NaN is above every number.
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__range=(0.0, 1.0), is_abstention=False),
                name="label_confidence_is_a_probability",
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
    text = models.TextField(null=True)
    is_abstention = models.BooleanField()
    confidence = models.FloatField(null=True)
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
        constraints = [
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__range=(0.0, 1.0), is_abstention=False),
                name="revision_confidence_is_a_probability",
            )
        ]
        indexes = [
            models.Index(fields=["item_id", "question_id"], name="revision_of_item"),
            models.Index(fields=["question_id", "entry_id"], name="revision_of_question"),
        ]

    def __str__(self) -> str:
        return f"revision {self.revision} of label {self.label_id}"
