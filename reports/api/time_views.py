"""Agreement by round and over time, over the API."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.numbers import whole_number
from core.refusals import RefusedWithCode
from core.web.api import choice_parameter, whole_schema
from projects.access import project_to
from projects.roles import Permission
from reports.agreement.few_items import LEAST_ITEMS
from reports.analysis.results import Json, OverTime, for_programs, to_json
from reports.analysis.windows import WindowGrouping
from reports.api.figure_serializers import CoefficientSerializer, DataSizeSerializer, DifferenceSerializer
from reports.api.report_views import result_of
from reports.api.waiting_views import OnDemandProgressSerializer, WaitingView
from reports.results.kinds import coefficient_of_parts
from reports.results.time_wording import names_of, notes_of, versions_of
from reports.store.on_demand import agreement_over_time
from reports.store.over_time import (
    MAX_NUMBER,
    MIN_NUMBER,
    OverTimeOptions,
    OverTimeRefused,
    coefficients_over_time,
)
from reports.store.stored_result import StoredResult


class TimeWindowSerializer(DataSizeSerializer):
    name = serializers.CharField()
    start = serializers.DateTimeField(
        help_text="Time of the first label; for windows of time, when the first item was completed."
    )
    end = serializers.DateTimeField()
    guidelines = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Versions of the guidelines in force when the labels were made.",
    )
    figure = CoefficientSerializer()
    percent_agreement = CoefficientSerializer(allow_null=True, help_text="Null for numbers.")


class WindowChangeSerializer(DifferenceSerializer):
    """The later window minus the earlier one: `first` is the value of the later window."""

    earlier = serializers.IntegerField(help_text="Index in `windows`, from 0.")
    later = serializers.IntegerField()
    p_corrected = serializers.FloatField(
        allow_null=True, help_text="Holm-adjusted for all changes in this response with enough items."
    )
    has_few_items = serializers.BooleanField(
        help_text=f"Whether either side has fewer than {LEAST_ITEMS} items, too few to test for a change."
    )
    is_beyond_chance = serializers.BooleanField()


class GuidelinesVersionSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    made_at = serializers.DateTimeField()


class HomogeneitySerializer(serializers.Serializer[Any]):
    """What the windows have in common, and the test that they do not differ."""

    value = serializers.FloatField(allow_null=True, help_text="The common value.")
    se = serializers.FloatField(allow_null=True)
    ci_low = serializers.FloatField(allow_null=True)
    ci_high = serializers.FloatField(allow_null=True)
    statistic = serializers.FloatField(allow_null=True, help_text="Chi-squared.")
    df = serializers.IntegerField(allow_null=True)
    p_value = serializers.FloatField(allow_null=True)
    n_strata = serializers.IntegerField(help_text="Number of windows in the test.")
    n_left_out = serializers.IntegerField(
        help_text="Number of windows without a value or a standard error, or with too few items."
    )
    method = serializers.CharField()
    reason = serializers.CharField(allow_null=True)


class OverTimeSerializer(serializers.Serializer[Any]):
    by = serializers.ChoiceField(choices=[(str(by), str(by)) for by in WindowGrouping])
    coefficient = serializers.CharField()
    counted = serializers.CharField(help_text="Raters included, across all windows.")
    windows = TimeWindowSerializer(many=True)
    differences = WindowChangeSerializer(many=True)
    guidelines = GuidelinesVersionSerializer(many=True)
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="A sentence for each significant change."
    )
    n_left_out = serializers.IntegerField(help_text="Number of earlier windows that are not shown.")
    homogeneity = HomogeneitySerializer(
        allow_null=True, help_text="Null if windows share items, or there is only one."
    )
    fitted_homogeneity = HomogeneitySerializer(
        allow_null=True,
        help_text="The same by goodness of fit, for two raters and two categories; else null.",
    )


class OverTimeDetail(WaitingView):
    parameters = {"get": ["by", "coefficient", "windows"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "by", str, enum=[str(by) for by in WindowGrouping], description="Default: round."
            ),
            OpenApiParameter(
                "coefficient",
                str,
                description="One of the report's `coefficients`. Default: the question's primary coefficient.",
            ),
            OpenApiParameter(
                "windows",
                whole_schema(MIN_NUMBER, MAX_NUMBER),
                description="Number of windows, for `number`. Default: 8.",
            ),
        ],
        responses={200: OverTimeSerializer, 202: OnDemandProgressSerializer},
        operation_id="report_over_time",
    )
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """Get agreement by round, by version of the guidelines, or over time, with tests of the changes.

        Returns 202 while the result is being computed, then 200 at the same URL. Each result is computed once.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        asked = requested_options(request, result)
        return Response(
            serialized_over_time(result, asked, agreement_over_time(result.row, asked, by=request.user))
        )


def requested_options(request: Request, result: StoredResult) -> OverTimeOptions:
    """Return the requested options. Raises RefusedWithCode, and OverTimeRefused for a question without figures."""
    if result.reason:
        raise OverTimeRefused("The report has no results for this question, so there are none over time.")
    by = choice_parameter(
        request, "by", [str(by) for by in WindowGrouping], default=str(WindowGrouping.ROUND)
    )
    names = coefficients_over_time(result.row)
    coefficient = choice_parameter(request, "coefficient", names, default=coefficient_of_parts(result.row))
    text = request.query_params.get("windows", "8")
    number = whole_number(text, least=MIN_NUMBER, most=MAX_NUMBER)
    if number is None:
        raise RefusedWithCode(
            "invalid_parameter", f"windows must be from {MIN_NUMBER} to {MAX_NUMBER}, got {text!r}."
        )
    return OverTimeOptions(WindowGrouping(by), coefficient, number, timezone.get_current_timezone_name())


def serialized_over_time(result: StoredResult, options: OverTimeOptions, found: OverTime) -> Json:
    answer = to_json(found)
    names = names_of(result, options.by, found)
    notes = notes_of(options, found, names, result.report.chosen.percent)
    windows = [
        {"name": name} | {key: value for key, value in window.items() if key != "key"}
        for name, window in zip(names, answer["windows"], strict=True)
    ]
    shown: Json = for_programs(
        answer
        | {
            "counted": result.counted.words,
            "windows": windows,
            "guidelines": [
                {"number": number, "made_at": made} for number, made in versions_of(result.report)
            ],
            "notes": notes,
        }
    )
    return shown
