"""Serializers for all statistics of a question."""

from typing import Any

from rest_framework import serializers

from reports.agreement.few_items import LEAST_ITEMS
from reports.agreement.interpretation.reading import InterpretationJson
from reports.agreement.interpretation.scales import SCALES
from reports.agreement.planning.criterion_decision import CriterionOutcome
from reports.analysis.results import Figures, Json, LatentClassEstimates, for_programs, to_json
from reports.api.check_serializers import ConfusionsSerializer, PairChecksSerializer
from reports.api.figure_serializers import (
    CoefficientSerializer,
    DataSizeSerializer,
    DifferenceSerializer,
    FiguresSerializer,
    SignificanceTestSerializer,
    by_category_field,
    rows_of,
)
from reports.api.finding_serializers import FindingsSerializer, RatersVersusOthersSerializer
from reports.api.report_serializers import category_keys
from reports.models import QuestionAgreement, Report
from reports.results.against_reference import against_reference, reference_of
from reports.results.estimate_doubts import EstimateDoubt, doubts_of
from reports.results.kinds import result_kind
from reports.results.primary import primary_of
from reports.results.scale_readings import readings_of, scale_of
from reports.store.agreements import scope_of
from reports.store.included_raters import counted_as_json
from reports.store.stored_model_comparison import stored_model_comparison
from reports.store.stored_result import StoredResult


class MajorityVoteSerializer(DataSizeSerializer):
    n_decided = serializers.IntegerField()
    n_tied = serializers.IntegerField()
    items = serializers.ListField(child=serializers.IntegerField())
    reason = serializers.CharField(allow_null=True)


class RaterErrorsSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField()
    share_right = serializers.FloatField(allow_null=True)
    confusion = rows_of(serializers.FloatField(allow_null=True), allow_null=True)


def doubts_field(*, required: bool = True) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.ChoiceField(choices=[str(each) for each in EstimateDoubt]),
        required=required,
        help_text="Why the estimated accuracies are unreliable: `two_raters` cannot show which of them is right; with "
        "`three_raters`, two categories cannot show whether raters err independently; `few_labels` per rater and "
        "category; an accuracy is `at_boundary` if it is above 99.9%. Empty if nothing speaks against them.",
    )


class DawidSkeneSerializer(serializers.Serializer[Any]):
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
    raters = RaterErrorsSerializer(many=True, required=False)
    doubts = doubts_field(required=False)
    reason = serializers.CharField(allow_null=True)


class ConsensusSerializer(serializers.Serializer[Any]):
    majority_vote = MajorityVoteSerializer()
    dawid_skene = DawidSkeneSerializer()


class RaterVersusReferenceSerializer(FiguresSerializer):
    """A rater compared with the reference."""

    rater = serializers.CharField()
    reference = serializers.CharField()


class KappaEqualityTestSerializer(serializers.Serializer[Any]):
    """The test that all raters have the same kappa with the reference."""

    t_squared = serializers.FloatField(allow_null=True, help_text="Hotelling's T-squared.")
    f = serializers.FloatField(allow_null=True)
    df1 = serializers.IntegerField(allow_null=True)
    df2 = serializers.IntegerField(allow_null=True)
    p_value = serializers.FloatField(allow_null=True)
    n_values = serializers.IntegerField(help_text="Number of kappas.")
    n_left_out = serializers.IntegerField(help_text="Number of raters without a kappa or its standard error.")
    n_units = serializers.IntegerField(help_text="Items that the kappa with the fewest is based on.")
    method = serializers.CharField()
    reason = serializers.CharField(allow_null=True)


class ReferenceComparisonSerializer(serializers.Serializer[Any]):
    reference = serializers.CharField(allow_null=True)
    raters = RaterVersusReferenceSerializer(many=True)
    reason = serializers.CharField(allow_null=True)
    equality = KappaEqualityTestSerializer(
        allow_null=True, help_text="Null for fewer than two raters, and for more than 200,000 labels."
    )


class AssignedLabelsSerializer(serializers.Serializer[Any]):
    """Assignments of the included raters, in opened rounds, when the report was computed."""

    n = serializers.IntegerField(help_text="Number of assigned labels.")
    n_missing = serializers.IntegerField(help_text="Of these, number not given.")
    n_skipped = serializers.IntegerField(
        help_text="Of the labels not given, number whose rater skipped the item."
    )


class ConditionalQuestionSerializer(serializers.Serializer[Any]):
    """For a question that is asked only after certain answers to an earlier one."""

    n_answers = serializers.IntegerField(help_text="Number of labels of the earlier question.")
    n_asked = serializers.IntegerField(help_text="Of these, number that lead to this question.")
    n_items = serializers.IntegerField(
        help_text="Items on which two or more raters answered the earlier question."
    )
    n_split = serializers.IntegerField(help_text="Of these, items on which only some of them were asked.")


class StatisticsSerializer(serializers.Serializer[Any]):
    """Statistics by family; families that were not computed are absent."""

    categories = by_category_field(required=False)
    tests = serializers.DictField(child=SignificanceTestSerializer(), required=False)
    category_tests = serializers.DictField(
        child=SignificanceTestSerializer(many=True),
        required=False,
        help_text="For each test of one category vs. the rest, in the order of the categories.",
    )
    consensus = ConsensusSerializer(required=False)
    reference = ReferenceComparisonSerializer(required=False)
    checks = PairChecksSerializer(required=False)
    findings = FindingsSerializer(required=False)
    standings = RatersVersusOthersSerializer(required=False)
    confusions = ConfusionsSerializer(required=False)
    distributions = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        required=False,
        help_text="Number of labels of each rater by category.",
    )
    missing = serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="Number of labels left out, by each category or value that is treated as missing.",
    )
    suggested = serializers.IntegerField(
        required=False,
        help_text="Number of labels accepted from a suggestion. Absent without any.",
    )
    assigned = AssignedLabelsSerializer(
        required=False,
        help_text="Assigned labels that were not given. Absent if nothing was assigned.",
    )
    asked = ConditionalQuestionSerializer(
        required=False, help_text="Absent for questions that are always asked."
    )


class ProbabilisticBenchmarkSerializer(serializers.Serializer[Any]):
    word = serializers.CharField(allow_null=True)
    certainty = serializers.FloatField()
    cumulative = serializers.DictField(
        child=serializers.FloatField(), help_text="Cumulative probability by class, best first."
    )
    reason = serializers.CharField(allow_null=True)


class InterpretationSerializer(serializers.Serializer[Any]):
    """Interpretation of a coefficient on a scale."""

    scale = serializers.CharField()
    title = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    judged = serializers.CharField(help_text="What the scale interprets: value, interval, or lower_limit.")
    word = serializers.CharField()
    low_word = serializers.CharField(allow_null=True)
    high_word = serializers.CharField(allow_null=True)
    judged_word = serializers.CharField(allow_null=True)
    probabilistic = ProbabilisticBenchmarkSerializer(
        help_text="Gwet's benchmarking: the best class that is certain enough."
    )


class PrimaryCoefficientSerializer(serializers.Serializer[Any]):
    """The question’s primary coefficient, compared with its criterion."""

    coefficient = serializers.CharField()
    weights = serializers.ChoiceField(choices=Report.Weights.choices)
    value = serializers.FloatField(allow_null=True)
    ci_low = serializers.FloatField(allow_null=True)
    ci_high = serializers.FloatField(allow_null=True)
    criterion = serializers.FloatField(help_text="The value that the interval is compared with.")
    outcome = serializers.ChoiceField(
        choices=[(str(each), str(each)) for each in CriterionOutcome],
        allow_null=True,
        help_text="met: the whole interval lies at or above the criterion; not_met: below it; undecided: it is inside, "
        "or has_few_items.",
    )
    n_more_items = serializers.IntegerField(
        allow_null=True,
        help_text="How many more items would decide it if the value stayed the same; with has_few_items, how many are "
        "missing at least.",
    )
    has_few_items = serializers.BooleanField(
        help_text=f"Whether the interval is from fewer than {LEAST_ITEMS} items, too few to decide anything."
    )


def readings_field() -> serializers.DictField:
    return serializers.DictField(
        child=InterpretationSerializer(),
        help_text="Interpretations of the coefficients that the scale applies to; empty if the project uses no scale.",
    )


class IncludedRatersSerializer(serializers.Serializer[Any]):
    words = serializers.CharField(help_text='Such as "3 raters, excluding the reference".')
    n_raters = serializers.IntegerField()
    left_out = serializers.ListField(
        child=serializers.CharField(), help_text="Raters with labels who are excluded."
    )


class IncludedDataSerializer(IncludedRatersSerializer):
    """Raters included in overall coefficients, and the size of their data."""

    n_items = serializers.IntegerField()
    n_labels = serializers.IntegerField()
    n_abstentions = serializers.IntegerField()


class ModelVersusPeopleSerializer(serializers.Serializer[Any]):
    """A model’s mean agreement with people, and that of people with each other on the same items."""

    rater = serializers.CharField()
    n_items = serializers.IntegerField()
    n_people = serializers.IntegerField()
    with_people = CoefficientSerializer()
    among_people = CoefficientSerializer()
    difference = DifferenceSerializer(help_text="Agreement with people minus agreement among people.")
    p_corrected = serializers.FloatField(
        allow_null=True, help_text="Adjusted by Holm's method for all models."
    )


class QuestionStatisticsSerializer(serializers.Serializer[Any]):
    key = serializers.CharField()
    kind = serializers.CharField()
    level = serializers.CharField()
    categories = serializers.ListField(child=serializers.CharField())
    lead = serializers.CharField(
        allow_null=True, help_text="The round that all figures are about, if rounds are not combined."
    )
    counted = IncludedDataSerializer()
    coefficients = serializers.DictField(child=CoefficientSerializer())
    models = ModelVersusPeopleSerializer(
        many=True,
        help_text="Models compared with people, if models are not included in overall coefficients.",
    )
    statistics = StatisticsSerializer()
    readings = readings_field()
    primary = PrimaryCoefficientSerializer(allow_null=True)
    reason = serializers.CharField(allow_null=True)


def serialized_statistics(result: StoredResult, reference: str, scale: str) -> Json:
    """Return the statistics. reference: the key of the reference rater; "" for the report's or a declared one. scale:
    the key of a published one; "" for the project's.
    """
    agreement, question = result.row, result.question
    statistics = {name: found for name, found in agreement.statistics.items() if name != "counted"}
    if result_kind(question.kind).has_counts and not agreement.reason:
        found = against_reference(result, reference_of(result, reference))
        statistics = statistics | {"reference": to_json(found)}
        consensus = result.figures.consensus
        if consensus is not None and isinstance(consensus.dawid_skene, LatentClassEstimates):
            doubts = [str(each) for each in doubts_of(consensus.dawid_skene)]
            stored = statistics["consensus"]
            statistics["consensus"] = stored | {"dawid_skene": stored["dawid_skene"] | {"doubts": doubts}}
    return {
        "key": question.key,
        "kind": question.kind,
        "level": question.level,
        "categories": category_keys(agreement),
        "lead": agreement.lead and agreement.lead["key"],
        "counted": counted_as_json(agreement),
        "coefficients": for_programs(agreement.coefficients),
        "models": serialized_models(result),
        "statistics": for_programs(statistics),
        "readings": serialized_interpretations(
            agreement, result.figures.coefficients, scale, is_weighted=scope_of(agreement).is_weighted
        ),
        "primary": None if agreement.reason else primary_of(result).as_json(),
        "reason": agreement.reason or None,
    }


def serialized_models(result: StoredResult) -> list[Json]:
    found, keys = stored_model_comparison(result.row), {rater.id: rater.key for rater in result.raters}
    models = () if found is None else found.models
    return [for_programs(to_json(each)) | {"rater": keys[each.rater]} for each in models]


def serialized_interpretations(
    agreement: QuestionAgreement, values: Figures, scale: str, *, is_weighted: bool = False
) -> dict[str, InterpretationJson]:
    chosen = SCALES[scale] if scale else scale_of(agreement.report.project)
    return {
        name: reading.flat() for name, reading in readings_of(values, chosen, is_weighted=is_weighted).items()
    }
