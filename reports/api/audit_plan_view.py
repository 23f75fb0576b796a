"""How many labels an audit takes, over the API."""

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core.refusals import RefusedWithCode
from core.web.api import View
from reports.api.statistics_views import errors_of
from reports.plans.audit_form import AUDIT_DEFAULTS, AuditPlanForm
from reports.plans.audit_plan_tables import as_json

AUDIT_PARAMETERS = {
    "aim": "Goal: estimate or decide.",
    "size": "Total number of labels; omit if it is much larger than the sample.",
    "share": "For estimate: expected error rate.",
    "margin": "For estimate: half-width of the CI.",
    "confidence": "For estimate: confidence level: 0.9, 0.95, or 0.99.",
    "sampling": "For decide: single, double, or sequential.",
    "acceptable": "For decide: acceptable error rate (AQL).",
    "rejectable": "For decide: rejectable error rate (LTPD).",
    "producer": "For decide: highest probability of rejecting labels at the acceptable rate.",
    "consumer": "For decide: highest probability of accepting labels at the rejectable rate.",
}


def _described(name: str, text: str) -> str:
    return f"{text} Default: {AUDIT_DEFAULTS[name]}." if name in AUDIT_DEFAULTS else text


class AuditPlanSerializer(serializers.Serializer[None]):
    aim = serializers.CharField()
    size = serializers.IntegerField(allow_null=True)
    share = serializers.FloatField()
    margin = serializers.FloatField()
    confidence = serializers.FloatField()
    sampling = serializers.CharField()
    acceptable = serializers.FloatField()
    rejectable = serializers.FloatField()
    producer = serializers.FloatField()
    consumer = serializers.FloatField()


class ExpectedShareSerializer(serializers.Serializer[None]):
    value = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class InspectionPointSerializer(serializers.Serializer[None]):
    n = serializers.IntegerField(help_text="Total labels audited.")
    accept = serializers.IntegerField(
        allow_null=True,
        help_text="Accept with at most this many wrong labels; null if it is too early to accept.",
    )
    reject = serializers.IntegerField(help_text="Reject with at least this many wrong labels.")


class AcceptanceProbabilitySerializer(serializers.Serializer[None]):
    rate = serializers.FloatField()
    acceptance = serializers.FloatField(help_text="Probability of acceptance.")
    sample_number = serializers.FloatField(help_text="Average number of labels audited.")


class PlanAudit(View):
    for_labeling = frozenset({"get"})
    parameters = {"get": list(AUDIT_PARAMETERS)}

    @extend_schema(
        parameters=[
            OpenApiParameter(name, str, description=_described(name, text))
            for name, text in AUDIT_PARAMETERS.items()
        ],
        responses=inline_serializer(
            "PlannedAudit",
            {
                "plan": AuditPlanSerializer(),
                "n_labels": serializers.IntegerField(help_text="Labels to audit, at most."),
                "expected": ExpectedShareSerializer(
                    allow_null=True, help_text="For estimate: the CI if the error rate is as expected."
                ),
                "looks": InspectionPointSerializer(
                    many=True, help_text="For decide: when to accept, reject, or continue."
                ),
                "curve": AcceptanceProbabilitySerializer(
                    many=True, help_text="For decide: the operating characteristic."
                ),
            },
        ),
        operation_id="plan_audit",
    )
    def get(self, request: Request) -> Response:
        """Compute how many labels to audit, either to estimate an error rate or to accept or reject the labels."""
        form = AuditPlanForm(request.query_params.dict())
        found = form.answer()
        if found is None:
            raise RefusedWithCode("invalid_parameter", "Invalid audit plan.", errors=errors_of(form))
        return Response(as_json(found))
