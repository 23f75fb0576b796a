"""Serializers for reports and requests for reports."""

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
from reports.analysis.options import (
    MAX_CONFIDENCE,
    MAX_MATRIX,
    MAX_REPLICATES,
    MAX_SEED,
    MAX_SMOOTHING,
    MIN_CONFIDENCE,
    MIN_REPLICATES,
    Options,
    RaterKind,
)
from reports.analysis.results import Json, for_programs
from reports.api.figure_serializers import CoefficientSerializer, DataSizeSerializer, rows_of
from reports.models import MAX_REPORT_NAME, QuestionAgreement, Report
from reports.store.frozen_codebook import is_pooled
from reports.store.included_raters import words_of_coefficients

MAX_KEYS = 1000
BY_QUESTION = "by_question"
REPORT_WEIGHTS = [(BY_QUESTION, "The weights of each question"), *Report.Weights.choices]
KINDS = [str(kind) for kind in RaterKind]


def keys_field() -> serializers.ListField:
    return serializers.ListField(
        child=StrictCharField(max_length=MAX_KEY),
        required=False,
        allow_null=True,
        allow_empty=False,
        max_length=MAX_KEYS,
    )


class NewReport(StrictSerializer):
    name = StrictLineField(
        max_length=MAX_REPORT_NAME,
        required=False,
        allow_blank=True,
        help_text="Several reports may have the same name. A current report that is returned keeps a name it has.",
    )
    questions = keys_field()
    rounds = keys_field()
    pooled = StrictBooleanField(
        required=False,
        help_text="Whether to combine rounds. Default: false, so that the figures of each question use the latest "
        "round in which at least 20 items have labels from two or more people (if there is none, the round with the "
        "most), and the other rounds are compared with it (see time/).",
    )
    suggested = StrictBooleanField(
        required=False,
        help_text="Whether labels accepted from a suggestion count. They are not independent. Default: false.",
    )
    weights = StrictChoiceField(
        choices=REPORT_WEIGHTS,
        required=False,
        help_text="For Cohen's kappa and every coefficient with a weighted form, on all questions. Default: "
        "by_question, the weights that each question has in the codebook.",
    )
    matrices = serializers.DictField(
        child=rows_of(StrictFloatField(), max_length=MAX_MATRIX),
        required=False,
        help_text="Custom weights: for each question, the matrix of agreement credited to each pair of its categories, "
        "in order.",
    )
    interval = StrictChoiceField(choices=Report.Interval.choices, required=False)
    replicates = StrictIntegerField(
        min_value=MIN_REPLICATES, max_value=MAX_REPLICATES, required=False, help_text="For the bootstrap."
    )
    seed = StrictIntegerField(min_value=0, max_value=MAX_SEED, required=False, help_text="For the bootstrap.")
    confidence = StrictFloatField(min_value=MIN_CONFIDENCE, max_value=MAX_CONFIDENCE, required=False)
    reference = StrictCharField(max_length=MAX_KEY, required=False, help_text="Key of the reference rater.")
    counted = serializers.ListField(
        child=StrictChoiceField(choices=KINDS),
        required=False,
        allow_empty=False,
        max_length=len(KINDS),
        help_text="Rater types included in overall coefficients. Default: people, or people and models if "
        "fewer than two people labeled. Pairs always include all raters.",
    )
    smoothing = StrictFloatField(
        min_value=0,
        max_value=MAX_SMOOTHING,
        required=False,
        help_text="Added to each count in the Dawid–Skene estimates, so that few labels do not give a rate of 0 or 1.",
    )

    def validate(self, attrs: Json) -> Json:
        if attrs.get("weights") == BY_QUESTION:
            attrs["weights"] = None
        return attrs


class ReportChange(StrictSerializer):
    name = StrictLineField(max_length=MAX_REPORT_NAME, allow_blank=True, help_text="Empty for no name.")


class QuestionAgreementSerializer(DataSizeSerializer):
    key = serializers.CharField()
    categories = serializers.ListField(child=serializers.CharField())
    lead = serializers.CharField(
        allow_null=True, help_text="The round that all figures are about, if rounds are not combined."
    )
    n_abstentions = serializers.IntegerField()
    n_pairs = serializers.IntegerField()
    counted = serializers.CharField(
        help_text='Raters included in overall coefficients, such as "3 raters, excluding the reference".'
    )
    digest = serializers.CharField(help_text="Of the labels of this question.")
    coefficients = serializers.DictField(child=CoefficientSerializer())
    reason = serializers.CharField(allow_null=True)


def report_weights_field() -> serializers.ChoiceField:
    return serializers.ChoiceField(
        choices=REPORT_WEIGHTS,
        help_text="by_question: each question has its own weights, which its `primary` coefficient names.",
    )


class OptionsSerializer(serializers.Serializer[Any]):
    weights = report_weights_field()
    matrices = serializers.DictField(child=rows_of(serializers.FloatField()))
    interval = serializers.ChoiceField(choices=Report.Interval.choices)
    replicates = serializers.IntegerField(allow_null=True)
    seed = serializers.IntegerField(allow_null=True)
    confidence = serializers.FloatField()
    reference = serializers.CharField(allow_null=True)
    smoothing = serializers.FloatField()
    suggested = serializers.BooleanField(help_text="Whether labels accepted from a suggestion count.")
    counted = serializers.ListField(
        child=serializers.ChoiceField(choices=KINDS),
        help_text="As chosen; empty for the default.",
    )


class ReportSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField(help_text="Empty without one; not unique.")
    state = serializers.ChoiceField(choices=Report.State.choices)
    stage = serializers.CharField()
    share_done = serializers.FloatField()
    failure = serializers.CharField(allow_null=True)
    questions = serializers.ListField(child=serializers.CharField())
    rounds = serializers.ListField(child=serializers.CharField(), allow_null=True)
    pooled = serializers.BooleanField(help_text="Whether its rounds are combined.")
    limited_to = serializers.CharField(
        allow_null=True, help_text="The raters and items that it was limited to by a filter, in words."
    )
    weights = report_weights_field()
    options = OptionsSerializer()
    asked_by = serializers.CharField(allow_null=True)
    asked_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    digest = serializers.CharField(
        allow_null=True, help_text="Of the labels of all its questions, from the digest of each."
    )
    code_version = serializers.CharField(allow_null=True)
    results = QuestionAgreementSerializer(many=True)


def serialized_report(report: Report) -> Json:
    results = sorted(report.questions.all(), key=lambda found: (found.question.position, found.question_id))
    fields = {
        "id": report.pk,
        "name": report.name,
        "state": report.state,
        "stage": report.stage,
        "share_done": report.share_done,
        "failure": report.failure or None,
        "questions": report.scope["questions"],
        "rounds": report.scope["rounds"],
        "pooled": is_pooled(report),
        "limited_to": report.scope["only"]["words"] if "only" in report.scope else None,
        "weights": shown_weights(report.chosen),
        "options": serialized_options(report.chosen),
        "asked_by": None if report.asked_by is None else report.asked_by.username,
        "asked_at": report.asked_at,
        "started_at": report.started_at,
        "finished_at": report.finished_at,
        "seconds": report.seconds,
        "digest": report.digest or None,
        "code_version": report.code_version or None,
    }
    return fields | {"results": [serialized_question_agreement(found) for found in results]}


def shown_weights(options: Options) -> str:
    return BY_QUESTION if options.weights_by_question else str(options.weights)


def serialized_options(options: Options) -> Json:
    return {
        "weights": shown_weights(options),
        "matrices": {key: matrix.rows for key, matrix in options.matrices.items()},
        "interval": str(options.interval),
        "replicates": options.replicates if options.is_bootstrap else None,
        "seed": options.seed if options.is_bootstrap else None,
        "confidence": options.confidence,
        "reference": options.reference or None,
        "smoothing": options.smoothing,
        "suggested": options.suggested,
        "counted": [str(kind) for kind in options.counted],
    }


def serialized_question_agreement(agreement: QuestionAgreement) -> Json:
    return {
        "key": agreement.question.key,
        "categories": category_keys(agreement),
        "lead": agreement.lead and agreement.lead["key"],
        "n_items": agreement.n_items,
        "n_raters": agreement.n_raters,
        "n_labels": agreement.n_labels,
        "n_abstentions": agreement.n_abstentions,
        "n_pairs": agreement.n_pairs,
        "counted": words_of_coefficients(agreement),
        "digest": agreement.digest,
        "coefficients": for_programs(agreement.coefficients),
        "reason": agreement.reason or None,
    }


def category_keys(agreement: QuestionAgreement) -> list[str]:
    return [category["key"] for category in agreement.categories]
