"""Reports on agreement and their results."""

from collections.abc import Collection
from copy import copy
from functools import cached_property
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.db import models, transaction
from django.db.models.functions import Now
from django.urls import reverse

from core.history import Head
from core.runs.ledger import Run
from projects.models import Project, Question
from raters.lettered import letters_in_force
from raters.models import Notification, Rater
from raters.notifications.writing import notify
from reports.agreement.results import is_kappa_clipped
from reports.analysis.asked import asked_words
from reports.analysis.missing import missing_sentences
from reports.analysis.options import Options, options_of
from reports.analysis.question import QuestionRead
from reports.analysis.results import QuestionResult
from reports.analysis.suggested import SUGGESTED, suggested_sentence
from reports.lettered_results import lettered_report, lettered_results

MAX_REPORT_NAME = 120


class Report(Run):
    """A requested computation, and the only place that holds its state.

    name: "" for none; not unique, not part of the results, and can be changed.
    scope: {"questions": [key, …], "rounds": [key, …] or null for all, "pooled": whether rounds are taken together
    (absent in reports of release 0.3.0 and earlier, which pool them), "only": `analysis.question.OnlyRead`, if it is
    limited to some raters or items}. options: `analysis.options.Options` as JSON.
    codebook: the declared categories of each question when the report was computed. head_position, head_entry,
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
    def chosen(self) -> Options:
        return options_of(self.options)

    @property
    def head(self) -> Head:
        """The head up to which it read. Raises ValueError for a report that has not started."""
        if self.head_position is None or self.head_entry is None:
            raise ValueError(f"{self} was not begun")
        return Head(self.project_id, self.head_position, self.head_entry, self.head_digest)


class ReportShard(Run):
    """A part of a report in progress, for any worker to compute: a whole question, or a part of one.

    work: "question", with its place among the questions of the report in `first`, and with its rows as the result. Or
    the key of an `agreement.blockwise.Blockwise`, of which the blocks from `first` up to `last` are computed,
    with the packed blocks as the result. lead: the ID of the leading round of the question, if there is one. digest: of
    the labels. raters: the keys of all raters, by column. counted: the columns of those who count. start: the state of
    the random generator.
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


class QuestionAgreement(models.Model):
    """The results of one question.

    categories: list of {"key", "name", "value"} in declared order, as of the computation. coefficients, statistics: all
    overall figures, as written by `reports.analysis.results.QuestionResult`. raters: list of {"id", "key", "kind",
    "n_labels"} of everyone who labeled, in the order of keys. lead: {"id", "key"} of the round that the figures use, if
    rounds are not pooled and several have labels.
    """

    report = models.ForeignKey(Report, models.CASCADE, related_name="questions")
    question = models.ForeignKey(Question, models.PROTECT, related_name="agreements")
    categories = models.JSONField()
    raters = models.JSONField()
    coefficients = models.JSONField()
    statistics = models.JSONField(default=dict)
    n_items = models.BigIntegerField()
    n_raters = models.IntegerField()
    n_labels = models.BigIntegerField()
    n_abstentions = models.BigIntegerField(default=0)
    n_pairs = models.IntegerField()
    # Labels with a confidence; 0 in reports of earlier releases.
    n_confidences = models.BigIntegerField(default=0, db_default=0)
    digest = models.CharField(max_length=64)
    reason = models.CharField(max_length=40, blank=True)
    lead = models.JSONField(null=True)
    # The format of coefficients and statistics. Results of earlier releases have schema 1.
    schema = models.PositiveSmallIntegerField(default=1, db_default=1)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["report", "question"], name="agreement_once_per_question")
        ]

    @classmethod
    def from_db(
        cls, db: str | None, field_names: Collection[str], values: Collection[Any], **more: Any
    ) -> "QuestionAgreement":
        """Load a result, with letters in place of raters if they are in force."""
        found = super().from_db(db, field_names, values, **more)
        in_force = letters_in_force()
        if in_force is not None:
            found.__dict__ |= lettered_results(found.__dict__, in_force)
        return found

    def __str__(self) -> str:
        return f"{self.question.key} in {self.report}"

    @property
    def round_keys(self) -> list[str] | None:
        """The keys of the rounds that the figures use; None for all."""
        rounds: list[str] | None = self.report.scope.get("rounds")
        return [self.lead["key"]] if self.lead else rounds

    @property
    def asked(self) -> QuestionRead:
        """The question as the report read it; its kind may have been corrected since."""
        return next(each for each in self.report.codebook["questions"] if each["id"] == self.question_id)

    @property
    def has_models(self) -> bool:
        return any(rater["kind"] == Rater.Kind.MODEL for rater in self.raters)

    @property
    def question_then(self) -> Question:
        """The question with its kind and scale at that time, for reading only, never to be saved."""
        then = copy(self.question)
        then.kind, then.level = self.asked["kind"], self.asked["level"]
        return then

    @property
    def missing_sentences(self) -> list[str]:
        """A sentence for each answer that is treated as missing, on the labels left out."""
        return missing_sentences(self.asked, self.statistics.get("missing") or {})

    @property
    def left_out_sentences(self) -> list[str]:
        """Sentences on the labels left out: answers treated as missing, and answers accepted from a suggestion."""
        n = self.statistics.get(SUGGESTED, 0)
        told = suggested_sentence(n, is_taken=self.report.chosen.suggested)
        return [*self.missing_sentences, *([told] if told else [])]

    @property
    def asked_words(self) -> str:
        """A sentence on whom it was asked of, if not of everybody."""
        return asked_words(self.asked, self.statistics.get("asked"))

    @cached_property
    def result(self) -> QuestionResult:
        """The result as an object. Raises ValueError if a later release stored it."""
        return QuestionResult.from_json(
            self.coefficients, self.statistics, n_pairs=self.n_pairs, schema=self.schema
        )


class LabelBlock(models.Model):
    """The labels of some items that a report read on one question, as columns of `reports.sources.rows.Rows`.

    Labels of all rounds are included, not only of the leading one. Lists of items, pages of raters, and comparisons
    read these, so that they use the same labels as the report even if they were changed since. Each column is packed by
    `reports.sources.packing` into a few bytes per label.
    """

    agreement = models.ForeignKey(
        QuestionAgreement, models.CASCADE, related_name="label_blocks", db_index=False
    )
    # Blocks are ranges of items, in order.
    first_item = models.BigIntegerField()
    n_labels = models.IntegerField()
    items = models.BinaryField()
    raters = models.BinaryField()
    values = models.BinaryField()
    rounds = models.BinaryField(db_column="batches")
    versions = models.BinaryField()
    moments = models.BinaryField()
    seconds = models.BinaryField()
    members = models.BinaryField()
    # Empty if no label of the block has one.
    confidences = models.BinaryField(default=b"", db_default=b"")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["agreement", "first_item"], name="block_once_of_items")
        ]

    def __str__(self) -> str:
        return f"labels from item {self.first_item} on, of {self.agreement}"


class AttributeGroup(models.Model):
    """The items, or the raters, of a project with one value of an attribute when the report was computed.

    value: as text; null in the single row of an attribute with too many values to compare. n_values: their number.
    members: IDs, packed by `reports.sources.packing`.
    """

    class Unit(models.TextChoices):
        ITEM = "item", "Items"
        RATER = "rater", "Raters"

    report = models.ForeignKey(Report, models.CASCADE, related_name="attribute_groups")
    unit = models.CharField(max_length=5, choices=Unit)
    name = models.TextField()
    value = models.TextField(null=True)
    n_values = models.IntegerField()
    members = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.unit} {self.name}={self.value} in {self.report}"


class PairAgreement(models.Model):
    """Two raters on one question: their confusion matrix, and kappa with the report's weights.

    counts: the (K, K) matrix in row-major order, rows rater_a, columns rater_b, in the order of the question's
    categories. All figures of the pair can be recomputed from it. Pairs without shared items have no row. figures:
    instead of all this, for questions that are not single choices: {name: {"value", "se", "reason", …}}.
    """

    agreement = models.ForeignKey(QuestionAgreement, models.CASCADE, related_name="pairs")
    rater_a = models.ForeignKey(Rater, models.PROTECT, related_name="+", db_index=False)
    rater_b = models.ForeignKey(Rater, models.PROTECT, related_name="+", db_index=False)
    n = models.IntegerField()
    counts = ArrayField(models.IntegerField())
    figures = models.JSONField(null=True)
    observed = models.FloatField(null=True)
    expected = models.FloatField(null=True)
    kappa = models.FloatField(null=True)
    se = models.FloatField(null=True)
    ci_low = models.FloatField(null=True)
    ci_high = models.FloatField(null=True)
    kappa_max = models.FloatField(null=True)
    reason = models.CharField(max_length=40, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["agreement", "rater_a", "rater_b"], name="pair_once_per_question"
            ),
            # NULL with a reason, never 0 or 1.
            models.CheckConstraint(
                condition=models.Q(kappa__isnull=False)
                | ~models.Q(reason="")
                | models.Q(figures__isnull=False),
                name="pair_without_kappa_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"pair {self.pk}"

    @property
    def is_clipped(self) -> bool:
        """Whether the interval of kappa was truncated at a bound."""
        return is_kappa_clipped(self.kappa, self.ci_low, self.ci_high)


class OnDemandFigures(Run):
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
        MODELS = "models", "Models beside people"
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


class ReportLink(models.Model):
    """A link for reading one report without an account, until it expires or is revoked.

    The token is shown once and stored only as a hash. opens: one page with the main figures, as for all links of
    release 0.3.0 and earlier, or the pages of the report. letters: IDs of raters in the order of their letters; null if
    names are shown. shows_items: whether lists of items can be opened. allows_export: whether files can be downloaded.
    follows: whether it opens newer reports as well.
    """

    class Opens(models.TextChoices):
        SUMMARY = "summary", "One page with the main figures"
        REPORT = "report", "The whole report"

    report = models.ForeignKey(Report, models.CASCADE, related_name="links")
    token_hash = models.CharField(max_length=64, unique=True)
    # The recipient, as described by the creator.
    note = models.CharField(max_length=200, blank=True)
    expires_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    n_opened = models.PositiveIntegerField(default=0)
    opened_at = models.DateTimeField(null=True, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    made_at = models.DateTimeField(db_default=Now(), editable=False)
    opens = models.CharField(max_length=7, choices=Opens, default=Opens.SUMMARY, db_default=Opens.SUMMARY)
    letters = models.JSONField(null=True)
    shows_items = models.BooleanField(default=False, db_default=False)
    allows_export = models.BooleanField(default=False, db_default=False)
    follows = models.BooleanField(default=False, db_default=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"link {self.pk} to {self.report}"

    @property
    def opens_pages(self) -> bool:
        return self.opens == self.Opens.REPORT

    @cached_property
    def report_ids(self) -> tuple[int, ...]:
        """The reports it opens, newest first: its own and, if it follows, later ones with equal scope and options."""
        of = self.report
        same = {"project": of.project_id, "scope": of.scope, "options": of.options, "state": of.State.DONE}
        newer = Report.objects.filter(**same, pk__gt=of.pk).order_by("-pk").only("pk") if self.follows else ()
        return (*(each.pk for each in newer), of.pk)


class FindingNote(models.Model):
    """A note on a finding of a question, which also appears with the same finding of later reports.

    finding: `Finding.identity`.
    """

    MAX_TEXT = 2000

    question = models.ForeignKey(Question, models.CASCADE, related_name="finding_notes")
    finding = models.TextField()
    text = models.CharField(max_length=MAX_TEXT)
    written_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    written_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.text
