"""Who rates which items."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q, Value

from core.keys import MAX_KEY
from projects.models import Item, Project, Round
from raters.lettered import RaterIdField, RaterKeyField
from raters.models.accounts import User


class Rater(models.Model):
    """An identity inside one project: a person, a model, the reference, or the consensus."""

    class Kind(models.TextChoices):
        HUMAN = "human", "Person"
        MODEL = "model", "Model"
        REFERENCE = "reference", "Reference"
        CONSENSUS = "consensus", "Consensus"

    # Both are replaced by letters for readers who are not to know who the raters are.
    id = RaterIdField("ID", auto_created=True, primary_key=True, serialize=False)
    project = models.ForeignKey(Project, models.PROTECT, related_name="raters")
    key = RaterKeyField(max_length=MAX_KEY)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.HUMAN)
    user = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="raters")
    # As of items: such as years of experience, or the version of a model.
    attributes = models.JSONField(default=dict, db_default=Value({}, models.JSONField()), blank=True)
    # The `projects.CodebookVersion` of the last page that the rater saved from; null before the first.
    codebook_seen = models.PositiveIntegerField(null=True, blank=True)
    # Since when the rater gets no items; what was labeled before they learned of it is saved as ever. By nobody: by a
    # quality rule.
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    pause_note = models.CharField(max_length=500, blank=True, db_default="")
    # Whether it is over as soon as the rater says that the note was read.
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
            # What adjudicators decide is one label for each item and question.
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
        """Whether somebody may label here, and has no work yet that would have made them a rater."""
        return self._state.adding

    @property
    def is_paused(self) -> bool:
        return self.paused_at is not None


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
    # The ids of the questions that its rater was asked again, ascending; while it is pending, only these. A trigger
    # takes a question out that is deleted, and what waited for it alone is done.
    asked_again = ArrayField(models.BigIntegerField(), default=list, db_default=[], blank=True)

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
            # Few are asked again; what goes on with them is looked up among those alone.
            models.Index(fields=["rater"], condition=~Q(asked_again=[]), name="assignment_asked_again"),
        ]

    def __str__(self) -> str:
        return f"{self.item} for {self.rater or 'anyone'}"

    @property
    def is_asked_again(self) -> bool:
        """Whether it waits for some of its questions alone; the other answers stand."""
        return self.state == Assignment.State.PENDING and bool(self.asked_again)


class AdaptiveOverlap(models.Model):
    """Items of a round on which its raters disagree go to one more rater, and so on; all of them in another round.

    So the labels of the round itself stay those of raters who were planned before anybody knew how hard an item is.
    """

    class Until(models.TextChoices):
        MAJORITY = "majority", "More than half give the same answer"
        UNANIMOUS = "unanimous", "All give the same answer"

    round = models.OneToOneField(Round, models.CASCADE, related_name="adaptive")
    # The round of the further raters, which is made when the first of them is needed.
    further = models.OneToOneField(Round, models.SET_NULL, null=True, related_name="adds_to")
    until = models.CharField(max_length=10, choices=Until, default=Until.MAJORITY)
    # Raters of an item at most, in both rounds together.
    up_to = models.PositiveSmallIntegerField(default=3)
    # The ids of the questions that count; empty for all.
    questions = ArrayField(models.BigIntegerField(), default=list)
    # The ids of the accounts that may be added; empty for the raters of the round.
    users = ArrayField(models.BigIntegerField(), default=list)
    is_active = models.BooleanField(default=True)
    # The position in the history of the project up to which labels were looked at.
    looked_up_to = models.BigIntegerField(default=0)
    changed_by = models.ForeignKey(User, models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(up_to__gte=2), name="adaptive_up_to_at_least_2")]

    def __str__(self) -> str:
        return f"adaptive overlap of {self.round}"


def counted(path: str = "") -> Q:
    """Assignments that count: one that waits on a withdrawn item is no work that is left. path: the lookup to them."""
    return Q((f"{path}state", Assignment.State.DONE)) | Q((f"{path}item__withdrawn_at", None))
