"""Figures of a finished report that a page requests."""

from django.contrib.postgres.functions import RandomUUID
from django.db import models

from raters.models.label_runs import LabelsRun
from reports.models.results import QuestionAgreement


class OnDemandFigures(LabelsRun):
    """Figures that a page requests from a finished report, computed by a worker and then kept: they never change.

    public: the ID on pages and in the API. Sequential numbers would reveal how many figures others have, and so whether
    a hidden report has a leading round, which some are stored with.
    asked: the exact request. before: the results of the other report, if two are compared. result: JSON from
    `reports.store.computing_on_demand`.
    """

    class What(models.TextChoices):
        TWO_REPORTS = "two", "A comparison of two reports"
        OVER_TIME = "time", "Agreement over time"
        SIDES = "sides", "A comparison"
        MODELS = "models", "Models and people"
        SUBGROUPS = "groups", "Agreement by subgroup"
        EFFECT = "effect", "Effect of changes"
        AGAINST = "against", "Models against people"

    task_name = "reports.compute_on_demand"
    project_path = "agreement__report__project"

    agreement = models.ForeignKey(
        QuestionAgreement, models.CASCADE, related_name="on_demand_figures", db_index=False
    )
    before = models.ForeignKey(QuestionAgreement, models.CASCADE, null=True, related_name="+")
    public = models.UUIDField(db_default=RandomUUID(), unique=True, editable=False)
    what = models.CharField(max_length=8, choices=What)
    asked = models.JSONField(default=dict)
    code_version = models.CharField(max_length=40)
    result = models.JSONField(null=True)

    class Meta:
        # The table and its constraints keep their original names.
        db_table = "reports_laterfigures"
        constraints = [
            # Figures are computed only once, however often a page is opened.
            models.UniqueConstraint(
                fields=["agreement", "what", "before", "asked", "code_version"],
                nulls_distinct=False,
                name="later_figures_asked_for_once",
            )
        ]
        indexes = [models.Index(fields=["state", "lease_until"], name="later_figures_due")]

    def __str__(self) -> str:
        return f"{self.get_what_display()} of {self.agreement_id}"
