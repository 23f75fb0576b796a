"""Quality control: passed rounds, quality rules, and their alerts."""

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from projects.models import Project, Round
from raters.models.accounts import User
from raters.models.assignments import Rater

MAX_NOTE = 500


class Qualification(models.Model):
    """Whether a rater has passed a round with a pass mark.

    n: number of reference answers for the rater's items in the round. n_right: how many of them the rater gave.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="qualifications")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="qualifications")
    n = models.PositiveIntegerField()
    n_right = models.PositiveIntegerField()
    is_passed = models.BooleanField()
    at = models.DateTimeField(db_default=Now())
    # The lead who decided regardless of the figures; null if the pass mark did.
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
    """A rule monitored while raters label. A project has at most one rule of each kind.

    It raises an alert if, in a block of `n` answers of a rater, more than `limit` are wrong, differ from the rater's
    own earlier answer, or took less than `seconds`. `SAME_ANSWER` raises one for `limit` equal answers in a row; `n`
    is only the number for which its false-alarm rate is given.
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
    # The acceptable share of such answers, for which the false-alarm rate is computed.
    acceptable = models.FloatField(null=True, blank=True)
    # The maximum false-alarm rate: limit is the smallest one that does not exceed it.
    at_most = models.FloatField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    # Whether the rater is paused until a lead has looked.
    pauses = models.BooleanField(default=False)
    # Message to the rater; empty for none.
    message = models.CharField(max_length=MAX_NOTE, blank=True, db_default="")
    is_active = models.BooleanField(default=True)
    # Position in the project's history up to which labels have been processed.
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
    """A rater's counts since a rule's last alert or restart: `raters.quality.watching.AnswerTally` as JSON."""

    rule = models.ForeignKey(QualityRule, models.CASCADE, related_name="counts")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="+")
    standing = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["rule", "rater"], name="quality_count_once_per_rater")]

    def __str__(self) -> str:
        return f"{self.rater}: {self.rule}"


class QualityAlert(models.Model):
    """An alert of a rule about a rater: n_bad of n answers or, for `SAME_ANSWER`, n in a row.

    rule: the rule at that time, in words, since it may be changed later.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="quality_alerts")
    rater = models.ForeignKey(Rater, models.CASCADE, related_name="quality_alerts")
    kind = models.CharField(max_length=12, choices=QualityRule.Kind)
    rule = models.CharField(max_length=500)
    # For `SAME_ANSWER`, the question key and the answer in words.
    about = models.CharField(max_length=500, blank=True, db_default="")
    n = models.PositiveIntegerField()
    n_bad = models.PositiveIntegerField()
    # Probability of at least n_bad in n answers for a rater with the acceptable share.
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
