"""The effect of an import, an adjudication, or another part of the history on agreement, over the API."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.numbers import whole_number
from core.refusals import RefusedWithCode
from core.web.api import choice_parameter, whole_schema
from projects.access import project_to
from projects.roles import Permission
from raters.models import LabelImport
from raters.spans import span_of_import
from reports.analysis.results import Json, for_programs, to_json
from reports.api.figure_serializers import CoefficientSerializer, DataSizeSerializer, DifferenceSerializer
from reports.api.report_views import result_of
from reports.api.waiting_views import OnDemandProgressSerializer, WaitingView
from reports.results.kinds import coefficient_of_parts
from reports.store.effect import EffectRefused, EffectRequest, coefficients_of_effect
from reports.store.on_demand import change_effect
from reports.store.stored_result import StoredResult

MAX_POSITION = 2**62


class EffectSideSerializer(DataSizeSerializer):
    figure = CoefficientSerializer(allow_null=True, help_text="Null if no item has two labels.")


class HistoryPartSerializer(serializers.Serializer[Any]):
    """Positions in the project's history."""

    after = serializers.IntegerField(help_text="This entry is not included.")
    up_to = serializers.IntegerField(help_text="This entry is included.")


class ChangeEffectSerializer(serializers.Serializer[Any]):
    """Agreement before and after a part of the project's history."""

    history = HistoryPartSerializer()
    coefficient = serializers.CharField()
    round = serializers.CharField(
        allow_null=True, help_text="The round of all changes; null for all labels of the report’s rounds."
    )
    n_changed = serializers.IntegerField(help_text="Changes to raters’ labels for this question.")
    before = EffectSideSerializer()
    after = EffectSideSerializer()
    difference = DifferenceSerializer(
        allow_null=True, help_text="After minus before: `first` is after. Null without either figure."
    )


class EffectDetail(WaitingView):
    parameters = {"get": ["after", "up_to", "import", "coefficient"]}

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "after",
                whole_schema(0, MAX_POSITION),
                description="Position before the first entry of the part.",
            ),
            OpenApiParameter(
                "up_to", whole_schema(1, MAX_POSITION), description="Position of its last entry."
            ),
            OpenApiParameter(
                "import",
                whole_schema(1, MAX_POSITION),
                description="ID of an import of labels, in place of `after` and `up_to`.",
            ),
            OpenApiParameter(
                "coefficient", str, description="Default: the project's main coefficient for the question."
            ),
        ],
        responses={200: ChangeEffectSerializer, 202: OnDemandProgressSerializer},
        operation_id="report_effect",
    )
    def get(self, request: Request, slug: str, pk: int, key: str) -> Response:
        """Get the effect of a part of the history, such as an import, on agreement on a question.

        The report determines how agreement is computed and whose labels count; the labels before and after come
        from the history. Returns 202 while the result is being computed, then 200 at the same URL. Each result
        is computed once.
        """
        project = project_to(request.user, slug, Permission.SEE_LABELS)
        result = result_of(project, pk, key)
        if result.reason:
            raise EffectRefused("The report has no results for this question.")
        after, up_to = _part_of(request, result)
        names = coefficients_of_effect(result.row)
        coefficient = choice_parameter(
            request, "coefficient", names, default=coefficient_of_parts(result.row)
        )
        asked = EffectRequest(after, up_to, coefficient)
        found = to_json(change_effect(result.row, asked, by=request.user))
        shown: Json = for_programs(
            found | {"round": found["round"] or None, "history": {"after": after, "up_to": up_to}}
        )
        return Response(shown)


def _part_of(request: Request, result: StoredResult) -> tuple[int, int]:
    given = {
        name: request.query_params[name]
        for name in ("after", "up_to", "import")
        if name in request.query_params
    }
    if given.keys() == {"import"}:
        number = whole_number(given["import"], least=1, most=MAX_POSITION)
        if number is None:
            raise RefusedWithCode(
                "invalid_parameter", f"import must be the ID of an import, got {given['import']!r}."
            )
        span = span_of_import(get_object_or_404(LabelImport, project=result.report.project, pk=number))
        if span is None:
            raise EffectRefused("This import changed no labels, or did not record which ones.")
        return span.after, span.up_to
    if given.keys() != {"after", "up_to"}:
        raise RefusedWithCode("invalid_parameter", "Send after and up_to, or import.")
    after, up_to = (whole_number(given[name], least=0, most=MAX_POSITION) for name in ("after", "up_to"))
    if after is None or up_to is None:
        raise RefusedWithCode("invalid_parameter", "after and up_to must be positions in the history.")
    return after, up_to
