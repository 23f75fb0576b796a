"""Webhooks for events of a project, and everything that was sent to them."""

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.urls import reverse

from core.runs.delayed import DelayedRun
from projects.models.projects import Project

MAX_URL = 1000
# The maximum number of characters of a response to store, for debugging.
MAX_ANSWER = 1000


class Webhook(models.Model):
    class Event(models.TextChoices):
        LABELS_SAVED = "labels.saved", "Labels saved"
        ROUND_CLOSED = "round.closed", "Round closed"
        REPORT_DONE = "report.done", "Report done"
        DISPUTE_DECIDED = "dispute.decided", "Dispute decided"
        IMPORT_DONE = "import.done", "Import done"

    project = models.ForeignKey(Project, models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=MAX_URL)
    description = models.CharField(max_length=200, blank=True)
    events = ArrayField(models.CharField(max_length=20, choices=Event))
    # Encrypted: `projects.webhooks.signing` reads it. The former secret also signs until it expires.
    secret = models.TextField()
    former_secret = models.TextField(blank=True, default="")
    former_secret_until = models.DateTimeField(null=True)
    is_active = models.BooleanField(default=True)
    # When and why the program turned it off; empty if a lead did.
    disabled_at = models.DateTimeField(null=True)
    disabled_why = models.TextField(blank=True, default="")
    # Deliveries that failed permanently since the last successful one.
    n_failed = models.PositiveIntegerField(default=0)
    # The base URL of this site as its creator saw it, for links in deliveries: https://labels.example.org.
    site = models.CharField(max_length=300)
    # The position in the history up to which label changes were sent, and the time of the last check.
    told_up_to = models.BigIntegerField(default=0)
    told_at = models.DateTimeField(null=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"webhook {self.pk} of {self.project}"

    def get_absolute_url(self) -> str:
        return reverse("webhook", args=[self.project.slug, self.pk])

    @property
    def event_names(self) -> list[str]:
        return [str(event.label) for event in self.Event if event.value in self.events]


class Delivery(DelayedRun):
    """One event for one webhook, sent until it arrives or the maximum number of tries is reached."""

    TEST = "test"
    KINDS = (*Webhook.Event.choices, (TEST, "Test"))

    task_name = "projects.deliver"
    project_path = "webhook__project"
    # Waiting for other servers must not use up places for reports.
    takes_a_place = False

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    # The same for all tries, so that the receiver can recognize duplicates.
    event_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kind = models.CharField(max_length=20, choices=KINDS)
    payload = models.JSONField()
    # Tries since it was last sent by hand; and for all tries ever, the time, the response or error, and the duration.
    n_tries = models.PositiveSmallIntegerField(default=0)
    tries = models.JSONField(default=list)
    # Of the last try.
    status = models.PositiveSmallIntegerField(null=True)
    answer = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(
                fields=["due_at"], condition=Q(state__in=["queued", "running"]), name="delivery_under_way"
            ),
            models.Index(fields=["asked_at"], name="delivery_by_age"),
        ]

    def __str__(self) -> str:
        return f"delivery {self.pk} of {self.kind}"

    @classmethod
    def is_waiting(cls) -> Q:
        """Allow one delivery at a time per webhook, so that a hanging server blocks at most one worker."""
        at_it = cls.objects.filter(
            webhook=OuterRef("webhook"), state=cls.State.RUNNING, lease_until__gt=Now()
        ).exclude(pk=OuterRef("pk"))
        return super().is_waiting() & Q(~Exists(at_it))

    @property
    def project(self) -> Project:
        return self.webhook.project

    @property
    def is_test(self) -> bool:
        return self.kind == self.TEST
