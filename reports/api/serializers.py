"""What reports look like in the API."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from core.keys import MAX_KEY
from core.web.strict import Choice, Number, Strict, Text, Whole
from reports.agreement.pairs.prevalence import of_commonest
from reports.agreement.reading.scales import SCALES
from reports.analysis.options import (
    MAX_CONFIDENCE,
    MAX_MATRIX,
    MAX_REPLICATES,
    MAX_SEED,
    MAX_SMOOTHING,
    MIN_CONFIDENCE,
    MIN_REPLICATES,
    Options,
    RaterKind,
)
from reports.analysis.pairs import basis_of_pair, with_basis
from reports.analysis.results import for_programs
from reports.api.check_serializers import ChecksShown, ConfusionsShown, OtherPrevalenceShown
from reports.models import PairAgreement, QuestionAgreement, Report
from reports.results.against_reference import against_reference, reference_of
from reports.results.confusion import table_of
from reports.results.kinds import result_kind
from reports.results.pair_statistics import statistics_of_pair
from reports.results.scale_readings import readings_of, scale_of
from reports.store.counted import counted_as_json, words_of_coefficients
from reports.store.pair_counts import kappas_of
from reports.store.stored_result import StoredResult

MAX_KEYS = 1000
KINDS = [str(kind) for kind in RaterKind]


def rows_of(child: serializers.Field[Any, Any, Any, Any], **limits: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.ListField(child=child, **limits), **limits)


def keys_field() -> serializers.ListField:
    return serializers.ListField(
        child=Text(max_length=MAX_KEY),
        required=False,
        allow_null=True,
        allow_empty=False,
        max_length=MAX_KEYS,
    )


class NewReport(Strict):
    questions = keys_field()
    rounds = keys_field()
    weights = Choice(choices=Report.Weights.choices, required=False)
    matrices = serializers.DictField(
        child=rows_of(Number(), max_length=MAX_MATRIX),
        required=False,
        help_text="Custom weights: for each question, the matrix of agreement credited to each pair of its categories, "
        "in order.",
    )
    interval = Choice(choices=Report.Interval.choices, required=False)
    replicates = Whole(
        min_value=MIN_REPLICATES, max_value=MAX_REPLICATES, required=False, help_text="For the bootstrap."
    )
    seed = Whole(min_value=0, max_value=MAX_SEED, required=False, help_text="For the bootstrap.")
    confidence = Number(min_value=MIN_CONFIDENCE, max_value=MAX_CONFIDENCE, required=False)
    reference = Text(max_length=MAX_KEY, required=False, help_text="Key of the reference rater.")
    counted = serializers.ListField(
        child=Choice(choices=KINDS),
        required=False,
        allow_empty=False,
        max_length=len(KINDS),
        help_text="Rater types included in overall coefficients. Default: human and model. Pairs always include all "
        "raters.",
    )
    smoothing = Number(
        min_value=0,
        max_value=MAX_SMOOTHING,
        required=False,
        help_text="Added to each count in the Dawid–Skene estimates, so that few labels do not give a rate of 0 or 1.",
    )


class SizeShown(serializers.Serializer[Any]):
    n_items = serializers.IntegerField()
    n_raters = serializers.IntegerField()
    n_labels = serializers.IntegerField()


class EstimateShown(serializers.Serializer[Any]):
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


class CoefficientShown(EstimateShown):
    n_items = serializers.IntegerField(required=False)
    n_raters = serializers.IntegerField(required=False)
    n_labels = serializers.IntegerField(required=False)
    left_out = SizeShown(required=False, help_text="Data excluded by the definition.")
    method = serializers.CharField(required=False, help_text="Definition used.")
    n_replicates = serializers.IntegerField(required=False)
    n_undefined_replicates = serializers.IntegerField(required=False)
    n_pairs = serializers.IntegerField(
        required=False, help_text="Number of pairs, for means over pairs of raters."
    )
    n_undefined = serializers.IntegerField(
        required=False, help_text="Number of pairs without a defined value."
    )


class BasisShown(serializers.Serializer[Any]):
    n_items = serializers.IntegerField(required=False)
    n_raters = serializers.IntegerField(required=False)
    n_labels = serializers.IntegerField(required=False)
    left_out = SizeShown(required=False, help_text="Data excluded by the definition.")


class CategoryEstimateShown(EstimateShown, BasisShown):
    n = serializers.IntegerField(required=False, help_text="Number of items or labels used.")


class TestShown(BasisShown):
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
        child=CategoryEstimateShown(many=True),
        help_text="For each statistic, its values in the order of the categories.",
        **options,
    )


class AgainstShown(serializers.Serializer[Any]):
    """A rater compared with the reference."""

    rater = serializers.CharField()
    reference = serializers.CharField()
    values = serializers.DictField(child=CoefficientShown())
    categories = by_category_field(allow_null=True)


class PairStatisticsShown(serializers.Serializer[Any]):
    values = serializers.DictField(child=CoefficientShown())
    categories = by_category_field()
    tests = serializers.DictField(child=TestShown())
    reference = AgainstShown(many=True, help_text="Each of the two raters as the reference.")


class MajorityShown(SizeShown):
    n_decided = serializers.IntegerField()
    n_tied = serializers.IntegerField()
    items = serializers.ListField(child=serializers.IntegerField())
    reason = serializers.CharField(allow_null=True)


class RaterErrorsShown(serializers.Serializer[Any]):
    rater = serializers.CharField()
    share_right = serializers.FloatField(allow_null=True)
    confusion = rows_of(serializers.FloatField(allow_null=True), allow_null=True)


class DawidSkeneShown(serializers.Serializer[Any]):
    """The Dawid–Skene estimate, or only the reason why there is none."""

    n_items = serializers.IntegerField(required=False)
    n_raters = serializers.IntegerField(required=False)
    n_labels = serializers.IntegerField(required=False)
    prevalence = serializers.ListField(child=serializers.FloatField(), required=False)
    items = serializers.ListField(child=serializers.IntegerField(), required=False)
    n_unlike_majority = serializers.IntegerField(required=False)
    log_likelihood = serializers.FloatField(required=False)
    n_iterations = serializers.IntegerField(required=False)
    has_converged = serializers.BooleanField(required=False)
    smoothing = serializers.FloatField(required=False, help_text="Value added to each count.")
    raters = RaterErrorsShown(many=True, required=False)
    reason = serializers.CharField(allow_null=True)


class ConsensusShown(serializers.Serializer[Any]):
    majority_vote = MajorityShown()
    dawid_skene = DawidSkeneShown()


class ReferenceShown(serializers.Serializer[Any]):
    reference = serializers.CharField(allow_null=True)
    raters = AgainstShown(many=True)
    reason = serializers.CharField(allow_null=True)


class StatisticsShown(serializers.Serializer[Any]):
    """Statistics by family; families that were not computed are absent."""

    categories = by_category_field(required=False)
    tests = serializers.DictField(child=TestShown(), required=False)
    category_tests = serializers.DictField(
        child=TestShown(many=True),
        required=False,
        help_text="For each test of one category vs. the rest, in the order of the categories.",
    )
    consensus = ConsensusShown(required=False)
    reference = ReferenceShown(required=False)
    checks = ChecksShown(required=False)
    confusions = ConfusionsShown(required=False)
    distributions = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        required=False,
        help_text="Number of labels of each rater by category.",
    )


class ProbabilisticShown(serializers.Serializer[Any]):
    word = serializers.CharField(allow_null=True)
    certainty = serializers.FloatField()
    cumulative = serializers.DictField(
        child=serializers.FloatField(), help_text="Cumulative probability by class, best first."
    )
    reason = serializers.CharField(allow_null=True)


class ReadingShown(serializers.Serializer[Any]):
    """Interpretation of a coefficient on a scale."""

    scale = serializers.CharField()
    title = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    judged = serializers.CharField(help_text="What the scale interprets: value, interval, or lower_limit.")
    word = serializers.CharField()
    low_word = serializers.CharField(allow_null=True)
    high_word = serializers.CharField(allow_null=True)
    judged_word = serializers.CharField(allow_null=True)
    probabilistic = ProbabilisticShown(
        help_text="Gwet's benchmarking: the best class that is certain enough."
    )


def readings_field() -> serializers.DictField:
    return serializers.DictField(
        child=ReadingShown(),
        help_text="Interpretations of the coefficients that the scale applies to; empty if the project uses no scale.",
    )


class CountedShown(serializers.Serializer[Any]):
    """Raters included in overall coefficients, and the size of their data."""

    words = serializers.CharField(help_text='Such as "3 raters, excluding the reference".')
    n_raters = serializers.IntegerField()
    n_items = serializers.IntegerField()
    n_labels = serializers.IntegerField()
    n_abstentions = serializers.IntegerField()
    left_out = serializers.ListField(
        child=serializers.CharField(), help_text="Raters with labels who are excluded."
    )


class QuestionStatisticsShown(serializers.Serializer[Any]):
    key = serializers.CharField()
    kind = serializers.CharField()
    level = serializers.CharField()
    categories = serializers.ListField(child=serializers.CharField())
    counted = CountedShown()
    coefficients = serializers.DictField(child=CoefficientShown())
    statistics = StatisticsShown()
    readings = readings_field()
    reason = serializers.CharField(allow_null=True)


class QuestionAgreementShown(serializers.Serializer[Any]):
    key = serializers.CharField()
    categories = serializers.ListField(child=serializers.CharField())
    n_items = serializers.IntegerField()
    n_raters = serializers.IntegerField()
    n_labels = serializers.IntegerField()
    n_abstentions = serializers.IntegerField()
    n_pairs = serializers.IntegerField()
    counted = serializers.CharField(
        help_text='Raters included in overall coefficients, such as "3 raters, excluding the reference".'
    )
    digest = serializers.CharField()
    coefficients = serializers.DictField(child=CoefficientShown())
    reason = serializers.CharField(allow_null=True)


class OptionsShown(serializers.Serializer[Any]):
    weights = serializers.ChoiceField(choices=Report.Weights.choices)
    matrices = serializers.DictField(child=rows_of(serializers.FloatField()))
    interval = serializers.ChoiceField(choices=Report.Interval.choices)
    replicates = serializers.IntegerField(allow_null=True)
    seed = serializers.IntegerField(allow_null=True)
    confidence = serializers.FloatField()
    reference = serializers.CharField(allow_null=True)
    smoothing = serializers.FloatField()
    counted = serializers.ListField(child=serializers.ChoiceField(choices=KINDS))


class ReportShown(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    state = serializers.ChoiceField(choices=Report.State.choices)
    stage = serializers.CharField()
    share_done = serializers.FloatField()
    failure = serializers.CharField(allow_null=True)
    questions = serializers.ListField(child=serializers.CharField())
    rounds = serializers.ListField(child=serializers.CharField(), allow_null=True)
    weights = serializers.ChoiceField(choices=Report.Weights.choices)
    options = OptionsShown()
    asked_by = serializers.CharField(allow_null=True)
    asked_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    digest = serializers.CharField(allow_null=True)
    code_version = serializers.CharField(allow_null=True)
    results = QuestionAgreementShown(many=True)


class DifferenceShown(serializers.Serializer[Any]):
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


class ComparisonShown(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    differences = serializers.DictField(child=DifferenceShown())


class RaterOfReport(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    key = serializers.CharField()
    kind = serializers.CharField()
    n_labels = serializers.IntegerField()


class MatrixShown(serializers.Serializer[Any]):
    weights = serializers.ChoiceField(choices=Report.Weights.choices)
    raters = RaterOfReport(many=True)
    kappa = rows_of(serializers.FloatField(allow_null=True), allow_null=True)
    n = rows_of(serializers.IntegerField())
    reasons = rows_of(serializers.CharField(allow_null=True))
    figures = serializers.DictField(
        child=rows_of(serializers.FloatField(allow_null=True)),
        allow_null=True,
        help_text="For numbers and sets, instead of kappa: a matrix for each statistic of a pair; a bias is the row's "
        "rater minus the column's rater.",
    )


class PairShown(serializers.Serializer[Any]):
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


class PairDetailShown(PairShown):
    statistics = PairStatisticsShown(allow_null=True)
    at_other_prevalence = OtherPrevalenceShown(
        allow_null=True,
        help_text="Coefficients if the most common category were rarer or more common, with the same disagreements; "
        "null if its share cannot vary.",
    )
    readings = readings_field()


FIGURES = ["n", "observed", "expected", "kappa", "se", "ci_low", "ci_high", "is_clipped", "kappa_max"]


def shown_report(report: Report) -> dict[str, Any]:
    results = sorted(report.questions.all(), key=lambda found: (found.question.position, found.question_id))
    fields = {
        "id": report.pk,
        "state": report.state,
        "stage": report.stage,
        "share_done": report.share_done,
        "failure": report.failure or None,
        "questions": report.scope["questions"],
        "rounds": report.scope["rounds"],
        "weights": report.options["weights"],
        "options": shown_options(report.chosen),
        "asked_by": None if report.asked_by is None else report.asked_by.username,
        "asked_at": report.asked_at,
        "started_at": report.started_at,
        "finished_at": report.finished_at,
        "seconds": report.seconds,
        "digest": report.digest or None,
        "code_version": report.code_version or None,
    }
    return fields | {"results": [shown_agreement(found) for found in results]}


def shown_options(options: Options) -> dict[str, Any]:
    return {
        "weights": str(options.weights),
        "matrices": {key: matrix.rows for key, matrix in options.matrices.items()},
        "interval": str(options.interval),
        "replicates": options.replicates if options.is_bootstrap else None,
        "seed": options.seed if options.is_bootstrap else None,
        "confidence": options.confidence,
        "reference": options.reference or None,
        "smoothing": options.smoothing,
        "counted": [str(kind) for kind in options.counted],
    }


def shown_agreement(agreement: QuestionAgreement) -> dict[str, Any]:
    return {
        "key": agreement.question.key,
        "categories": category_keys(agreement),
        "n_items": agreement.n_items,
        "n_raters": agreement.n_raters,
        "n_labels": agreement.n_labels,
        "n_abstentions": agreement.n_abstentions,
        "n_pairs": agreement.n_pairs,
        "counted": words_of_coefficients(agreement),
        "digest": agreement.digest,
        "coefficients": for_programs(agreement.coefficients),
        "reason": agreement.reason or None,
    }


def category_keys(agreement: QuestionAgreement) -> list[str]:
    return [category["key"] for category in agreement.categories]


def shown_statistics(result: StoredResult, reference: str, scale: str) -> dict[str, Any]:
    """reference: the key of the rater taken as right, "" for the report's or a declared one. scale: the key of a
    published one, "" for the project's.
    """
    agreement, question = result.row, result.question
    statistics = {name: found for name, found in agreement.statistics.items() if name != "counted"}
    if result_kind(question.kind).has_counts and not agreement.reason:
        found = against_reference(result, reference_of(result, reference))
        statistics = statistics | {"reference": found.as_json()}
    return {
        "key": question.key,
        "kind": question.kind,
        "level": question.level,
        "categories": category_keys(agreement),
        "counted": counted_as_json(agreement),
        "coefficients": for_programs(agreement.coefficients),
        "statistics": for_programs(statistics),
        "readings": shown_readings(
            agreement, agreement.coefficients, scale, is_weighted=agreement.report.chosen.is_weighted
        ),
        "reason": agreement.reason or None,
    }


def shown_readings(
    agreement: QuestionAgreement, values: Mapping[str, Any], scale: str, *, is_weighted: bool = False
) -> dict[str, Any]:
    chosen = SCALES[scale] if scale else scale_of(agreement.report.project)
    return {
        name: reading.flat() for name, reading in readings_of(values, chosen, is_weighted=is_weighted).items()
    }


def shown_pair(pair: PairAgreement, weights: str) -> dict[str, Any]:
    """A pair with its table, rows rater_a, and its figures under these weights."""
    keys = category_keys(pair.agreement)
    # Numbers have no categories, and no counts.
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
        "figures": for_programs(other_figures(pair)),
    }


def other_figures(pair: PairAgreement) -> dict[str, Any] | None:
    """Of numbers and of sets: the stored figures with the data that they rest on beside each; else None."""
    if not pair.figures:
        return pair.figures
    n_labels = {rater["id"]: rater["n_labels"] for rater in pair.agreement.raters}
    basis = basis_of_pair(pair.n, n_labels[pair.rater_a_id] + n_labels[pair.rater_b_id])
    return with_basis(pair.figures, basis)


def shown_pair_in_full(result: StoredResult, pair: PairAgreement, weights: str, scale: str) -> dict[str, Any]:
    """The same with every statistic of the two, and what a scale says of them."""
    statistics = for_programs(statistics_of_pair(result, pair, weights)) if pair.counts else None
    readings = shown_readings(pair.agreement, statistics["values"] if statistics else {}, scale)
    more = {"statistics": statistics, "at_other_prevalence": _curve_of(pair), "readings": readings}
    return shown_pair(pair, weights) | more


def _curve_of(pair: PairAgreement) -> dict[str, Any] | None:
    found = of_commonest(table_of(pair)) if pair.counts else None
    return (
        None if found is None else found.flat() | {"category": category_keys(pair.agreement)[found.category]}
    )


def figures_of(pair: PairAgreement, weights: str) -> dict[str, Any]:
    if weights == pair.agreement.report.options["weights"] or not pair.counts:
        stored = {name: getattr(pair, name) for name in FIGURES}
        return stored | {"reason": pair.reason or None}
    kappa = kappas_of(pair.agreement, [pair.counts], weights).pair(0)
    return asdict(kappa) | {"is_clipped": kappa.is_clipped, "reason": str(kappa.reason) or None}
