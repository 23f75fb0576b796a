"""The workload of each rater under a plan, and the items that pairs share, as JSON."""

from typing import Any, TypedDict

from rest_framework import serializers

from raters.rounds.precision import CoverageTable


class CoverageRaterSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField()
    n_items = serializers.FloatField(
        help_text="For rounds on demand: items per rater if all work at the same pace."
    )
    n_done = serializers.IntegerField()
    n_repeats = serializers.IntegerField()


class CoveragePairSerializer(serializers.Serializer[Any]):
    a = serializers.CharField()
    b = serializers.CharField()
    n_shared = serializers.FloatField()
    half_width = serializers.FloatField(
        allow_null=True,
        help_text="Expected half-width of the 95% CI of κ; null if it would be uninformative.",
    )


class CoverageSerializer(serializers.Serializer[Any]):
    n_items = serializers.IntegerField()
    n_assignments = serializers.IntegerField()
    n_reference_items = serializers.IntegerField(allow_null=True)
    seed = serializers.IntegerField(help_text="The seed of this plan. Send it to plan the same.")
    raters = CoverageRaterSerializer(many=True)
    pairs = CoveragePairSerializer(many=True)


class CoveragePair(TypedDict):
    """Two raters, by name, and the expected half-width of the CI of their kappa."""

    a: str
    b: str
    n_shared: float
    half_width: float | None


class RaterWorkload(TypedDict):
    """n_items: on demand, the expectation if all raters work at the same pace."""

    rater: str
    n_items: float
    n_done: int
    n_repeats: int


class PlannedWorkload(TypedDict):
    """The workload of each rater under a plan, and the items shared by each pair."""

    n_items: int
    n_assignments: int
    n_reference_items: int | None
    seed: int
    raters: list[RaterWorkload]
    pairs: list[CoveragePair]


def serialized_coverage(
    coverage: CoverageTable, n_items: int, n_assignments: int, n_reference_items: int | None, seed: int
) -> PlannedWorkload:
    names = [row.name for row in coverage.rows]
    pairs: list[CoveragePair] = [
        {"a": names[a], "b": row.name, "n_shared": cell[0], "half_width": cell[1]}
        for b, row in enumerate(coverage.rows)
        for a, cell in enumerate(row.cells[:b])
        if cell is not None
    ]
    raters: list[RaterWorkload] = [
        {"rater": row.name, "n_items": row.work, "n_done": row.done, "n_repeats": row.repeats}
        for row in coverage.rows
    ]
    return {
        "n_items": n_items,
        "n_assignments": n_assignments,
        "n_reference_items": n_reference_items,
        "seed": seed,
        "raters": raters,
        "pairs": pairs,
    }
