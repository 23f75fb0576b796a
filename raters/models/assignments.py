"""Raters and their assignments."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q, Value

from core.keys import MAX_KEY
from projects.models import Item, Project, Round
from raters.lettered import RaterIdField, RaterKeyField
from raters.models.accounts import User


class Rater(models.Model):
    """An identity within a project: a person, a model, a reference, or the consensus."""

    class Kind(models.TextChoices):
        HUMAN = "human", "Person"
        MODEL = "model", "Model"
        REFERENCE = "reference", "Reference"
        CONSENSUS = "consensus", "Consensus"

    # Both are replaced by letters for readers who must not know who the raters are.
    id = RaterIdField("ID", auto_created=True, primary_key=True, serialize=False)
    project = models.ForeignKey(Project, models.PROTECT, related_name="raters")
    key = RaterKeyField(max_length=MAX_KEY)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.HUMAN)
    user = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="raters")
    # Attributes as for items, such as years of experience or the version of a model.
    attributes = models.JSONField(default=dict, db_default=Value({}, models.JSONField()), blank=True)
    # The latest `projects.CodebookVersion` from which the rater has saved; null before the first.
    codebook_seen = models.PositiveIntegerField(null=True, blank=True)
    # Since when the rater gets no items; labels given before they learned of it are still saved. paused_by is null for
    # a quality rule.
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    pause_note = models.CharField(max_length=500, blank=True, db_default="")
    # Whether the pause ends when the rater confirms having read the note.
    may_resume = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ["key"]
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="rater_key_once_per_project"),
            models.UniqueConstraint(
                fields=["project", "user"],
                condition=Q(user__isnull=False),
                name="rater_once_per_project_user",
            ),
            # Adjudicators make one decision per item and question.
            models.UniqueConstraint(
                fields=["project"], condition=Q(kind="consensus"), name="rater_consensus_once_per_project"
            ),
            models.CheckConstraint(
                condition=Q(may_resume=False) | Q(paused_at__isnull=False), name="rater_resumes_from_a_pause"
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def is_newcomer(self) -> bool:
        """Whether this is a member who may label but is not saved as a rater yet, having no work."""
        return self._state.adding

    @property
    def is_paused(self) -> bool:
        return self.paused_at is not None


class Assignment(models.Model):
    """One rater’s work on one item. Without a rater, it is available to the next rater who asks."""

    class State(models.TextChoices):
        PENDING = "pending", "Pending"
        DONE = "done", "Done"

    rater = models.ForeignKey(Rater, models.PROTECT, null=True, blank=True, related_name="assignments")
    item = models.ForeignKey(Item, models.PROTECT, related_name="assignments")
    round = models.ForeignKey(
        Round,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="assignments",
        db_index=False,
        db_column="batch_id",
    )
    pass_number = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=8, choices=State, default=State.PENDING)
    # Position in the rater's queue, or among the free assignments of the round.
    position = models.PositiveIntegerField(default=0)
    # Handed out on demand to any rater, and released when idle.
    is_on_demand = models.BooleanField(default=False)
    handed_out_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    # When the rater skipped it: it is still pending and returns when nothing else is left.
    skipped_at = models.DateTimeField(null=True, blank=True, db_column="put_off_at")
    # Whether the rater marked the item as not covered by the guidelines.
    is_guideline_unclear = models.BooleanField(default=False)
    # When the rater was shown the reference in a training round, after which their answer cannot be changed.
    reference_shown_at = models.DateTimeField(null=True, blank=True)
    # IDs of the questions that the rater is asked again, ascending; while pending, only these are asked. A trigger
    # removes deleted questions and marks assignments as done if no question is left.
    asked_again = ArrayField(models.BigIntegerField(), default=list, db_default=[], blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["rater", "item", "pass_number"], name="assignment_once_per_rater_item_pass"
            ),
            models.CheckConstraint(condition=Q(pass_number__gte=1), name="assignment_pass_from_1"),
            # Without a rater, it must be on demand and pending.
            models.CheckConstraint(
                condition=Q(rater__isnull=False) | Q(is_on_demand=True, state="pending"),
                name="assignment_free_is_on_demand",
            ),
        ]
        indexes = [
            # Also lists the items of a round in order.
            models.Index(fields=["round", "item"], name="assignment_of_round"),
            # For a rater's next item and the next free assignment, looked up among pending ones only.
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
            # For going back and a rater's pace: the last ones done.
            models.Index(fields=["rater", "-done_at"], condition=Q(state="done"), name="assignment_done"),
            # For the few that the guidelines do not cover.
            models.Index(fields=["round"], condition=Q(is_guideline_unclear=True), name="assignment_unclear"),
            # For the few that are asked again.
            models.Index(fields=["rater"], condition=~Q(asked_again=[]), name="assignment_asked_again"),
        ]

    def __str__(self) -> str:
        return f"{self.item} for {self.rater or 'anyone'}"

    @property
    def is_asked_again(self) -> bool:
        """Whether only some questions are asked again; other answers are kept."""
        return self.state == Assignment.State.PENDING and bool(self.asked_again)


class FormerAssignee(models.Model):
    """A user who had assignments in a round before it was closed and lost them, or was unlinked from their rater.

    They stay blind until the round is closed: they could get the assignments back. Written by triggers alone.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    round = models.ForeignKey(Round, models.CASCADE, related_name="former_assignees")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "round"], name="former_assignee_once_per_round")
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.round}"


class AdaptiveOverlap(models.Model):
    """Assigns items of a round on which raters disagree to further raters, one at a time, in another round.

    So the round itself only has labels of raters who were planned before the difficulty of items was known.
    """

    class Until(models.TextChoices):
        MAJORITY = "majority", "More than half give the same answer"
        UNANIMOUS = "unanimous", "All give the same answer"

    round = models.OneToOneField(Round, models.CASCADE, related_name="adaptive")
    # The round of the further raters, created when first needed.
    further = models.OneToOneField(Round, models.SET_NULL, null=True, related_name="adds_to")
    until = models.CharField(max_length=10, choices=Until, default=Until.MAJORITY)
    # Maximum number of raters per item, in both rounds together.
    up_to = models.PositiveSmallIntegerField(default=3)
    # IDs of the questions that count; empty for all.
    questions = ArrayField(models.BigIntegerField(), default=list)
    # IDs of users who may be added; empty for the raters of the round.
    users = ArrayField(models.BigIntegerField(), default=list)
    is_active = models.BooleanField(default=True)
    # Position in the project's history up to which labels have been processed.
    looked_up_to = models.BigIntegerField(default=0)
    changed_by = models.ForeignKey(User, models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(up_to__gte=2), name="adaptive_up_to_at_least_2")]

    def __str__(self) -> str:
        return f"adaptive overlap of {self.round}"


def counted(path: str = "") -> Q:
    """Filter for assignments that count, without pending ones of withdrawn items. path: the lookup to them."""
    return Q((f"{path}state", Assignment.State.DONE)) | Q((f"{path}item__withdrawn_at", None))
