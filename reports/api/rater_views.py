"""One rater of a question over the API, with the figures on the rater's page."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import View
from reports.access import rater_access
from reports.analysis.results import for_programs, to_json
from reports.api.figure_serializers import (
    CoefficientSerializer,
    EstimateSerializer,
    FiguresSerializer,
    SignificanceTestSerializer,
    TwoRatersSerializer,
    rows_of,
)
from reports.api.question_serializers import doubts_field
from reports.results.rater_figures import rater_figures


class PeerSerializer(EstimateSerializer):
    """Kappa with another rater under the weights of the report; Lin's concordance for numbers, MASI for sets."""

    rater = serializers.CharField(help_text="Key of the rater, or a letter where names are hidden.")
    rater_id = serializers.IntegerField(allow_null=True)
    kind = serializers.CharField(allow_blank=True)
    n = serializers.IntegerField(help_text="Shared items.")
    observed = serializers.FloatField(allow_null=True, help_text="Observed agreement, for single choice.")
    figures = serializers.DictField(
        allow_null=True,
        help_text="For numbers and sets; differences are the rater's number minus the other rater's.",
    )


class SeriesStatisticsSerializer(TwoRatersSerializer):
    n = serializers.IntegerField()
    counts = rows_of(serializers.IntegerField(), allow_null=True)
    reason = serializers.CharField(allow_null=True)


class RepeatsSerializer(SeriesStatisticsSerializer):
    """Intra-rater reliability: labels of a later pass (columns) vs. those of the first pass (rows)."""

    n_same = serializers.IntegerField()


class RaterVersusConsensusSerializer(SeriesStatisticsSerializer):
    """The rater (rows) vs. the consensus of the others (columns), which excludes the rater's own labels."""

    n_items = serializers.IntegerField()
    n_alone = serializers.IntegerField(help_text="Items that no one else labeled.")
    n_tied = serializers.IntegerField(help_text="Items on which the others have no consensus.")
    n_same = serializers.IntegerField()


class RaterReferenceSerializer(FiguresSerializer):
    reference = serializers.CharField(allow_null=True)
    reference_id = serializers.IntegerField(allow_null=True)
    n = serializers.IntegerField()
    counts = rows_of(
        serializers.IntegerField(),
        allow_null=True,
        help_text="For single choice: the rater in rows, the reference in columns.",
    )
    reason = serializers.CharField(allow_null=True)


class CategoryBiasSerializer(CoefficientSerializer):
    """Difference between the rater's share and that of the others on the same items."""

    category = serializers.CharField()
    share = serializers.FloatField(allow_null=True, help_text="Share of the rater's labels.")
    everybody = serializers.FloatField(allow_null=True, help_text="Share of all raters' labels.")
    own = serializers.FloatField(
        allow_null=True, help_text="The rater's share, on items that others also labeled."
    )
    others = serializers.FloatField(allow_null=True, help_text="The others' share on the same items.")
    p_value = serializers.FloatField(allow_null=True, help_text="Two-sided, Holm-adjusted across categories.")


class RaterBiasSerializer(serializers.Serializer[Any]):
    categories = CategoryBiasSerializer(many=True, allow_null=True, help_text="Null for numbers.")
    reason = serializers.CharField(allow_null=True)


class RaterWindowSerializer(EstimateSerializer):
    to = serializers.DateTimeField()
    n = serializers.IntegerField(help_text="Items on which the others have a consensus.")
    n_same = serializers.IntegerField()
    kappa = EstimateSerializer(allow_null=True)
    seconds = serializers.FloatField(allow_null=True, help_text="Median time per label.")

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        # A field cannot be declared with a Python keyword as its name.
        return {"from": serializers.DateTimeField(), **super().get_fields()}


class DriftSerializer(serializers.Serializer[Any]):
    measure = serializers.CharField(
        help_text="Statistic of the windows: percent_agreement with the consensus, or bland_altman_bias for numbers."
    )
    least = serializers.IntegerField(help_text="Minimum number of labels per window.")
    windows = RaterWindowSerializer(many=True)
    trend = SignificanceTestSerializer(allow_null=True)
    reason = serializers.CharField(allow_null=True)


class PaceSerializer(serializers.Serializer[Any]):
    """Labeling time, in seconds."""

    n = serializers.IntegerField()
    median = serializers.FloatField(allow_null=True)
    quartiles = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    mean = serializers.FloatField(allow_null=True)
    per_hour = serializers.FloatField(allow_null=True)
    n_others = serializers.IntegerField(
        help_text="Number of other people with known labeling times on the same items."
    )
    median_of_others = serializers.FloatField(
        allow_null=True,
        help_text="Median of their medians on these items; null if there are fewer than three people.",
    )
    reason = serializers.CharField(allow_null=True)


class RaterErrorRatesSerializer(serializers.Serializer[Any]):
    share_right = serializers.FloatField(allow_null=True)
    prevalence = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    confusion = rows_of(serializers.FloatField(allow_null=True), allow_null=True)
    doubts = doubts_field()
    reason = serializers.CharField(allow_null=True)


class RaterFiguresSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField()
    rater_id = serializers.IntegerField()
    kind = serializers.CharField()
    is_own = serializers.BooleanField(
        help_text="Whether this is the rater's own view: revealed rounds only, without the names of other raters."
    )
    n_labels = serializers.IntegerField()
    n_abstentions = serializers.IntegerField()
    peers = PeerSerializer(many=True)
    consensus = RaterVersusConsensusSerializer()
    reference = RaterReferenceSerializer()
    bias = RaterBiasSerializer()
    drift = DriftSerializer()
    pace = PaceSerializer()
    repeats = RepeatsSerializer()
    dawid_skene = RaterErrorRatesSerializer()


class RaterFiguresDetail(View):
    for_labeling = frozenset({"get"})
    parameters = {"get": ["reference"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "reference", str, description="Key of the reference rater. Default: the project's reference."
            )
        ],
        responses=RaterFiguresSerializer,
    )
    def get(self, request: Request, slug: str, pk: int, key: str, rater: int) -> Response:
        """Get the results for one rater: pairs, consensus, time, intra-rater reliability, and reference.

        Raters can only request their own results, if the project allows it and rounds have been revealed.
        """
        access = rater_access(request.user, slug, pk, rater, question__key=key)
        reference = request.query_params.get("reference", "")
        if reference and (access.is_own or reference not in [r.key for r in access.result.raters]):
            raise RefusedWithCode(
                "invalid_parameter", f"No rater {reference!r} has labels for this question."
            )
        found = rater_figures(access.scope, access, reference=reference)
        return Response(for_programs(to_json(found)))
