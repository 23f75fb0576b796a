"""Comparison of models with people, over the API."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.web.api import choice_parameter
from projects.access import project_to
from projects.roles import Permission
from reports.analysis.results import Json, ModelsAgainstPeople, for_programs, to_json
from reports.api.figure_serializers import CoefficientSerializer, DifferenceSerializer
from reports.api.report_views import result_of
from reports.api.waiting_views import OnDemandProgressSerializer, WaitingView
from reports.results.model_wording import DEFAULT, EPSILONS, methods_of, names_of, requested_model_options
from reports.store.models_against_people import LEAST
from reports.store.on_demand import model_comparison
from reports.store.stored_result import StoredResult


class AnnotatorTestResultSerializer(serializers.Serializer[Any]):
    n_items = serializers.IntegerField(help_text="Items of this person, the model, and another person.")
    own_score = serializers.FloatField(
        allow_null=True, help_text="Null, like the following fields, if there are too few items."
    )
    model_score = serializers.FloatField(allow_null=True)
    own_wins = serializers.FloatField(
        allow_null=True, help_text="Share of items on which the person is at least as close to the others."
    )
    model_wins = serializers.FloatField(allow_null=True)
    difference = serializers.FloatField(allow_null=True, help_text="own_wins − model_wins.")
    p_values = serializers.DictField(child=serializers.FloatField(), help_text="By ε.")


class PersonVersusModelSerializer(serializers.Serializer[Any]):
    person = serializers.CharField()
    test = AnnotatorTestResultSerializer()
    rejected = serializers.DictField(
        child=serializers.BooleanField(), help_text="By ε: whether the model can stand in for this person."
    )
    with_model = CoefficientSerializer(help_text="Agreement of the model with this person.")
    with_people = CoefficientSerializer(help_text="Mean agreement of this person with the other people.")
    less = CoefficientSerializer(help_text="with_model − with_people.")
    in_place = CoefficientSerializer(
        allow_null=True, help_text="Krippendorff’s alpha with the model in this person’s place."
    )
    in_place_less = DifferenceSerializer(allow_null=True, help_text="The same minus alpha of the people.")


class CategoryErrorsSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    n_people = serializers.IntegerField()
    n_model = serializers.IntegerField()
    n_both = serializers.IntegerField()
    found = CoefficientSerializer(help_text="Recall: n_both / n_people.")
    right = CoefficientSerializer(help_text="Precision: n_both / n_model.")


class AttributeValueErrorsSerializer(serializers.Serializer[Any]):
    value = serializers.CharField()
    n_items = serializers.IntegerField()
    n_different = serializers.IntegerField()
    figure = CoefficientSerializer()


class ErrorsByAttributeSerializer(serializers.Serializer[Any]):
    attribute = serializers.CharField()
    values = AttributeValueErrorsSerializer(many=True)
    n_left_out = serializers.IntegerField()


class ModelErrorsSerializer(serializers.Serializer[Any]):
    n_items = serializers.IntegerField(help_text="Items on which the people have a consensus.")
    n_tied = serializers.IntegerField()
    n_different = serializers.IntegerField()
    figure = CoefficientSerializer(
        help_text="Share of items with the same label; for numbers, the mean difference."
    )
    categories = CategoryErrorsSerializer(many=True, allow_null=True)
    attributes = ErrorsByAttributeSerializer(many=True)


class ModelStabilitySerializer(serializers.Serializer[Any]):
    n_items = serializers.IntegerField(help_text="Items that the model labeled more than once.")
    n_runs = serializers.IntegerField()
    n_same = serializers.IntegerField()
    share = CoefficientSerializer()
    alpha = CoefficientSerializer(help_text="Krippendorff’s alpha of the runs, as if each were a rater.")


class EstimatedShareSerializer(serializers.Serializer[Any]):
    key = serializers.CharField(allow_blank=True, help_text="Category key; empty for the mean of numbers.")
    model = serializers.FloatField(allow_null=True, help_text="From the model’s labels only.")
    people = CoefficientSerializer(help_text="From the people’s labels only.")
    estimate = CoefficientSerializer(help_text="From both, by prediction-powered inference (PPI++).")
    tuning = serializers.FloatField(allow_null=True, help_text="λ, from 0 to 1.")
    correlation = serializers.FloatField(allow_null=True)
    worth = serializers.FloatField(
        allow_null=True, help_text="How many of the people’s labels alone would give the same interval."
    )
    sd = serializers.FloatField(allow_null=True)


class CorrectedShareSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    n_true = serializers.IntegerField(help_text="Reference items of this category.")
    model = serializers.FloatField(help_text="From the model’s labels only.")
    corrected = CoefficientSerializer(help_text="By Rogan and Gladen’s estimator.")
    is_outside = serializers.BooleanField(
        help_text="Whether the error rates do not fit, so that the share was truncated at 0 or 1 and has no interval."
    )


class CorrectedSharesSerializer(serializers.Serializer[Any]):
    """Valid only if the reference items were chosen by their category, or at random."""

    reference = serializers.CharField()
    n_reference = serializers.IntegerField()
    n_others = serializers.IntegerField()
    rows = CorrectedShareSerializer(many=True)


class ModelPrevalenceSerializer(serializers.Serializer[Any]):
    sampled = serializers.CharField(allow_blank=True)
    refusal = serializers.CharField(allow_blank=True, help_text="Why nothing is estimated.")
    n_people_items = serializers.IntegerField()
    n_others = serializers.IntegerField()
    rows = EstimatedShareSerializer(many=True)
    n_left_out = serializers.IntegerField()
    by_class = CorrectedSharesSerializer(allow_null=True)


class ModelSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField()
    n_labels = serializers.IntegerField()
    n_items = serializers.IntegerField(help_text="Items that the model and at least two people labeled.")
    n_single = serializers.IntegerField(help_text="Items of the model that one person labeled.")
    n_people = serializers.IntegerField()
    n_person_labels = serializers.IntegerField()
    with_people = CoefficientSerializer()
    among_people = CoefficientSerializer()
    difference = CoefficientSerializer(
        help_text="with_people − among_people, with a paired bootstrap over items."
    )
    n_tested = serializers.IntegerField(help_text="People with enough items to be tested.")
    advantage = CoefficientSerializer(help_text="Average advantage probability, ρ.")
    winning = serializers.DictField(child=serializers.FloatField(), help_text="Winning rate, ω, by ε.")
    smallest = serializers.FloatField(allow_null=True, help_text="Smallest ε at which the model passes.")
    alpha = CoefficientSerializer(help_text="Krippendorff’s alpha of the people.")
    people = PersonVersusModelSerializer(many=True)
    consensus = ModelErrorsSerializer(help_text="The model against the consensus of the people.")
    stability = ModelStabilitySerializer()
    prevalence = ModelPrevalenceSerializer()
    methods = serializers.ListField(child=serializers.CharField(), help_text="Paragraphs for a paper.")


class ModelPairComparisonSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    n_items = serializers.IntegerField()
    agreement = CoefficientSerializer(help_text="Mean agreement with people, first − second.")
    advantage = CoefficientSerializer(help_text="ρ, first − second.")


class ModelsAgainstPeopleSerializer(serializers.Serializer[Any]):
    pair_figure = serializers.CharField(help_text="The statistic that two raters are compared by.")
    least = serializers.IntegerField()
    n_replicates = serializers.IntegerField()
    models = ModelSerializer(many=True)
    comparisons = ModelPairComparisonSerializer(many=True)
    n_left_out = serializers.IntegerField(help_text="Models that are not compared with each other.")


class ModelsDetail(WaitingView):
    parameters = {"get": ["epsilon", "least"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "epsilon", str, enum=list(EPSILONS), description="Used only in `methods`. Default: 0.15."
            ),
            OpenApiParameter(
                "least",
                str,
                enum=[str(n) for n in LEAST],
                description="Minimum number of items for a person to be tested. Default: 30.",
            ),
        ],
        responses={200: ModelsAgainstPeopleSerializer, 202: OnDemandProgressSerializer},
        operation_id="report_models",
    )
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """Compare each model with the people: the alternative-annotator test, agreement, errors, and stability.

        Returns 202 while the result is being computed, then 200 at the same URL. Each result is computed once.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        epsilon = choice_parameter(request, "epsilon", list(EPSILONS), default=DEFAULT)
        least = choice_parameter(request, "least", [str(n) for n in LEAST], default=str(LEAST[0]))
        found = model_comparison(result.row, requested_model_options(least), by=request.user)
        return Response(serialized_model_comparison(result, found, epsilon))


def serialized_model_comparison(result: StoredResult, found: ModelsAgainstPeople, epsilon: str) -> Json:
    """Return the response, with keys instead of IDs."""
    names, answer = names_of(result), to_json(found)
    for model, row in zip(found.models, answer["models"], strict=True):
        row["rater"] = names[model.rater]
        row["methods"] = methods_of(result, found, model, row["rater"], epsilon)
        if by_class := row["prevalence"]["by_class"]:
            by_class["reference"] = names[by_class["reference"]]
        for person in row["people"]:
            person["person"] = names[person["person"]]
    for each in answer["comparisons"]:
        each["first"], each["second"] = names[each["first"]], names[each["second"]]
    programs: Json = for_programs(answer)
    return programs
