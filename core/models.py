"""The history chain, which the database writes."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

# The chain of events that belong to no project: sign-ins, tokens, accounts.
SITE = 0


class HistoryEntry(models.Model):
    """One link of a project's chain: one event, or the revisions of labels that one statement made.

    The database writes it and refuses to change or delete it. `content` is the digest of the digests of its rows.
    When the transaction commits, the entry gets the next `position` of its project, and a `digest` over the one
    before. So the positions are in the order of commits, and what a snapshot sees of a project is exactly the entries
    up to some position. docs/history.md has the formulas.
    """

    class Kind(models.TextChoices):
        REVISIONS = "R", "Revisions of labels"
        EVENT = "E", "Event"

    # No foreign key: the history outlives its project. SITE for events that belong to no project.
    project_id = models.BigIntegerField()
    kind = models.CharField(max_length=1, choices=Kind)
    n_rows = models.BigIntegerField()
    content = models.BinaryField(max_length=32)
    at = models.DateTimeField(db_default=Now())
    position = models.BigIntegerField(null=True)
    digest = models.BinaryField(max_length=32, null=True)

    class Meta:
        verbose_name_plural = "history entries"
        constraints = [
            models.UniqueConstraint(
                fields=["project_id", "position"], name="history_position_once_per_project"
            ),
            models.CheckConstraint(
                condition=Q(position__isnull=True, digest__isnull=True)
                | Q(position__isnull=False, digest__isnull=False),
                name="history_position_with_digest",
            ),
        ]
        indexes = [
            # Entries that the current transaction has not linked yet; other transactions leave none.
            models.Index(fields=["project_id", "id"], condition=Q(position=None), name="history_pending"),
            models.Index(fields=["project_id", "id"], name="history_of_project"),
        ]

    def __str__(self) -> str:
        return f"entry {self.position} of project {self.project_id}"
