"""Serializers for single figures, tests, and differences."""

from typing import Any

from rest_framework import serializers


def rows_of(child: serializers.Field[Any, Any, Any, Any], **limits: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.ListField(child=child, **limits), **limits)


class DataSizeSerializer(serializers.Serializer[Any]):
    n_items = serializers.IntegerField()
    n_raters = serializers.IntegerField()
    n_labels = serializers.IntegerField()


class EstimateSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    se = serializers.FloatField(allow_null=True)
    ci_low = serializers.FloatField(allow_null=True)
    ci_high = serializers.FloatField(allow_null=True)
    is_clipped = serializers.BooleanField(
        required=False,
        help_text="Whether a limit was truncated at the bound of the statistic's range.",
    )
    reason = serializers.CharField(allow_null=True)
    interval_method = serializers.CharField(required=False)


class FigureBasisSerializer(serializers.Serializer[Any]):
    n_items = serializers.IntegerField(required=False)
    n_raters = serializers.IntegerField(required=False)
    n_labels = serializers.IntegerField(required=False)
    left_out = DataSizeSerializer(required=False, help_text="Data excluded by the definition.")


class CoefficientSerializer(EstimateSerializer, FigureBasisSerializer):
    n = serializers.IntegerField(required=False, help_text="For categories: number of items or labels used.")
    method = serializers.CharField(required=False, help_text="Definition used.")
    n_replicates = serializers.IntegerField(required=False)
    n_undefined_replicates = serializers.IntegerField(required=False)
    n_pairs = serializers.IntegerField(
        required=False, help_text="Number of pairs, for means over pairs of raters."
    )
    n_undefined = serializers.IntegerField(
        required=False, help_text="Number of pairs without a defined value."
    )


class SignificanceTestSerializer(FigureBasisSerializer):
    statistic = serializers.FloatField(allow_null=True)
    df = serializers.FloatField(allow_null=True, help_text="Degrees of freedom; null for exact and z tests.")
    se = serializers.FloatField(
        required=False,
        allow_null=True,
        help_text="Standard error under the null hypothesis κ = 0, for two raters.",
    )
    p_value = serializers.FloatField(allow_null=True, help_text="Two-sided.")
    reason = serializers.CharField(allow_null=True)
    method = serializers.CharField()


def by_category_field(**options: Any) -> serializers.DictField:
    return serializers.DictField(
        child=CoefficientSerializer(many=True),
        help_text="For each statistic, its values in the order of the categories.",
        **options,
    )


class FiguresSerializer(serializers.Serializer[Any]):
    values = serializers.DictField(child=CoefficientSerializer())
    categories = by_category_field()


class TwoRatersSerializer(FiguresSerializer):
    tests = serializers.DictField(child=SignificanceTestSerializer())


class DifferenceSerializer(serializers.Serializer[Any]):
    """The first value minus the second."""

    value = serializers.FloatField(allow_null=True)
    first = serializers.FloatField(allow_null=True)
    second = serializers.FloatField(allow_null=True)
    se = serializers.FloatField(allow_null=True)
    ci_low = serializers.FloatField(allow_null=True)
    ci_high = serializers.FloatField(allow_null=True)
    statistic = serializers.FloatField(allow_null=True, help_text="t or z; null for the bootstrap.")
    df = serializers.IntegerField(allow_null=True, help_text="Degrees of freedom of t; null for z.")
    p_value = serializers.FloatField(allow_null=True, help_text="Two-sided test of no difference.")
    n_shared = serializers.IntegerField(help_text="Items that both values share; treated as paired.")
    n_first = serializers.IntegerField()
    n_second = serializers.IntegerField()
    method = serializers.CharField()
    reason = serializers.CharField(allow_null=True)
    n_replicates = serializers.IntegerField()
    n_undefined = serializers.IntegerField()


class ComparisonSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    differences = serializers.DictField(child=DifferenceSerializer())
