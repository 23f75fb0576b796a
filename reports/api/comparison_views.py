"""Comparison of two reports, over the API."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import ID
from projects.access import AnyUser, project_to
from projects.roles import Permission
from reports.analysis.results import Json, LabelChangeCounts, PairChanges, for_programs, to_json
from reports.api.figure_serializers import DifferenceSerializer
from reports.api.question_serializers import IncludedRatersSerializer
from reports.api.waiting_views import OnDemandProgressSerializer, WaitingView
from reports.results.compared_reports import (
    SIDES,
    applied_options,
    changed_items,
    chosen_pair,
    chosen_report,
    codebook_differences,
    counted_of_both,
    facts_of,
)
from reports.store.included_raters import kinds_in
from reports.store.on_demand import report_differences
from reports.store.stored_result import StoredResult


class ReportFactSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    first = serializers.CharField()
    second = serializers.CharField()
    differs = serializers.BooleanField()


class AppliedOptionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    first = serializers.CharField(help_text="The value in the first report itself.")
    second = serializers.CharField(help_text="The value used for both reports here.")


class LabelChangeCountsSerializer(serializers.Serializer[Any]):
    """Numbers of labels (one rater on one item) and of items."""

    n_same = serializers.IntegerField()
    n_changed = serializers.IntegerField()
    n_only_first = serializers.IntegerField()
    n_only_second = serializers.IntegerField()
    n_items_both = serializers.IntegerField()
    n_items_only_first = serializers.IntegerField()
    n_items_only_second = serializers.IntegerField()


class ChangedItemSerializer(serializers.Serializer[Any]):
    item = serializers.CharField()
    n_labels = serializers.IntegerField(help_text="Number of raters whose label changed.")


class CategoryDifferencesSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    differences = serializers.DictField(child=DifferenceSerializer())


class PairChangeSerializer(serializers.Serializer[Any]):
    rater_a = serializers.CharField()
    rater_b = serializers.CharField()
    difference = DifferenceSerializer()


class PairChangesSerializer(serializers.Serializer[Any]):
    both = serializers.IntegerField()
    only_first = serializers.IntegerField()
    only_second = serializers.IntegerField()


class ComparedRatersSerializer(serializers.Serializer[Any]):
    """Raters included in overall and category differences: both reports use the rater types of the second."""

    kinds = serializers.ListField(child=serializers.CharField())
    first = IncludedRatersSerializer()
    second = IncludedRatersSerializer()


class ReportDifferencesSerializer(serializers.Serializer[Any]):
    """Differences are second report minus first report: `first` is the value of the second report."""

    question = serializers.CharField()
    questions = serializers.ListField(child=serializers.CharField(), help_text="Questions in both reports.")
    facts = ReportFactSerializer(many=True, help_text="Scope, options, and labels of both.")
    codebook = serializers.ListField(
        child=serializers.CharField(), help_text="Differences in categories and raters."
    )
    applied = AppliedOptionSerializer(
        many=True,
        help_text="The options of the second report that the first does not have. Both are computed with them, so that "
        "only labels make a difference; figures can differ from those of the first report itself.",
    )
    labels = LabelChangeCountsSerializer()
    changed_items = ChangedItemSerializer(
        many=True, help_text="Items with the most changed labels first; at most 100."
    )
    counted = ComparedRatersSerializer()
    differences = serializers.DictField(child=DifferenceSerializer())
    categories = CategoryDifferencesSerializer(
        many=True, help_text="Each category vs. the rest; empty for numbers."
    )
    pair_figure = serializers.CharField()
    n_pairs = PairChangesSerializer(allow_null=True, help_text="Null if there are too many.")
    pairs = PairChangeSerializer(many=True, help_text="Pairs with the largest changes first.")


class ReportComparison(WaitingView):
    parameters = {"get": ["first", "second", "question"]}

    @extend_schema(
        parameters=[
            OpenApiParameter("first", ID, required=True, description="ID of a finished report."),
            OpenApiParameter("second", ID, required=True, description="ID of another finished report."),
            OpenApiParameter(
                "question",
                str,
                description="Key of the question. Default: the first question in both reports.",
            ),
        ],
        responses={200: ReportDifferencesSerializer, 202: OnDemandProgressSerializer},
        operation_id="two_reports",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Compare two reports on one question, with tests of the differences.

        Returns 202 while the result is being computed, then 200 at the same URL. Each result is computed once.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        asked = {name: request.query_params.get(name, "") for name in ("first", "second", "question")}
        before, after = (chosen_report(request.user, project, asked[name]) for name in ("first", "second"))
        key, questions = chosen_pair(before, after, asked["question"])
        return Response(serialized_comparison(request.user, key, list(questions), *questions[key]))


def serialized_comparison(
    user: AnyUser, key: str, questions: list[str], before: StoredResult, after: StoredResult
) -> Json:
    found = report_differences(before.row, after.row, by=user)
    keys = {rater.id: rater.key for result in (before, after) for rater in result.raters}
    kinds = [str(kind) for kind in kinds_in(after.row)]
    answer = {
        "question": key,
        "questions": questions,
        "facts": [
            {"name": fact.name, "first": fact.first, "second": fact.second, "differs": fact.differs}
            for fact in facts_of(user, before, after)
        ],
        "codebook": codebook_differences(before, after),
        "applied": [asdict(option) for option in applied_options(before, after)],
        "labels": _by_place(found.labels),
        "changed_items": [
            {"item": each.key, "n_labels": each.n_labels}
            for each in changed_items(user, after.report.project, found.changed_items)
        ],
        "counted": {"kinds": kinds, **dict(zip(SIDES, counted_of_both(before, after), strict=True))},
        "differences": found.differences,
        "categories": [{"key": each.key, "differences": each.differences} for each in found.categories],
        "pair_figure": found.pair_figure,
        "n_pairs": found.n_pairs and _by_place(found.n_pairs),
        "pairs": [
            {
                "rater_a": keys[each.rater_a],
                "rater_b": keys[each.rater_b],
                "difference": each.difference,
            }
            for each in found.pairs
        ],
    }
    shown: Json = for_programs(to_json(answer))
    return shown


def _by_place(counts: LabelChangeCounts | PairChanges) -> dict[str, int]:
    """Return the counts with the names used in the API."""
    return {
        name.replace("before", "first").replace("after", "second"): n for name, n in asdict(counts).items()
    }
