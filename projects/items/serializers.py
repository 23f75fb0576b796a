"""What items look like in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers


class ContentField(serializers.Serializer[Any]):
    name = serializers.CharField()
    kind = serializers.CharField()
    value = serializers.CharField()


@extend_schema_field(ContentField(many=True))
class Content(serializers.JSONField):
    pass


class ItemShown(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    content = Content()
    withdrawn_at = serializers.DateTimeField(
        allow_null=True, help_text="When the item was withdrawn from labeling; null if it was not."
    )
