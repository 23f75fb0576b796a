"""Labels and their history."""

from functools import reduce
from operator import or_

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Collate, Length, Now
from django.db.models.lookups import LessThanOrEqual

from core.keys import MAX_KEY
from projects.models import MAX_ANSWER_TEXT, MAX_TEXT, Category, Item, Question, Round
from raters.models.accounts import User
from raters.models.assignments import Rater


class Submission(models.Model):
    """A successful save. Repeating the request returns the same response without saving again.

    No foreign keys: it is only looked up by key, and may be deleted once it can no longer be repeated.
    """

    user_id = models.BigIntegerField()
    key = models.UUIDField()
    # SHA-256 hash of the request, so that a different body with the same key is detected.
    digest = models.BinaryField(max_length=32)
    status = models.PositiveSmallIntegerField()
    answer = models.JSONField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user_id", "key"], name="submission_once_per_key")]

    def __str__(self) -> str:
        return f"submission {self.key}"


# The columns of a label that can hold its value.
_VALUES = ("category", "category_set", "number", "text")


def _only(held: str = "") -> dict[str, bool]:
    """Return conditions that all value columns but `held` are null."""
    return {f"{name}__isnull": name != held for name in _VALUES}


def _one_value() -> Q:
    alternatives = [Q(is_abstention=False, **_only(name)) for name in _VALUES]
    return reduce(or_, alternatives)


class Label(models.Model):
    """A rater's answer to a question about an item: a category, a set of categories, a number, a text, or
    "cannot tell".

    Kept narrow, since there may be ten million. A statement-level trigger checks that item, question, rater, and round
    belong to one project and that the value fits the question's kind. Another trigger writes every change to
    LabelRevision.
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
    # IDs of the chosen categories in ascending order, for multiple choice; checked by a trigger.
    category_set = ArrayField(models.BigIntegerField(), null=True, blank=True)
    number = models.FloatField(null=True, blank=True)
    # Exactly as typed.
    text = models.TextField(null=True, blank=True, max_length=MAX_ANSWER_TEXT)
    is_abstention = models.BooleanField(default=False)
    # The rater's or model's probability that the label is right; null if not given.
    confidence = models.FloatField(null=True, blank=True)
    # Whether the rater was shown this answer and accepted it, as far as is known.
    from_suggestion = models.BooleanField(default=False, db_default=False)
    reason = models.CharField(max_length=MAX_KEY, blank=True, db_default="")
    note = models.TextField(max_length=MAX_TEXT, blank=True, db_default="")
    seconds = models.FloatField(null=True, blank=True)
    # Number of the `projects.GuidelinesVersion`; 0 before the first one, null for imported labels.
    guidelines_version = models.PositiveSmallIntegerField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=1)
    labelled_at = models.DateTimeField(db_default=Now())
    # ID of the label in its source, such as an annotation ID; not part of its value.
    source_id = models.CharField(max_length=MAX_KEY, blank=True, db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "question", "rater", "pass_number"],
                name="label_once_per_item_question_rater_pass",
            ),
            # Identifies the label if it is sent again; most labels have no source ID and are not in the index.
            models.UniqueConstraint(
                fields=["rater", "question", "source_id"],
                condition=~Q(source_id=""),
                name="label_once_per_source_id",
            ),
            models.CheckConstraint(condition=Q(pass_number__gte=1), name="label_pass_from_1"),
            # An abstention is missing data and never has a value. Every other label has exactly one.
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
            # Abstentions have no confidence. NaN sorts above every number, so it is excluded.
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__range=(0.0, 1.0), is_abstention=False),
                name="label_confidence_is_a_probability",
            ),
        ]
        indexes = [
            # Covers queries for all labels of a question, in slices of items.
            models.Index(
                fields=["question", "item"],
                # The flag fits into the padding behind the pass.
                include=["rater", "category", "pass_number", "from_suggestion", "round"],
                name="label_of_question",
            ),
            models.Index(
                fields=["question"], condition=Q(from_suggestion=True), name="label_from_suggestion"
            ),
            # For items labeled with low confidence.
            models.Index(
                fields=["question", "confidence"],
                include=["item", "rater"],
                condition=Q(confidence__isnull=False),
                name="label_of_confidence",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rater} on {self.item}"


class Decision(models.Model):
    """Further data on a label of the consensus rater; reason, note, and history are those of the label."""

    label = models.OneToOneField(Label, models.PROTECT, related_name="decision")
    decided_by = models.ForeignKey(User, models.PROTECT, related_name="decisions")
    # Whether the guidelines should be extended because of this item.
    is_for_guidelines = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"decision about {self.label.item}"


class LabelRevision(models.Model):
    """A change of a label, written and protected by the database; never changed or deleted.

    No foreign keys, since history outlives the objects it refers to. Each revision belongs to an entry of its project's
    chain (`core.HistoryEntry`), so that a report can be recomputed from the labels at its position.
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
    from_suggestion = models.BooleanField(default=False, db_default=False)
    reason = models.TextField(db_default="")
    note = models.TextField(db_default="")
    guidelines_version = models.PositiveSmallIntegerField(null=True)
    user_id = models.BigIntegerField(null=True)
    source = models.CharField(max_length=60)
    at = models.DateTimeField(db_default=Now())
    # Those of the label; null if it was deleted, and in most revisions written by release 0.1.0.
    seconds = models.FloatField(null=True)
    labelled_at = models.DateTimeField(null=True)
    entry_id = models.BigIntegerField(null=True)
    # Digest of the row, computed by `revision_digest` in the database.
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
            # The ID comes last because a page of an import of millions, newest first, is read along the index.
            models.Index(fields=["question_id", "entry_id", "id"], name="revision_in_order"),
            # Whether anybody has ever labeled in a round.
            models.Index(fields=["round_id"], condition=Q(round_id__isnull=False), name="revision_of_round"),
            # Changes and withdrawals, which are few after an import.
            models.Index(
                fields=["question_id", "entry_id", "id"], condition=~Q(change="I"), name="revision_of_change"
            ),
            # The few that adjudicators wrote, to undo those of one bulk decision.
            models.Index(
                fields=["source"], condition=Q(source__startswith="decision by "), name="revision_of_decision"
            ),
            # The changes by one of fifty thousand people, and to the labels of one of as many raters.
            models.Index(fields=["rater_id"], name="revision_of_rater"),
            models.Index(fields=["user_id"], condition=Q(user_id__isnull=False), name="revision_of_user"),
            # The few changes of a day or from one source among a hundred million. Rows are written in the order of
            # time, and an import writes its own one after the other, so a summary of each range of rows is enough.
            BrinIndex(
                F("at"),
                Collate("source", "C"),
                name="revision_of_time_and_source",
                pages_per_range=32,
                autosummarize=True,
            ),
        ]

    def __str__(self) -> str:
        return f"revision {self.revision} of label {self.label_id}"
