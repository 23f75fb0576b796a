"""Audits: a random sample of labels given elsewhere, which auditors judge by labeling the items again."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NotRequired, TypedDict

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.keys import MAX_KEY
from projects.models import Item, Project, Question

MAX_NOTE = 2_000
# A label as an export shows it: the key of a category, the keys of a set, or a number.
Value = str | list[str] | float


def words_of(value: Value | None, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the value in words. names: of categories, by key; without one, the key is shown."""
    if value is None:
        return ""
    if isinstance(value, list):
        return " | ".join(names.get(key, key) for key in value) or "none of them"
    return names.get(value, value) if isinstance(value, str) else f"{value:.12g}"


class StoredPopulation(TypedDict):
    """Which labels the audit is about, by name. rounds, raters: keys, or null for all. attribute: the attribute of
    raters, and its value as text, that limits them; null for none. categories: keys of the given labels; null for all.
    """

    rounds: list[str] | None
    raters: list[str] | None
    attribute: NotRequired[list[str] | None]
    categories: NotRequired[list[str] | None]


class StoredStratum(TypedDict):
    """A stratum. size: units in the population; n_labels: labels in them. drawn: units drawn."""

    value: str
    size: int
    n_labels: int
    drawn: int


class StoredAuditGroup(TypedDict):
    """The number of labels in the population with a value of an attribute. by: as in `Audit.stratify_by`."""

    by: str
    value: str
    n_labels: int


class StoredAuditPlan(TypedDict):
    """aim: estimate or decide. For an estimate, share and margin; otherwise sampling, rates, risks, and all looks, each
    [labels audited, acceptance number (-1 for none), rejection number].
    """

    aim: Literal["estimate", "decide"]
    confidence: float
    share: NotRequired[float]
    margin: NotRequired[float]
    sampling: NotRequired[str]
    acceptable: NotRequired[float]
    rejectable: NotRequired[float]
    producer: NotRequired[float]
    consumer: NotRequired[float]
    looks: NotRequired[list[list[int]]]


class Audit(models.Model):
    """What a project audits. Its items are copies of the drawn ones; its final labels are the audited labels.

    The source may have other members and may be deleted or on another server, so the audit keeps what it needs of it.
    """

    class Unit(models.TextChoices):
        LABEL = "label", "Labels"
        ITEM = "item", "Items, with all of their labels"

    class Allocation(models.TextChoices):
        PROPORTIONAL = "proportional", "In proportion to size"
        EQUAL = "equal", "Equal numbers"
        OPTIMAL = "optimal", "By size and expected error rate"

    project = models.OneToOneField(Project, models.CASCADE, related_name="audit")
    # No database constraint: the source may be deleted for good while its audit stays.
    source = models.ForeignKey(
        Project, models.DO_NOTHING, null=True, related_name="audits", db_constraint=False
    )
    source_name = models.CharField(max_length=MAX_KEY)
    # The question of this project, a copy of that of the source.
    question = models.OneToOneField(Question, models.CASCADE, related_name="audit")
    # The end of the source's history when the sample was drawn: position and digest.
    source_position = models.PositiveBigIntegerField(null=True)
    source_digest = models.CharField(max_length=64, blank=True, default="")
    population = models.JSONField(default=dict)
    n_labels = models.PositiveBigIntegerField()
    n_units = models.PositiveBigIntegerField()
    unit = models.CharField(max_length=5, choices=Unit)
    # "" for none, given, rater, round, item:NAME or rater:NAME for an attribute.
    stratify_by = models.CharField(max_length=MAX_KEY + 6, blank=True, default="")
    allocation = models.CharField(max_length=12, choices=Allocation, default=Allocation.PROPORTIONAL)
    strata = models.JSONField(default=list)
    # Labels in the population by given label, rater, and round; empty for groups beyond what is shown.
    groups = models.JSONField(default=list)
    plan = models.JSONField(default=dict)
    seed = models.PositiveBigIntegerField()
    # Whether auditors see the label that was given.
    shows_given = models.BooleanField(default=False)
    # The share of items that two auditors label.
    double_share = models.FloatField(default=0.0, validators=[MinValueValidator(0), MaxValueValidator(1)])
    drawn_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    drawn_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(double_share__gte=0, double_share__lte=1), name="audit_double_share_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return f"audit of {self.source_name}"


class AuditedLabel(models.Model):
    """A label of the sample, as it was given.

    unit: the place of its unit in the draw order, from 0. stratum: its place in `Audit.strata`. probability: with which
    the unit was drawn. source_label: the ID of the label in the source's project on the server of the draw.
    """

    class Verdict(models.TextChoices):
        WRONG = "wrong", "The given label is wrong"
        RIGHT = "right", "The given label is right"

    class Severity(models.TextChoices):
        CRITICAL = "critical", "Critical"
        MAJOR = "major", "Major"
        MINOR = "minor", "Minor"

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="labels")
    item = models.ForeignKey(Item, models.PROTECT, related_name="audited_labels")
    unit = models.PositiveIntegerField()
    stratum = models.PositiveIntegerField(default=0)
    probability = models.FloatField()
    given = models.JSONField()
    rater = models.CharField(max_length=MAX_KEY)
    rater_kind = models.CharField(max_length=10)
    rater_attributes = models.JSONField(default=dict)
    round = models.CharField(max_length=MAX_KEY, blank=True, default="")
    given_at = models.DateTimeField(null=True)
    source_label = models.BigIntegerField(null=True)
    # A reviewer's verdict on a difference, and the audited label that it is about: it counts only as long as the
    # audited label is the same. Null for none, as when auditors can't tell.
    verdict = models.CharField(max_length=5, choices=Verdict, blank=True, default="")
    verdict_about = models.JSONField(null=True)
    severity = models.CharField(max_length=8, choices=Severity, blank=True, default="")
    note = models.CharField(max_length=MAX_NOTE, blank=True, default="")
    reviewed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    reviewed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["unit", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(probability__gt=0, probability__lte=1), name="audited_label_probability"
            ),
            models.CheckConstraint(
                condition=~Q(verdict="") | Q(severity=""), name="audited_label_severity_needs_a_verdict"
            ),
        ]
        indexes = [models.Index(fields=["audit", "unit"], name="audited_label_in_order")]

    def __str__(self) -> str:
        return f"{self.given} on {self.item}"


class AuditCertificate(models.Model):
    """The result of an audit as it was issued; later labels and verdicts do not change it.

    content: the design, the labels, and the result, as exported. digest: SHA-256 of `content` as canonical JSON.
    """

    audit = models.ForeignKey(Audit, models.CASCADE, related_name="certificates")
    content = models.JSONField()
    digest = models.CharField(max_length=64)
    issued_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    issued_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"certificate of {self.audit}"
