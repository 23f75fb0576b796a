"""What the API shows of how labels came about: categories that are confused, pairs to check, other prevalences."""

from typing import Any

from rest_framework import serializers

from reports.api.statistics import PointShown


class ConfusedShown(serializers.Serializer[Any]):
    a = serializers.IntegerField(help_text="Place of a category among the declared ones.")
    b = serializers.IntegerField()
    n_pairs = serializers.IntegerField(help_text="Pairs of labels of one item that are a and b.")
    n_items = serializers.IntegerField()


class ConfusionsShown(serializers.Serializer[Any]):
    """Categories given to the same items, most often first."""

    n_pairs = serializers.IntegerField(required=False)
    n_differing = serializers.IntegerField(required=False)
    most = ConfusedShown(many=True, required=False)
    reason = serializers.CharField(allow_null=True)


class IdenticalShown(serializers.Serializer[Any]):
    rater_a = serializers.CharField()
    rater_b = serializers.CharField()
    n_items = serializers.IntegerField()
    n_labels = serializers.ListField(
        child=serializers.IntegerField(), help_text="All labels of each of the two."
    )


class RelabelledShown(serializers.Serializer[Any]):
    kappa = serializers.FloatField()
    categories = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="For each category of rater A the one of rater B, by their places.",
    )


class ShiftedShown(serializers.Serializer[Any]):
    kappa = serializers.FloatField()
    by = serializers.IntegerField(help_text="How many items further down rater B's labels stand.")
    n_items = serializers.IntegerField()


class LowShown(serializers.Serializer[Any]):
    rater_a = serializers.CharField()
    rater_b = serializers.CharField()
    n_items = serializers.IntegerField()
    kappa = serializers.FloatField()
    relabelled = RelabelledShown(allow_null=True)
    shifted = ShiftedShown(allow_null=True)


class ChecksShown(serializers.Serializer[Any]):
    """Pairs whose labels may be copied, swapped or shifted."""

    n_identical = serializers.IntegerField()
    n_below = serializers.IntegerField(help_text="Pairs below chance.")
    identical = IdenticalShown(many=True)
    low = LowShown(many=True)


class OtherPrevalenceShown(serializers.Serializer[Any]):
    category = serializers.CharField(help_text="The commonest one.")
    share = serializers.FloatField(help_text="Of the labels of both.")
    points = PointShown(many=True)
