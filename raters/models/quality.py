"""Whether raters work as a lead expects: rounds that are passed, rules that are watched, and alerts of them."""

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from projects.models import Project, Round
from raters.models.accounts import User
from raters.models.assignments import Rater

MAX_NOTE = 500


class Qualification(models.Model):
    """Whether a rater has passed a round that has a pass mark.

    n: the reference answers of the rater's items in the round. n_right: those that the rater gave.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="qualifications")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="qualifications")
    n = models.PositiveIntegerField()
    n_right = models.PositiveIntegerField()
    is_passed = models.BooleanField()
    at = models.DateTimeField(db_default=Now())
    # The lead who decided, whatever the figures are; null where the pass mark did.
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    note = models.CharField(max_length=MAX_NOTE, blank=True, db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "rater"], name="qualification_once_per_round_rater"),
            models.CheckConstraint(
                condition=Q(n_right__lte=models.F("n")), name="qualification_of_its_items"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rater} in {self.round}"


class QualityRule(models.Model):
    """What is watched while raters label; a project has one rule of each kind at most.

    Of each `n` answers of a rater, more than `limit` that are wrong, differ from the rater's own earlier one, or took
    less than `seconds` raise an alert; of `SAME_ANSWER`, `limit` answers in a row that are the same, and `n` is only
    what its false-alarm rate is stated for.
    """

    class Kind(models.TextChoices):
        REFERENCE = "reference", "Reference answers"
        REPEATS = "repeats", "Blind repeats"
        SPEED = "speed", "Speed"
        SAME_ANSWER = "same_answer", "Same answer in a row"

    project = models.ForeignKey(Project, models.CASCADE, related_name="quality_rules")
    kind = models.CharField(max_length=12, choices=Kind)
    n = models.PositiveSmallIntegerField(validators=[MinValueValidator(1)])
    limit = models.PositiveSmallIntegerField()
    # The share of such answers that is no reason for an alert; the false-alarm rate is computed for it.
    acceptable = models.FloatField(null=True, blank=True)
    # The false-alarm rate that the limit was chosen for: the smallest limit that does not exceed it.
    at_most = models.FloatField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    # Whether the rater gets no more items until a lead has looked.
    pauses = models.BooleanField(default=False)
    # What the rater is told; empty for nothing.
    message = models.CharField(max_length=MAX_NOTE, blank=True, db_default="")
    is_active = models.BooleanField(default=True)
    # The position in the history of the project up to which labels were looked at.
    looked_up_to = models.BigIntegerField(default=0)
    changed_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "kind"], name="quality_rule_once_per_kind"),
            models.CheckConstraint(
                condition=Q(kind="same_answer", limit__gte=2)
                | ~Q(kind="same_answer") & Q(limit__lt=models.F("n")),
                name="quality_rule_can_alert",
            ),
            models.CheckConstraint(
                condition=Q(kind="speed", seconds__gt=0) | ~Q(kind="speed") & Q(seconds__isnull=True),
                name="quality_rule_speed_has_seconds",
            ),
            models.CheckConstraint(
                condition=Q(kind="same_answer", acceptable__isnull=True)
                | ~Q(kind="same_answer") & Q(acceptable__gte=0, acceptable__lt=1),
                name="quality_rule_acceptable_is_a_share",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} in {self.project}"


class QualityCount(models.Model):
    """How far a rater has come since a rule last alerted, or began anew: `raters.quality.watching.Standing` as JSON."""

    rule = models.ForeignKey(QualityRule, models.CASCADE, related_name="counts")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="+")
    standing = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rule", "rater"], name="quality_count_once_per_rater")]

    def __str__(self) -> str:
        return f"{self.rater}: {self.rule}"


class QualityAlert(models.Model):
    """A rater whose answers a rule was about. n_bad of n answers; of `SAME_ANSWER`, n in a row.

    rule: the one that was in force, in words, for it may be changed later.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="quality_alerts")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="quality_alerts")
    kind = models.CharField(max_length=12, choices=QualityRule.Kind)
    rule = models.CharField(max_length=500)
    # Of the answers that raised it; of `SAME_ANSWER`, the key of the question and the answer in words.
    about = models.CharField(max_length=500, blank=True, db_default="")
    n = models.PositiveIntegerField()
    n_bad = models.PositiveIntegerField()
    # How probable so many are for a rater with the acceptable share, in so many answers.
    probability = models.FloatField(null=True, blank=True)
    has_paused = models.BooleanField(default=False)
    at = models.DateTimeField(db_default=Now())
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    note = models.CharField(max_length=MAX_NOTE, blank=True, db_default="")

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["project"], condition=Q(closed_at__isnull=True), name="quality_alert_open")
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.rater}"
