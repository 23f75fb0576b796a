"""The statistics themselves over the API, without figures of any project."""

from django.forms import Form
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import View
from reports.plans.answer import STATISTICS, WEIGHTS
from reports.plans.form import DEFAULTS, PlanForm
from reports.plans.presentation import as_json as plan_as_json
from reports.published.checking import CheckVerdict, verified
from reports.published.text import as_json


def _default(name: str) -> str:
    return f"Default: {DEFAULTS[name]}." if name in DEFAULTS else ""


class PrevalencePointSerializer(serializers.Serializer[None]):
    prevalence = serializers.FloatField(help_text="Share of the first category.")
    percent_agreement = serializers.FloatField(allow_null=True)
    cohen_kappa = serializers.FloatField(allow_null=True)
    scott_pi = serializers.FloatField(allow_null=True)
    gwet_ac1 = serializers.FloatField(allow_null=True)
    brennan_prediger = serializers.FloatField(allow_null=True)


class CurveSerializer(serializers.Serializer[None]):
    sensitivity = serializers.FloatField(allow_null=True)
    specificity = serializers.FloatField(allow_null=True)
    points = PrevalencePointSerializer(many=True)


class ItemsNeededSerializer(serializers.Serializer[None]):
    n_items = serializers.IntegerField()
    se = serializers.FloatField(help_text="Monte Carlo error of n_items; 0 for formulas.")
    reached = serializers.FloatField(help_text="Expected half-width or power with n_items.")
    reached_se = serializers.FloatField()
    undefined = serializers.FloatField(help_text="Share of simulated studies without a CI.")
    method = serializers.CharField()


class PlanSerializer(serializers.Serializer[None]):
    statistic = serializers.CharField()
    weights = serializers.CharField()
    aim = serializers.CharField()
    n_raters = serializers.IntegerField()
    shares = serializers.ListField(child=serializers.FloatField())
    sets = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="The sets that the shares belong to, for alpha with MASI; otherwise empty.",
    )
    rater_share = serializers.FloatField(help_text="Share of the variance between raters; ICC(A,1) only.")
    shares_b = serializers.ListField(
        child=serializers.FloatField(), help_text="Values for rater B; empty if the same as for rater A."
    )
    value = serializers.FloatField()
    half_width = serializers.FloatField()
    null = serializers.FloatField()
    power = serializers.FloatField()
    n_sides = serializers.IntegerField()
    confidence = serializers.FloatField()
    sensitivity = serializers.FloatField(allow_null=True)
    specificity = serializers.FloatField(allow_null=True)
    confusion_a = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        help_text="Error rates of rater A, for the curve; empty if not given.",
    )
    confusion_b = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        help_text="Values for rater B; empty if the same as for rater A.",
    )
    seed = serializers.IntegerField()


PLAN_PARAMETERS = {
    "statistic": f"{', '.join(STATISTICS)}.",
    "weights": f"{', '.join(WEIGHTS)}.",
    "raters": "2 to 100.",
    "shares": "Category shares, separated by commas.",
    "sets": "Sets of categories, one for each share, for alpha with MASI: separated by commas, with a plus sign "
    "between categories and a hyphen for none.",
    "rater_share": "Share of the variance between raters; ICC(A,1) only.",
    "shares_b": "Category shares of rater B, if different; Cohen's kappa only.",
    "value": "Expected value of the coefficient.",
    "aim": "Goal: width or power.",
    "half_width": "For width: half-width of the CI.",
    "null": "For power: value that the CI should be above.",
    "power": "For power: share of studies in which it should be.",
    "sides": "For power: sides of the test of Cohen's kappa, 1 or 2.",
    "confidence": "Confidence level: 0.9, 0.95, or 0.99.",
    "sensitivity": "Sensitivity of the raters, for the curve; requires specificity.",
    "specificity": "Specificity of the raters, for the curve; requires sensitivity.",
    "confusion_a": "Error rates of rater A, for the curve: one row per true category, separated by semicolons, or one "
    "number, the accuracy in every category.",
    "confusion_b": "Error rates of rater B, if different.",
    "seed": "Seed of the simulation.",
}


class PlanItems(View):
    for_labeling = frozenset({"get"})
    parameters = {"get": list(PLAN_PARAMETERS)}

    @extend_schema(
        parameters=[
            OpenApiParameter(name, str, description=f"{text} {_default(name)}".strip())
            for name, text in PLAN_PARAMETERS.items()
        ],
        responses=inline_serializer(
            "PlannedItems",
            {
                "plan": PlanSerializer(),
                "items": ItemsNeededSerializer(many=True),
                "curve": CurveSerializer(allow_null=True),
            },
        ),
        operation_id="plan_items",
    )
    def get(self, request: Request) -> Response:
        """Compute the number of items a study needs, and coefficients by prevalence at fixed error rates."""
        form = PlanForm(request.query_params.dict())
        found = form.answer()
        if found is None:
            raise RefusedWithCode("invalid_parameter", "Invalid study design.", errors=errors_of(form))
        return Response(plan_as_json(found))


def errors_of(form: Form) -> list[dict[str, str]]:
    return [
        {"field": "" if name == "__all__" else name, "code": "invalid", "detail": str(message)}
        for name, messages in form.errors.items()
        for message in messages
    ]


class PublishedFigureSerializer(serializers.Serializer[None]):
    statistic = serializers.CharField()
    printed = serializers.CharField(help_text="Published value, with its digits.")
    printed_by = serializers.CharField(
        allow_null=True, help_text="Null if the original publication reports it."
    )
    computed = serializers.FloatField(allow_null=True)
    difference = serializers.FloatField(allow_null=True, help_text="computed − printed.")
    rounding = serializers.FloatField(help_text="Half a unit of the last published digit.")
    verdict = serializers.ChoiceField(choices=[(str(verdict), str(verdict)) for verdict in CheckVerdict])
    note = serializers.CharField(allow_null=True)


class PublishedExampleSerializer(serializers.Serializer[None]):
    name = serializers.CharField()
    title = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    table = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), allow_null=True
    )
    figures = PublishedFigureSerializer(many=True)


class Published(View):
    for_labeling = frozenset({"get"})
    permission_classes = (AllowAny,)

    @extend_schema(
        responses=inline_serializer(
            "PublishedExamples",
            {
                "n_figures": serializers.IntegerField(),
                "n_equal": serializers.IntegerField(),
                "n_explained": serializers.IntegerField(),
                "n_wrong": serializers.IntegerField(),
                "examples": PublishedExampleSerializer(many=True),
            },
        ),
        operation_id="published_examples",
    )
    def get(self, request: Request) -> Response:
        """Compare published examples with the values that this program computes. Requires no authentication."""
        return Response(as_json(verified()))
