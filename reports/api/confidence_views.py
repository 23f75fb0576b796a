"""Raters' confidence in their labels in a report, over the API."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import View
from projects.access import project_to
from projects.roles import Permission
from reports.analysis.results import for_programs, to_json
from reports.analysis.results.confidence import CONSENSUS, REFERENCE
from reports.api.figure_serializers import CoefficientSerializer
from reports.api.report_views import result_of
from reports.results.confidence import confidences_in


class ConfidenceStepSerializer(serializers.Serializer[Any]):
    """Labels with one confidence, or in a bin: above `low`, up to `high`."""

    low = serializers.FloatField()
    high = serializers.FloatField()
    n = serializers.IntegerField()
    stated = serializers.FloatField(allow_null=True, help_text="Their mean confidence.")
    n_right = serializers.IntegerField()
    share = serializers.FloatField(allow_null=True, help_text="Share of them that are correct.")
    ci_low = serializers.FloatField(allow_null=True, help_text="Wilson’s interval of the share.")
    ci_high = serializers.FloatField(allow_null=True)


class CalibrationSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField(help_text="Labels with a confidence that could be compared.")
    n_unknown = serializers.IntegerField(help_text="Labels with a confidence that could not.")
    stated = serializers.FloatField(allow_null=True, help_text="Mean confidence.")
    share = serializers.FloatField(allow_null=True, help_text="Share of labels that are correct.")
    overconfidence = serializers.FloatField(allow_null=True, help_text="stated − share")
    error = serializers.FloatField(allow_null=True, help_text="Expected calibration error.")
    brier = serializers.FloatField(
        allow_null=True, help_text="reliability − resolution + uncertainty + within"
    )
    reliability = serializers.FloatField(allow_null=True)
    resolution = serializers.FloatField(allow_null=True)
    uncertainty = serializers.FloatField(allow_null=True)
    within = serializers.FloatField(allow_null=True, help_text="0 unless a bin has different confidences.")
    steps = ConfidenceStepSerializer(many=True)
    reason = serializers.CharField(allow_null=True)


class RaterCalibrationSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField()
    rater_id = serializers.IntegerField()
    kind = serializers.CharField()
    n_labels = serializers.IntegerField()
    n_stated = serializers.IntegerField(help_text="Labels with a confidence.")
    figures = CalibrationSerializer()


class ConfidentAgreementSerializer(serializers.Serializer[Any]):
    """Agreement among the labels with at least this confidence, which is a selection of them."""

    at_least = serializers.FloatField()
    n_items = serializers.IntegerField()
    n_labels = serializers.IntegerField()
    share = serializers.FloatField(help_text="Share of the labels with a confidence.")
    percent_agreement = CoefficientSerializer(allow_null=True)
    coefficient = CoefficientSerializer()


class ConfidencesSerializer(serializers.Serializer[Any]):
    against = serializers.ChoiceField(
        choices=[(CONSENSUS, "The majority of the other raters"), (REFERENCE, "The reference")],
        help_text="What labels are compared with.",
    )
    reference = serializers.CharField(allow_null=True, help_text="Key of the reference rater, if any.")
    n_stated = serializers.IntegerField(help_text="Labels with a confidence.")
    overall = CalibrationSerializer()
    raters = RaterCalibrationSerializer(many=True)
    coefficient = serializers.CharField(help_text="The coefficient in `agreement`.")
    agreement = ConfidentAgreementSerializer(many=True)
    reason = serializers.CharField(allow_null=True)


class ConfidenceDetail(View):
    parameters = {"get": ["reference"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "reference",
                str,
                description="Key of the reference rater. Default: the project’s reference, or else the majority "
                "of the other raters.",
            )
        ],
        responses=ConfidencesSerializer,
        operation_id="report_confidence",
    )
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """Get the calibration of stated confidence, overall and by rater, and agreement among confident labels."""
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        if result.reason or not result.row.n_confidences:
            raise RefusedWithCode(
                "no_confidence", "No label of this question has a confidence.", status_code=404
            )
        reference = request.query_params.get("reference", "")
        if reference and reference not in [rater.key for rater in result.raters]:
            raise RefusedWithCode(
                "invalid_parameter", f"No rater {reference!r} has labels for this question."
            )
        return Response(for_programs(to_json(confidences_in(result, reference=reference))))
