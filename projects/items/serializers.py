"""Items in the API."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.keys import MAX_KEY
from core.web.strict import StrictCharField, StrictChoiceField, StrictLineField, StrictSerializer
from projects.attributes import check_attributes
from projects.media.names import MEDIA
from projects.models import MAX_TEXT, Item

MOST_FIELDS = 200


class ContentFieldSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    kind = serializers.CharField()
    value = serializers.CharField()


@extend_schema_field(ContentFieldSerializer(many=True))
class ItemContentField(serializers.JSONField):
    pass


@extend_schema_field({"type": "object", "additionalProperties": {}})
class AttributesField(serializers.JSONField):
    pass


class ItemSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    content = ItemContentField()
    attributes = AttributesField(
        help_text="Attributes for comparing agreement: names, each with a text, number, or boolean."
    )
    withdrawn_at = serializers.DateTimeField(
        allow_null=True, help_text="When the item was withdrawn from labeling; null if it was not."
    )


class NewContentField(StrictSerializer):
    """A field that raters see. alt: describes an image, audio, or video for those who cannot see or hear it."""

    name = StrictLineField(max_length=MAX_KEY)
    kind = StrictChoiceField(choices=Item.Field.choices, required=False)
    value = StrictCharField(max_length=MAX_TEXT, allow_blank=True)
    alt = StrictCharField(max_length=MAX_TEXT, required=False, allow_blank=True)

    def validate(self, attrs: Any) -> Any:
        kind = attrs.get("kind", Item.Field.TEXT)
        if "alt" in attrs and kind not in MEDIA:
            raise serializers.ValidationError({"alt": "Only images, audio, and video have a description."})
        return {"name": attrs["name"], "kind": kind, "value": attrs["value"]} | (
            {"alt": attrs["alt"]} if attrs.get("alt") else {}
        )


class AttributesInputField(AttributesField):
    def to_internal_value(self, data: Any) -> Any:
        try:
            check_attributes(data)
        except ValueError as error:
            raise serializers.ValidationError(f"{error}.", "invalid_attributes") from None
        return data


class NewItem(StrictSerializer):
    key = StrictLineField(max_length=MAX_KEY)
    content = serializers.ListField(child=NewContentField(), required=False, max_length=MOST_FIELDS)
    attributes = AttributesInputField(required=False)


class SavedItemSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()


class SavedItemsSerializer(serializers.Serializer[Any]):
    n_created = serializers.IntegerField()
    n_changed = serializers.IntegerField()
    n_unchanged = serializers.IntegerField()
    items = SavedItemSerializer(many=True, help_text="In the order in which they were sent.")
