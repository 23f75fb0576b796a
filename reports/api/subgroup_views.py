"""Agreement by subgroup, over the API."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import choice_parameter
from projects.access import project_to
from projects.roles import Permission
from reports.agreement.few_items import LEAST_ITEMS
from reports.analysis.results import Json, Subgroups, for_programs, to_json
from reports.analysis.subgroups import LEAST_SHOWN
from reports.api.figure_serializers import CoefficientSerializer, DifferenceSerializer
from reports.api.report_views import result_of
from reports.api.waiting_views import OnDemandProgressSerializer, WaitingView
from reports.results.kinds import coefficient_of_parts
from reports.results.subgroup_wording import (
    attributes_of,
    coefficients_of,
    names_of,
    notes_of,
    requested_groups,
)
from reports.sources.attribute_members import MAX_VALUES
from reports.store.on_demand import subgroup_agreement
from reports.store.stored_result import StoredResult
from reports.store.subgroups import SubgroupsRefused


class AttributeSummarySerializer(serializers.Serializer[Any]):
    unit = serializers.ChoiceField(choices=[("item", "item"), ("rater", "rater")])
    name = serializers.CharField()
    n_values = serializers.IntegerField(
        help_text=f"Number of different values. With more than {MAX_VALUES}, there are no subgroups."
    )


class SubgroupSerializer(serializers.Serializer[Any]):
    value = serializers.CharField()
    n_items = serializers.IntegerField()
    n_raters = serializers.IntegerField()
    n_labels = serializers.IntegerField()
    n_compared = serializers.IntegerField(help_text="Items with two labels or more.")
    figure = CoefficientSerializer(
        allow_null=True, help_text=f"Null with fewer than {LEAST_SHOWN} items compared."
    )
    percent_agreement = CoefficientSerializer(allow_null=True)


class SubgroupDifferenceSerializer(DifferenceSerializer):
    """The later group minus the earlier one: `first` is the value of the later group."""

    earlier = serializers.IntegerField(help_text="Index in `groups`, from 0.")
    later = serializers.IntegerField()
    p_corrected = serializers.FloatField(
        allow_null=True, help_text="Holm-adjusted for all differences in this response with enough items."
    )
    has_few_items = serializers.BooleanField(
        help_text=f"Whether either side has fewer than {LEAST_ITEMS} items, too few to test for a difference."
    )
    is_beyond_chance = serializers.BooleanField()


class GroupPairsSerializer(serializers.Serializer[Any]):
    first = serializers.IntegerField(help_text="Index in `groups`, from 0.")
    second = serializers.IntegerField(help_text="The same index as `first` for pairs within a group.")
    n_pairs = serializers.IntegerField()
    n_items = serializers.IntegerField()
    figure = CoefficientSerializer()
    less_within = CoefficientSerializer(
        allow_null=True, help_text="The mean over these pairs minus the mean of both groups’ own means."
    )
    p_value = serializers.FloatField(allow_null=True)
    p_corrected = serializers.FloatField(allow_null=True)
    is_beyond_chance = serializers.BooleanField()


class SubgroupsSerializer(serializers.Serializer[Any]):
    unit = serializers.CharField()
    attribute = serializers.CharField()
    coefficient = serializers.CharField()
    counted = serializers.CharField(help_text="Raters included, across all groups.")
    groups = SubgroupSerializer(many=True)
    differences = SubgroupDifferenceSerializer(many=True)
    pair_figure = serializers.CharField(
        help_text="The statistic that pairs of raters are compared by; empty if there is none."
    )
    pairs = GroupPairsSerializer(many=True, help_text="Pairs of raters within and between groups of raters.")
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="A sentence for each significant difference."
    )
    n_without = serializers.IntegerField(help_text="Items, or raters, without a value of the attribute.")
    n_left_out = serializers.IntegerField(help_text="Number of smaller groups that are not shown.")
    attributes = AttributeSummarySerializer(many=True, help_text="All attributes in this report.")


class SubgroupsDetail(WaitingView):
    parameters = {"get": ["attribute", "coefficient"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "attribute",
                str,
                required=True,
                description="item:NAME or rater:NAME, such as item:site. Attributes are as they were when the report "
                "was computed.",
            ),
            OpenApiParameter("coefficient", str, description="Default: the question’s primary coefficient."),
        ],
        responses={200: SubgroupsSerializer, 202: OnDemandProgressSerializer},
        operation_id="report_subgroups",
    )
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """Get agreement by subgroup of items or raters, with tests of the differences.

        Returns 202 while the result is being computed, then 200 at the same URL. Each result is computed once.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        if result.reason:
            raise SubgroupsRefused(
                "The report has no results for this question, so there are none by subgroup."
            )
        attribute = request.query_params.get("attribute", "")
        if attribute not in [each.key for each in attributes_of(result)]:
            raise RefusedWithCode(
                "invalid_parameter",
                f"attribute must be one of those in the report: {names_of(attributes_of(result))}; "
                f"got {attribute[:100]!r}.",
            )
        names = coefficients_of(result)
        coefficient = choice_parameter(
            request, "coefficient", names, default=coefficient_of_parts(result.row)
        )
        asked = requested_groups(result, attribute, coefficient)
        return Response(serialized_subgroups(result, subgroup_agreement(result.row, asked, by=request.user)))


def serialized_subgroups(result: StoredResult, found: Subgroups) -> Json:
    answer = to_json(found)
    shown: Json = for_programs(
        answer
        | {
            "counted": result.counted.words,
            "notes": notes_of(found, result.report.chosen.percent),
            "attributes": [
                {"unit": each.unit, "name": each.name, "n_values": each.n_values}
                for each in attributes_of(result)
            ],
        }
    )
    return shown
