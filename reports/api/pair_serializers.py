"""Serializers for pairs of raters."""

from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from reports.agreement.pairs.prevalence import of_commonest
from reports.analysis.pairs import sizes_of_pair, with_basis
from reports.analysis.results import Json, for_programs, pair_figures_of, to_json
from reports.api.check_serializers import PrevalenceCurveSerializer
from reports.api.figure_serializers import TwoRatersSerializer, rows_of
from reports.api.question_serializers import (
    RaterVersusReferenceSerializer,
    readings_field,
    serialized_interpretations,
)
from reports.api.report_serializers import category_keys
from reports.models import PairAgreement, Report
from reports.results.confusion import table_of
from reports.results.pair_statistics import statistics_of_pair
from reports.store.agreements import scope_of
from reports.store.pair_counts import kappas_of
from reports.store.stored_result import StoredResult


class ReportRaterSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    kind = serializers.CharField()
    n_labels = serializers.IntegerField()


class MatrixSerializer(serializers.Serializer[Any]):
    weights = serializers.ChoiceField(choices=Report.Weights.choices)
    raters = ReportRaterSerializer(many=True)
    kappa = rows_of(serializers.FloatField(allow_null=True), allow_null=True)
    n = rows_of(serializers.IntegerField())
    reasons = rows_of(serializers.CharField(allow_null=True))
    figures = serializers.DictField(
        child=rows_of(serializers.FloatField(allow_null=True)),
        allow_null=True,
        help_text="For numbers and sets, instead of kappa: a matrix for each statistic of a pair; a bias is the row's "
        "rater minus the column's rater.",
    )


class PairSerializer(serializers.Serializer[Any]):
    rater_a = serializers.CharField()
    rater_a_id = serializers.IntegerField()
    rater_b = serializers.CharField()
    rater_b_id = serializers.IntegerField()
    categories = serializers.ListField(child=serializers.CharField())
    counts = rows_of(serializers.IntegerField())
    weights = serializers.ChoiceField(choices=Report.Weights.choices)
    n = serializers.IntegerField()
    observed = serializers.FloatField(allow_null=True)
    expected = serializers.FloatField(allow_null=True)
    kappa = serializers.FloatField(allow_null=True)
    se = serializers.FloatField(allow_null=True)
    ci_low = serializers.FloatField(allow_null=True)
    ci_high = serializers.FloatField(allow_null=True)
    is_clipped = serializers.BooleanField(help_text="Whether a limit was truncated at -1 or 1.")
    kappa_max = serializers.FloatField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    figures = serializers.DictField(
        allow_null=True, help_text="For numbers and sets, instead of all of these."
    )


class PairStatisticsSerializer(TwoRatersSerializer):
    reference = RaterVersusReferenceSerializer(
        many=True, help_text="Each of the two raters as the reference."
    )


class PairDetailSerializer(PairSerializer):
    statistics = PairStatisticsSerializer(allow_null=True)
    at_other_prevalence = PrevalenceCurveSerializer(
        allow_null=True,
        help_text="Coefficients if the most common category were rarer or more common, with the same disagreements; "
        "null if its share cannot vary.",
    )
    readings = readings_field()


FIGURES = ["n", "observed", "expected", "kappa", "se", "ci_low", "ci_high", "is_clipped", "kappa_max"]


def serialized_pair(pair: PairAgreement, weights: str) -> Json:
    """Return a pair with its confusion matrix, rows for rater_a, and its figures with these weights."""
    keys = category_keys(pair.agreement)
    # Numbers have no categories and no counts.
    size = max(1, len(keys))
    return {
        "rater_a": pair.rater_a.key,
        "rater_a_id": pair.rater_a_id,
        "rater_b": pair.rater_b.key,
        "rater_b_id": pair.rater_b_id,
        "categories": keys,
        "counts": [pair.counts[start : start + size] for start in range(0, len(pair.counts), size)],
        "weights": weights,
        **figures_of(pair, weights),
        "figures": measured_figures(pair),
    }


def measured_figures(pair: PairAgreement) -> Json | None:
    """Return the stored figures of numbers or sets, each with the size of its data; None for other kinds."""
    if not pair.figures:
        return None
    n_labels = {rater["id"]: rater["n_labels"] for rater in pair.agreement.raters}
    sizes = sizes_of_pair(pair.n, n_labels[pair.rater_a_id] + n_labels[pair.rater_b_id])
    found: Json = for_programs(to_json(with_basis(pair_figures_of(pair.figures), sizes)))
    return found


def serialized_pair_detail(result: StoredResult, pair: PairAgreement, weights: str, scale: str) -> Json:
    """Return the pair with all its statistics and their readings on a scale."""
    found = statistics_of_pair(result, pair, weights) if pair.counts else None
    curve = of_commonest(table_of(pair)) if pair.counts else None
    return serialized_pair(pair, weights) | {
        "statistics": found and for_programs(to_json(found)),
        "at_other_prevalence": None if curve is None else curve.flat(category_keys(pair.agreement)),
        "readings": serialized_interpretations(pair.agreement, found.values if found else {}, scale),
    }


def figures_of(pair: PairAgreement, weights: str) -> Json:
    if weights == scope_of(pair.agreement).weights or not pair.counts:
        stored = {name: getattr(pair, name) for name in FIGURES}
        return stored | {"reason": pair.reason or None}
    kappa = kappas_of(pair.agreement, [pair.counts], weights).pair(0)
    return asdict(kappa) | {"is_clipped": kappa.is_clipped, "reason": str(kappa.reason) or None}
