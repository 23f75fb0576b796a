"""The statistics themselves over the API, with no figure of any project."""

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from projects.api.base import View
from reports.published.checking import Verdict, verified
from reports.published.text import as_json


class FigureShown(serializers.Serializer[None]):
    statistic = serializers.CharField()
    printed = serializers.CharField(help_text="As printed, with its digits.")
    printed_by = serializers.CharField(allow_null=True, help_text="null: the publication itself.")
    computed = serializers.FloatField(allow_null=True)
    difference = serializers.FloatField(allow_null=True, help_text="computed less printed.")
    rounding = serializers.FloatField(help_text="Half a unit of the last printed digit.")
    verdict = serializers.ChoiceField(choices=[(str(verdict), str(verdict)) for verdict in Verdict])
    note = serializers.CharField(allow_null=True)


class ExampleShown(serializers.Serializer[None]):
    name = serializers.CharField()
    title = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    table = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()), allow_null=True
    )
    figures = FigureShown(many=True)


class Published(View):
    permission_classes = (AllowAny,)

    @extend_schema(
        responses=inline_serializer(
            "PublishedExamples",
            {
                "n_figures": serializers.IntegerField(),
                "n_equal": serializers.IntegerField(),
                "n_explained": serializers.IntegerField(),
                "n_wrong": serializers.IntegerField(),
                "examples": ExampleShown(many=True),
            },
        ),
        operation_id="published_examples",
    )
    def get(self, request: Request) -> Response:
        """Published examples, what was printed and what this program computes; for everyone."""
        return Response(as_json(verified()))
