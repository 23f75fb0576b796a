"""One rater of a question over the API: the figures of the rater's page."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import View
from core.web.errors import Refusal
from reports.access import sight_of
from reports.analysis.results import for_programs
from reports.api.serializers import (
    CategoryEstimateShown,
    CoefficientShown,
    EstimateShown,
    TestShown,
    by_category_field,
    rows_of,
)
from reports.results.rater import rater_figures
from reports.store.agreements import raters_of, scope_of


class PeerShown(EstimateShown):
    """Kappa with one other rater by the weights of the report; of numbers Lin's concordance, of sets MASI."""

    rater = serializers.CharField(help_text="Its key, or a letter where names are hidden.")
    rater_id = serializers.IntegerField(allow_null=True)
    kind = serializers.CharField(allow_blank=True)
    n = serializers.IntegerField(help_text="Items that both labelled.")
    observed = serializers.FloatField(allow_null=True, help_text="Share of items alike, of single choice.")
    figures = serializers.DictField(
        allow_null=True,
        help_text="Of numbers and sets; a difference is the rater's number minus the other's.",
    )


class TwoSeriesShown(serializers.Serializer[Any]):
    n = serializers.IntegerField()
    values = serializers.DictField(child=CoefficientShown())
    categories = by_category_field()
    tests = serializers.DictField(child=TestShown())
    counts = rows_of(serializers.IntegerField(), allow_null=True)
    reason = serializers.CharField(allow_null=True)


class RepeatsShown(TwoSeriesShown):
    """The labels of a later pass (columns) against those of the first (rows)."""

    n_same = serializers.IntegerField()


class OthersShown(TwoSeriesShown):
    """Against the consensus of the others, the rater's own labels left out: rows the rater, columns the consensus."""

    n_items = serializers.IntegerField()
    n_alone = serializers.IntegerField(help_text="Items that nobody else labelled.")
    n_tied = serializers.IntegerField(help_text="Items on which the others have no consensus.")
    n_same = serializers.IntegerField()


class RaterReferenceShown(serializers.Serializer[Any]):
    reference = serializers.CharField(allow_null=True)
    reference_id = serializers.IntegerField(allow_null=True)
    n = serializers.IntegerField()
    values = serializers.DictField(child=CoefficientShown())
    categories = by_category_field()
    counts = rows_of(
        serializers.IntegerField(),
        allow_null=True,
        help_text="Of single choice: rows the rater, columns the reference.",
    )
    reason = serializers.CharField(allow_null=True)


class LeaningShown(CategoryEstimateShown):
    """The difference of the rater's share and the others' on the same items."""

    category = serializers.CharField()
    share = serializers.FloatField(allow_null=True, help_text="Of the rater's labels.")
    everybody = serializers.FloatField(allow_null=True, help_text="Of the labels of all raters.")
    own = serializers.FloatField(allow_null=True, help_text="Of the items that others labelled too.")
    others = serializers.FloatField(allow_null=True, help_text="Of the others on the same items.")
    p_value = serializers.FloatField(
        allow_null=True, help_text="Two-sided; by Holm, for all categories together."
    )


class LeaningsShown(serializers.Serializer[Any]):
    categories = LeaningShown(many=True, allow_null=True, help_text="null for numbers.")
    reason = serializers.CharField(allow_null=True)


class RaterWindowShown(EstimateShown):
    to = serializers.DateTimeField()
    n = serializers.IntegerField(help_text="Items on which the others have a consensus.")
    n_same = serializers.IntegerField()
    kappa = EstimateShown(allow_null=True)
    seconds = serializers.FloatField(allow_null=True, help_text="Median time of a label.")

    def get_fields(self) -> dict[str, Any]:
        # A field cannot be declared under a word of Python's own.
        return {"from": serializers.DateTimeField(), **super().get_fields()}


class DriftShown(serializers.Serializer[Any]):
    measure = serializers.CharField(
        help_text="What a window's value is: percent_agreement with the consensus, or bland_altman_bias of numbers."
    )
    least = serializers.IntegerField(help_text="Labels that a window holds at least.")
    windows = RaterWindowShown(many=True)
    trend = TestShown(allow_null=True)
    reason = serializers.CharField(allow_null=True)


class PaceShown(serializers.Serializer[Any]):
    """In seconds."""

    n = serializers.IntegerField()
    median = serializers.FloatField(allow_null=True)
    quartiles = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    mean = serializers.FloatField(allow_null=True)
    per_hour = serializers.FloatField(allow_null=True)
    n_others = serializers.IntegerField(
        help_text="Other people with labels on the same items whose time is known."
    )
    median_of_others = serializers.FloatField(
        allow_null=True, help_text="Of their medians on those items; null where they are fewer than three."
    )
    reason = serializers.CharField(allow_null=True)


class ErrorsShown(serializers.Serializer[Any]):
    share_right = serializers.FloatField(allow_null=True)
    prevalence = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    confusion = rows_of(serializers.FloatField(allow_null=True), allow_null=True)
    reason = serializers.CharField(allow_null=True)


class RaterFiguresShown(serializers.Serializer[Any]):
    rater = serializers.CharField()
    rater_id = serializers.IntegerField()
    kind = serializers.CharField()
    is_own = serializers.BooleanField(
        help_text="Seen by the rater alone: of revealed rounds, without the names of others."
    )
    n_labels = serializers.IntegerField()
    n_abstentions = serializers.IntegerField()
    peers = PeerShown(many=True)
    consensus = OthersShown()
    reference = RaterReferenceShown()
    bias = LeaningsShown()
    drift = DriftShown()
    pace = PaceShown()
    repeats = RepeatsShown()
    dawid_skene = ErrorsShown()


class RaterFigures(View):
    for_labeling = frozenset({"get"})
    parameters = {"get": ["reference"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "reference", str, description="The key of the rater taken as right; as declared unless told."
            )
        ],
        responses=RaterFiguresShown,
    )
    def get(self, request: Request, slug: str, pk: int, key: str, rater: int) -> Response:
        """One rater by id: with each other, with the others' consensus, over time, with oneself, by reference.

        A rater is answered about the own labels alone, where the project allows it and rounds are revealed.
        """
        sight = sight_of(request.user, slug, pk, rater, question__key=key)
        reference = request.query_params.get("reference", "")
        if reference and (sight.is_own or reference not in [r.key for r in raters_of(sight.agreement)]):
            raise Refusal("invalid_parameter", f"No rater {reference!r} has a label of this question.")
        found = rater_figures(scope_of(sight.agreement), sight, reference=reference)
        return Response(for_programs(found))
