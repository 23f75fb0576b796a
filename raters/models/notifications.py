"""Notifications, each person's choices about them, and the emails that deliver them."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.runs.delayed import DelayedRun
from projects.models import Project, Round
from raters.models.accounts import User


class NotificationMail(DelayedRun):
    """An email to one person: an immediate notification, or a daily digest.

    handed_at: when it was handed to the mail server. Attempts that find it set send nothing, so it is never sent twice.
    """

    task_name = "raters.send_notifications"
    # Emails waiting for a mail server must not block requests for reports.
    takes_a_place = False

    recipient = models.ForeignKey(User, models.CASCADE, related_name="+")
    # Null for a digest, which may cover several projects.
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="+")
    n_tries = models.PositiveSmallIntegerField(default=0)
    handed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=Q(state__in=["queued", "running"]),
                name="notification_mail_under_way",
            ),
            models.Index(fields=["asked_at"], name="notification_mail_by_age"),
        ]

    def __str__(self) -> str:
        return f"email {self.pk} of notifications"

    @property
    def is_digest(self) -> bool:
        return self.project_id is None


class Notification(models.Model):
    """A notification to one person about an event in a project.

    It reveals only its kind and round: no labels, items, or rater names. subject_id: the ID of the report, question, or
    alert that it is about.
    """

    class Kind(models.TextChoices):
        ASSIGNED = "assigned", "Items to label"
        DEADLINE = "deadline", "Deadline of a round"
        ASKED = "asked", "Question from a rater"
        ANSWERED = "answered", "Answer to your question"
        GUIDELINES = "guidelines", "New guidelines"
        CODEBOOK = "codebook", "New codebook"
        REPORT_DONE = "report_done", "Report done"
        REPORT_FAILED = "report_failed", "Report failed"
        DISPUTES = "disputes", "Disputes to decide"
        ALERT = "alert", "Quality alert"
        PAUSED = "paused", "Labeling paused"
        PASSED = "passed", "Round passed"
        NOT_PASSED = "not_passed", "Round not passed"

    recipient = models.ForeignKey(User, models.CASCADE, related_name="notifications", db_index=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind)
    round = models.ForeignKey(Round, models.CASCADE, null=True, related_name="+")
    subject_id = models.BigIntegerField(null=True)
    # The deadline that it is about; a new deadline causes a new notification.
    due_on = models.DateField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    read_at = models.DateTimeField(null=True)
    mail = models.ForeignKey(NotificationMail, models.SET_NULL, null=True, related_name="notifications")
    mailed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["recipient", "round", "due_on"],
                condition=Q(kind="deadline"),
                name="notification_once_per_deadline",
            )
        ]
        indexes = [
            models.Index(fields=["recipient", "-id"], name="notification_of_recipient"),
            # For the count in the header of every page.
            models.Index(fields=["recipient"], condition=Q(read_at=None), name="notification_unread"),
            models.Index(fields=["created_at"], name="notification_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.recipient}"


class NotificationChoice(models.Model):
    """How a person is notified about a topic.

    Without a row, the default of `raters.notifications.notification_kinds` applies.
    """

    class Topic(models.TextChoices):
        ASSIGNED = "assigned", "Items to label"
        DEADLINE = "deadline", "Deadlines"
        REPLY = "reply", "Questions and answers"
        GUIDELINES = "guidelines", "Guidelines and codebook"
        REPORT = "report", "Reports"
        DISPUTE = "dispute", "Disputes"
        ALERT = "alert", "Quality alerts and pauses"
        PASS = "pass", "Passed rounds"

    class How(models.TextChoices):
        AT_ONCE = "at_once", "By email at once"
        DIGEST = "digest", "In a daily email"
        PROGRAM = "program", "In the program only"
        OFF = "off", "Off"

    user = models.ForeignKey(User, models.CASCADE, related_name="notification_choices")
    topic = models.CharField(max_length=10, choices=Topic)
    how = models.CharField(max_length=7, choices=How)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "topic"], name="notification_choice_once")]

    def __str__(self) -> str:
        return f"{self.topic} for {self.user}: {self.how}"


class DisputeWatch(models.Model):
    """The position in a project's history up to which labels have been checked for disputes."""

    project = models.OneToOneField(Project, models.CASCADE, related_name="+")
    looked_up_to = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"disputes of {self.project}"
