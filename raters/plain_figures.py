"""Plain figures in the API."""

from typing import Any, TypedDict

from rest_framework import serializers

from raters.reporting import PlainFigure


class PlainFigureSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    reason = serializers.CharField(help_text="Why the value or its CI is missing; empty if both exist.")


class SerializedPlainFigure(TypedDict):
    value: float | None
    low: float | None
    high: float | None
    reason: str


def serialized_figure(figure: PlainFigure) -> SerializedPlainFigure:
    return {"value": figure.value, "low": figure.low, "high": figure.high, "reason": figure.reason}
