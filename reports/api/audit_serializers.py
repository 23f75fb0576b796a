"""Audits in requests and responses."""

from dataclasses import fields
from typing import Any

from rest_framework import serializers

from core.keys import MAX_KEY
from core.web.strict import (
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    StrictLineField,
    StrictSerializer,
)
from raters.models import Audit, AuditedLabel
from raters.models.audits import MAX_NOTE
from raters.rounds.forms import MAX_SEED
from reports.plans.audit import AUDIT_AIMS, SAMPLINGS, AuditPlan
from reports.plans.audit_form import AUDIT_DEFAULTS, faults_of


def _share(name: str, words: str) -> StrictFloatField:
    return StrictFloatField(
        required=False, min_value=0, max_value=1, help_text=f"{words} Default: {AUDIT_DEFAULTS[name]}."
    )


class NewAudit(StrictSerializer):
    name = StrictLineField(max_length=MAX_KEY, help_text="Name of the project that will hold the audit.")
    question = StrictLineField(max_length=MAX_KEY, help_text="Key of the question.")
    raters = serializers.ListField(
        child=StrictLineField(max_length=MAX_KEY),
        required=False,
        help_text="Keys of raters. Default: all people and models.",
    )
    rounds = serializers.ListField(
        child=StrictLineField(max_length=MAX_KEY),
        required=False,
        help_text="Keys of rounds. Default: all labels.",
    )
    attribute = StrictLineField(
        required=False,
        max_length=MAX_KEY,
        help_text="Only labels of raters with this attribute, equal to `value`.",
    )
    value = StrictLineField(required=False, max_length=MAX_KEY)
    categories = serializers.ListField(
        child=StrictLineField(max_length=MAX_KEY),
        required=False,
        help_text="Keys of categories: only labels that give one of them. Default: all.",
    )
    unit = StrictChoiceField(
        choices=Audit.Unit.choices, required=False, help_text="What is drawn. Default: label."
    )
    stratify_by = StrictLineField(
        required=False,
        allow_blank=True,
        max_length=MAX_KEY + 6,
        help_text="given, rater, round, item:ATTRIBUTE, or rater:ATTRIBUTE. Default: no strata.",
    )
    allocation = StrictChoiceField(
        choices=Audit.Allocation.choices, required=False, help_text="Default: proportional."
    )
    rates = serializers.DictField(
        child=StrictFloatField(min_value=0, max_value=1),
        required=False,
        help_text="Expected error rates by stratum, for optimal allocation.",
    )
    n = StrictIntegerField(required=False, min_value=1, help_text="Number to draw, for an estimate.")
    aim = StrictChoiceField(choices=list(AUDIT_AIMS.items()), required=False, help_text="Default: decide.")
    share = _share("share", "For estimate: expected error rate.")
    margin = _share("margin", "For estimate: half-width of the CI.")
    confidence = StrictFloatField(
        required=False, min_value=0.5, max_value=0.999, help_text="Confidence level. Default: 0.95."
    )
    sampling = StrictChoiceField(
        choices=list(SAMPLINGS.items()), required=False, help_text="For decide. Default: single."
    )
    acceptable = _share("acceptable", "For decide: acceptable error rate (AQL).")
    rejectable = _share("rejectable", "For decide: rejectable error rate (LTPD).")
    producer = _share(
        "producer", "For decide: highest probability of rejecting labels at the acceptable rate."
    )
    consumer = _share(
        "consumer", "For decide: highest probability of accepting labels at the rejectable rate."
    )
    auditors = serializers.ListField(
        child=StrictLineField(max_length=150), min_length=1, help_text="Usernames of members of this project."
    )
    double_share = StrictFloatField(
        required=False,
        min_value=0,
        max_value=1,
        help_text="Share of the items that two auditors label. Default: 0.",
    )
    shows_given = StrictBooleanField(
        required=False, help_text="Whether auditors see the label that was given. Default: no."
    )
    seed = StrictIntegerField(required=False, min_value=0, max_value=MAX_SEED, help_text="Default: 1.")

    def validate(self, attrs: Any) -> Any:
        if ("attribute" in attrs) != ("value" in attrs):
            raise serializers.ValidationError({"value": "Send attribute and value together."})
        defaults = {field.name: field.default for field in fields(AuditPlan)}
        if faults := faults_of({**defaults, **attrs}):
            raise serializers.ValidationError(faults)
        return super().validate(attrs)


class AuditSerializer(serializers.Serializer[Any]):
    project = serializers.CharField(help_text="Slug of the project that holds the audit.")
    name = serializers.CharField()
    question = serializers.CharField()
    n_labels = serializers.IntegerField(help_text="Labels that the audit is about.")
    n_drawn = serializers.IntegerField(help_text="Labels in the sample.")
    drawn_at = serializers.DateTimeField()


class ShareSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField(help_text="Audited labels that it is based on.")
    error = serializers.FloatField(allow_null=True, help_text="Standard error; null for an exact interval.")
    reason = serializers.CharField(help_text="Why a value or an interval is missing; empty if none is.")


class GroupShareSerializer(serializers.Serializer[Any]):
    value = serializers.CharField()
    size = serializers.IntegerField(allow_null=True, help_text="Labels of the population; null if unknown.")
    n_wrong = serializers.IntegerField()
    share = ShareSerializer()


class SeverityShareSerializer(serializers.Serializer[Any]):
    severity = serializers.ChoiceField(choices=AuditedLabel.Severity.choices)
    n = serializers.IntegerField()
    share = ShareSerializer()


class AuditDecisionSerializer(serializers.Serializer[Any]):
    accepts = serializers.BooleanField(allow_null=True, help_text="Null while undecided.")
    n = serializers.IntegerField(help_text="Labels audited until the decision, or so far.")
    n_wrong = serializers.IntegerField()


class AuditKappaSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()


class AuditResultSerializer(serializers.Serializer[Any]):
    n_population = serializers.IntegerField(help_text="Labels that the audit is about.")
    n_population_units = serializers.IntegerField()
    n_drawn = serializers.IntegerField(help_text="Labels in the sample.")
    n_units = serializers.IntegerField(
        help_text="Units that count: those before the first one with a label that is not judged."
    )
    n_audited = serializers.IntegerField(help_text="Labels of these units.")
    n_further = serializers.IntegerField(help_text="Judged labels of later units, which do not count yet.")
    n_wrong = serializers.IntegerField()
    share = ShareSerializer(help_text="Error rate of all labels.")
    is_exact = serializers.BooleanField(help_text="Whether the interval of `share` is exact.")
    n_expected = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        allow_null=True,
        help_text="Wrong labels among all, and the limits of their number.",
    )
    corrected = ShareSerializer(
        help_text="Error rate by single auditors, before decisions and reviews, corrected for their errors; for two "
        "categories only."
    )
    n_twice = serializers.IntegerField(help_text="Items that two auditors labeled.")
    n_twice_different = serializers.IntegerField()
    severities = SeverityShareSerializer(many=True, help_text="Empty as long as no error has a severity.")
    n_without_severity = serializers.IntegerField(help_text="Wrong labels without a severity.")
    groups = serializers.DictField(
        child=GroupShareSerializer(many=True), help_text="By rater, given label, and so on."
    )
    categories = serializers.ListField(child=serializers.CharField())
    given_sizes = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Total number of labels given in each category; empty if unknown.",
    )
    confusion = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField(allow_null=True)),
        allow_null=True,
        help_text="Estimated number of all labels by given (row) and audited category. Each row, with "
        "`confusion_unknown`, sums to `given_sizes`; its values are null if none of its labels is audited.",
    )
    confusion_unknown = serializers.ListField(
        child=serializers.FloatField(allow_null=True),
        help_text="Estimated number of all labels whose right category is unknown, by given category.",
    )
    n_unknown = serializers.IntegerField(help_text="Audited labels whose right category is unknown.")
    kappa = AuditKappaSerializer(allow_null=True)
    decision = AuditDecisionSerializer(allow_null=True, help_text="Null for an estimate.")


class AuditReviewSerializer(serializers.Serializer[Any]):
    """Of the labels that count, those that differ from the audited ones, or about which auditors could not tell."""

    n_different = serializers.IntegerField()
    n_reviewed = serializers.IntegerField(help_text="With a verdict of a reviewer.")
    n_found_right = serializers.IntegerField(help_text="Given labels that reviewers found right.")
    n_unreviewed = serializers.IntegerField(help_text="Taken to be wrong, as the auditors found.")


class AuditDetailSerializer(serializers.Serializer[Any]):
    design = serializers.DictField(help_text="How the sample was drawn; the same as in a certificate.")
    result = AuditResultSerializer()
    verdict = serializers.CharField(help_text="The main result as a sentence.")
    review = AuditReviewSerializer()
    methods = serializers.CharField(help_text="The paragraph for a methods section.")
    references = serializers.ListField(child=serializers.CharField(), help_text="The works that it cites.")


class AuditedLabelSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    unit = serializers.IntegerField(help_text="Place in the draw order, from 0.")
    item = serializers.CharField()
    rater = serializers.CharField()
    round = serializers.CharField()
    stratum = serializers.CharField()
    stratum_place = serializers.IntegerField(help_text="Place in the list of strata, from 0.")
    probability = serializers.FloatField(help_text="With which its unit was drawn.")
    given = serializers.JSONField(help_text="Key of a category, array of keys, or number.")
    audited = serializers.JSONField(help_text="The same; null if there is none.")
    state = serializers.ChoiceField(choices=["pending", "undecided", "right", "wrong"])
    verdict = serializers.ChoiceField(choices=AuditedLabel.Verdict.choices, allow_blank=True)
    severity = serializers.ChoiceField(choices=AuditedLabel.Severity.choices, allow_blank=True)
    note = serializers.CharField()


class VerdictInput(StrictSerializer):
    verdict = StrictChoiceField(
        choices=AuditedLabel.Verdict.choices, allow_blank=True, help_text="Empty to remove a verdict."
    )
    severity = StrictChoiceField(choices=AuditedLabel.Severity.choices, required=False, allow_blank=True)
    note = StrictCharField(required=False, allow_blank=True, max_length=MAX_NOTE)


class CertificateSummarySerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    digest = serializers.CharField(
        help_text="SHA-256 of `content` as JSON with sorted keys and without spaces."
    )
    issued_at = serializers.DateTimeField()
    issued_by = serializers.CharField(allow_null=True)


class CertificateSerializer(CertificateSummarySerializer):
    is_current = serializers.BooleanField(
        help_text="Whether the audit still has these labels and this result."
    )
    content = serializers.DictField()
