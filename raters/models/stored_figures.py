"""Figures of large projects, computed by a worker."""

from django.db import models

from projects.models import Project
from raters.models.label_runs import LabelsRun


class StoredFigures(LabelsRun):
    """Figures that a page of a large project shows, as of the moment at which a worker computed them.

    One row for each kind and what was asked for. While newer figures are computed, `result` keeps the last ones.
    """

    class What(models.TextChoices):
        PROGRESS = "progress", "Progress"
        DISPUTES = "disputes", "Disputes"
        DISPUTED = "disputed", "Items in dispute"
        LIST = "list", "List"
        SEARCH = "search", "Search"
        CONTENTS = "contents", "Contents of an export"

    task_name = "raters.compute_figures"
    takes_a_place = False

    project = models.ForeignKey(Project, models.CASCADE, related_name="stored_figures")
    what = models.CharField(max_length=10, choices=What)
    asked = models.JSONField(editable=False)
    result = models.JSONField(null=True, editable=False)
    # When the snapshot was taken from which they were computed, how many seconds that took, and how far the history
    # of the project went; null before the first time.
    as_of = models.DateTimeField(null=True, editable=False)
    took = models.FloatField(null=True, editable=False)
    head_position = models.BigIntegerField(null=True, editable=False)
    # The version of `FIGURES_FORMAT` in which the result is written.
    format = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        verbose_name_plural = "stored figures"
        constraints = [
            models.UniqueConstraint(fields=["project", "what", "asked"], name="stored_figures_once")
        ]
        indexes = [models.Index(fields=["state", "lease_until"], name="stored_figures_due")]

    def __str__(self) -> str:
        return f"{self.get_what_display()} of {self.project_id}"
