"""The results of a report, what it read, and notes on its findings."""

from collections.abc import Collection
from copy import copy
from functools import cached_property
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from projects.models import Question
from raters.lettered import letters_in_force
from raters.models import Rater
from reports.agreement.results import is_kappa_clipped
from reports.analysis.condition_wording import condition_sentence
from reports.analysis.missing_wording import missing_sentences
from reports.analysis.question import QuestionJson
from reports.analysis.results import QuestionResult
from reports.analysis.suggested import SUGGESTED, suggested_sentence
from reports.lettered_results import lettered_results
from reports.models.reports import Report


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
    # `reports.store.pair_totals.PairTotals`; null in reports of earlier releases.
    pair_totals = models.JSONField(null=True)
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
    def asked(self) -> QuestionJson:
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
        sentence = suggested_sentence(n, is_taken=self.report.chosen.suggested)
        return [*self.missing_sentences, *([sentence] if sentence else [])]

    @property
    def asked_words(self) -> str:
        """A sentence on whom it was asked of, if not of everybody."""
        return condition_sentence(self.asked, self.statistics.get("asked"))

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
    # `reports.sources.tally.ItemDisagreement` of the labels that the overall figures count; empty in older reports.
    disagreement = models.BinaryField(default=b"", db_default=b"")

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
        # The lowest come first in lists, which may be of millions.
        indexes = [models.Index(fields=["agreement", "kappa", "rater_a", "rater_b"], name="pair_by_kappa")]

    def __str__(self) -> str:
        return f"pair {self.pk}"

    @property
    def is_clipped(self) -> bool:
        """Whether the interval of kappa was truncated at a bound."""
        return is_kappa_clipped(self.kappa, self.ci_low, self.ci_high)


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
