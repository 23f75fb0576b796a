"""Serializers for checks of labels: confused categories, pairs to check, and coefficients at other prevalences."""

from typing import Any

from rest_framework import serializers

from reports.api.statistics_views import PrevalencePointSerializer


class ConfusedCategoriesSerializer(serializers.Serializer[Any]):
    a = serializers.IntegerField(help_text="Index of a category in the order of the categories.")
    b = serializers.IntegerField()
    n_pairs = serializers.IntegerField(help_text="Label pairs on the same item with categories a and b.")
    n_items = serializers.IntegerField()


class ConfusionsSerializer(serializers.Serializer[Any]):
    """Categories assigned to the same items by different raters, most frequent first."""

    n_pairs = serializers.IntegerField(required=False)
    n_differing = serializers.IntegerField(required=False)
    most = ConfusedCategoriesSerializer(many=True, required=False)
    reason = serializers.CharField(allow_null=True)


class IdenticalPairSerializer(serializers.Serializer[Any]):
    rater_a = serializers.CharField()
    rater_b = serializers.CharField()
    n_items = serializers.IntegerField()
    n_labels = serializers.ListField(
        child=serializers.IntegerField(), help_text="Number of labels of each of the two raters."
    )


class RelabeledKappaSerializer(serializers.Serializer[Any]):
    kappa = serializers.FloatField()
    categories = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="For each category of rater A, the index of the matching category of rater B.",
    )


class ShiftedKappaSerializer(serializers.Serializer[Any]):
    kappa = serializers.FloatField()
    by = serializers.IntegerField(help_text="Number of items by which rater B's labels are shifted down.")
    n_items = serializers.IntegerField()


class LowPairSerializer(serializers.Serializer[Any]):
    rater_a = serializers.CharField()
    rater_b = serializers.CharField()
    n_items = serializers.IntegerField()
    kappa = serializers.FloatField()
    relabelled = RelabeledKappaSerializer(allow_null=True)
    shifted = ShiftedKappaSerializer(allow_null=True)


class PairChecksSerializer(serializers.Serializer[Any]):
    """Pairs whose labels may be copied, swapped, or shifted."""

    n_identical = serializers.IntegerField()
    n_below = serializers.IntegerField(help_text="Pairs with agreement below chance.")
    identical = IdenticalPairSerializer(many=True)
    low = LowPairSerializer(many=True)


class PrevalenceCurveSerializer(serializers.Serializer[Any]):
    category = serializers.CharField(help_text="The most common category.")
    share = serializers.FloatField(help_text="Its share of both raters' labels.")
    points = PrevalencePointSerializer(many=True)
