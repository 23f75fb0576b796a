"""Reports, and the shards of those in progress."""

from collections.abc import Collection
from typing import Any

from django.db import models, transaction
from django.db.models import Value
from django.urls import reverse

from core.history import Head
from projects.models import Project, Question
from raters.lettered import letters_in_force
from raters.models import Notification
from raters.models.label_runs import LabelsRun
from raters.notifications.notifying import notify
from reports.analysis.options import Options, options_of
from reports.lettered_results import lettered_report

MAX_REPORT_NAME = 120


class Report(LabelsRun):
    """A requested computation, and the only place that holds its state.

    name: "" for none; not unique, not part of the results, and can be changed.
    scope: {"questions": [key, …], "rounds": [key, …] or null for all, "pooled": whether rounds are taken together
    (absent in reports of release 0.3.0 and earlier, which pool them), "only": `analysis.question.FilterJson`, if it is
    limited to some raters or items}. options: `analysis.options.Options` as JSON.
    codebook: the declared categories of each question when the report was computed. names: {"project": its name,
    "rounds": [{"id", "key"}, …]}, all rounds of the project in order, at that time. head_position, head_entry,
    head_digest: how far it read in the project's history (`core.history.Head`), from which the same labels can be read
    again from the revisions. snapshot: the equivalent in release 0.1.0.
    """

    class Weights(models.TextChoices):
        UNWEIGHTED = "unweighted", "Unweighted"
        LINEAR = "linear", "Linear weights"
        QUADRATIC = "quadratic", "Quadratic weights"
        ORDINAL = "ordinal", "Ordinal weights"
        RADICAL = "radical", "Radical weights"
        RATIO = "ratio", "Ratio weights"
        CIRCULAR = "circular", "Circular weights"
        BIPOLAR = "bipolar", "Bipolar weights"
        CUSTOM = "custom", "Custom weights"

    class Interval(models.TextChoices):
        ANALYTIC = "analytic", "Analytic"
        PERCENTILE = "percentile", "Percentile bootstrap"
        BCA = "bca", "BCa bootstrap"
        JACKKNIFE = "jackknife", "Jackknife"

    task_name = "reports.compute_report"

    project = models.ForeignKey(Project, models.PROTECT, related_name="reports")
    name = models.CharField(max_length=MAX_REPORT_NAME, blank=True, default="", db_default="")
    scope = models.JSONField(default=dict)
    options = models.JSONField(default=dict)
    codebook = models.JSONField(default=dict)
    names = models.JSONField(default=dict, db_default=Value({}, models.JSONField()))
    snapshot = models.TextField(blank=True)
    head_position = models.BigIntegerField(null=True)
    head_entry = models.BigIntegerField(null=True)
    head_digest = models.CharField(max_length=64, blank=True, default="")
    digest = models.CharField(max_length=64, blank=True)
    code_version = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["state", "lease_until"], name="report_due")]

    def __str__(self) -> str:
        return f"report {self.pk} of {self.project}"

    def get_absolute_url(self) -> str:
        return reverse("report", args=[self.project.slug, self.pk])

    @classmethod
    def from_db(
        cls, db: str | None, field_names: Collection[str], values: Collection[Any], **more: Any
    ) -> "Report":
        """Load a report, with letters in place of raters if they are in force."""
        found = super().from_db(db, field_names, values, **more)
        in_force = letters_in_force()
        if in_force is not None:
            found.__dict__ |= lettered_report(found.__dict__, in_force)
        return found

    def cancel(self) -> bool:
        with transaction.atomic():
            canceled = super().cancel()
            if canceled:
                self.shards.all().delete()
        return canceled

    def after_failure(self) -> None:
        self.shards.all().delete()
        notify(Notification.Kind.REPORT_FAILED, self.project, [self.asked_by_id], subject_id=self.pk)

    @property
    def words(self) -> str:
        """Its name in a sentence; the number distinguishes reports with the same name."""
        return f"“{self.name}” (report {self.pk})" if self.name else f"report {self.pk}"

    @property
    def project_name(self) -> str:
        """The name of the project when the report was computed; until then, its current one."""
        return str(self.names.get("project", self.project.name))

    @property
    def round_keys(self) -> dict[int, str]:
        """The rounds of the project when the report was computed, by ID; until then, the current ones."""
        if "rounds" in self.names:
            return {round_["id"]: round_["key"] for round_ in self.names["rounds"]}
        return dict(self.project.rounds.values_list("pk", "key"))

    @property
    def chosen(self) -> Options:
        return options_of(self.options)

    @property
    def head(self) -> Head:
        """The head up to which it read. Raises ValueError for a report that has not started."""
        if self.head_position is None or self.head_entry is None:
            raise ValueError(f"{self} was not begun")
        return Head(self.project_id, self.head_position, self.head_entry, self.head_digest)


class ReportShard(LabelsRun):
    """A part of a report in progress, for any worker to compute: a whole question, or a part of one.

    work: "question", with its place among the questions of the report in `first`, and with its rows as the result. Or
    the key of an `agreement.blockwise.Blockwise`, of which the blocks from `first` up to `last` are computed,
    with the packed blocks as the result. lead: the ID of the leading round of the question, if there is one. digest: of
    the labels. raters: the keys of all raters, by column. counted: the columns of those who count. start: the
    `agreement.blockwise.State` of the first block.
    """

    task_name = "reports.compute_shard"
    project_path = "report__project"
    takes_a_place = False

    report = models.ForeignKey(Report, models.CASCADE, related_name="shards", db_index=False)
    question = models.ForeignKey(Question, models.CASCADE, related_name="+", db_index=False)
    lead = models.BigIntegerField(null=True)
    digest = models.CharField(max_length=64)
    raters = models.JSONField(default=list, db_default=[])
    counted = models.JSONField()
    work = models.TextField()
    first = models.IntegerField()
    last = models.IntegerField()
    start = models.JSONField(null=True)
    result = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["report", "question", "work", "first"], name="shard_once")
        ]
        indexes = [models.Index(fields=["state", "lease_until"], name="shard_due")]

    def __str__(self) -> str:
        return f"blocks {self.first} to {self.last} of {self.work} of report {self.report_id}"

    @property
    def project(self) -> Project:
        return self.report.project
