"""Serializers for findings with their effects, and for raters compared with the others."""

from typing import Any

from rest_framework import serializers

from reports.analysis.results import FindingKind

FINDING_KINDS = [(str(kind), str(kind)) for kind in FindingKind]


class CategoryUseSerializer(serializers.Serializer[Any]):
    """A rater's use of a category, compared with that of the others on the same items."""

    category = serializers.CharField()
    own = serializers.FloatField()
    others = serializers.FloatField()
    difference = serializers.FloatField(help_text="own − others.")
    ci_low = serializers.FloatField()
    ci_high = serializers.FloatField()


class ContrastSerializer(serializers.Serializer[Any]):
    """Two values of what was found: means, standard deviations, or shares of all differences."""

    own = serializers.FloatField()
    others = serializers.FloatField()
    effect = serializers.FloatField(help_text="own − others; for standard deviations, own / others.")
    ci_low = serializers.FloatField()
    ci_high = serializers.FloatField()


class FindingSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(
        choices=FINDING_KINDS,
        help_text="`rater`: agreement is higher without this rater. `merge`: agreement is higher with two categories "
        "merged. `unused`: a category that nobody chose. `use`: a rater chooses a category more or less often than the "
        "others. `scattered`: items on which no two labels agree. `swapped`, `shifted`: probable mistakes. `below`: "
        "two raters who agree less than by chance. `margins`: two raters who cannot reach the criterion. For numbers: "
        "`level`: a rater is higher or lower than the others. `spread`: a rater uses more or less of the scale. "
        "`digits`: digits swapped, or the decimal point moved. `difficult`: items on which raters differ most. "
        "For sets: `only`: a category that only one rater chooses. `replace`: two categories chosen in place of each "
        "other.",
    )
    raters = serializers.ListField(
        child=serializers.CharField(), help_text="For a mistake, the rater who made it comes last."
    )
    categories = serializers.ListField(child=serializers.CharField())
    p_value = serializers.FloatField(help_text="Adjusted by Holm's method for all tests.")
    n_items = serializers.IntegerField()
    before = serializers.FloatField(allow_null=True, help_text="The current coefficient.")
    after = serializers.FloatField(allow_null=True, help_text="The coefficient as it would be.")
    difference = serializers.FloatField(allow_null=True, help_text="after − before, paired by item.")
    ci_low = serializers.FloatField(allow_null=True, help_text="Confidence interval of the difference.")
    ci_high = serializers.FloatField(allow_null=True)
    use = CategoryUseSerializer(allow_null=True)
    share = serializers.FloatField(allow_null=True, help_text="Share of all disagreement.")
    expected = serializers.FloatField(
        allow_null=True, help_text="Number of such items if all were equally difficult."
    )
    kappa = serializers.FloatField(allow_null=True)
    kappa_max = serializers.FloatField(allow_null=True)
    n_pairs = serializers.IntegerField(help_text="Number of pairs of raters for whom the same is true.")
    contrast = ContrastSerializer(required=False)
    offset = serializers.IntegerField(
        required=False, help_text="Number of places by which numbers are shifted."
    )


class FindingsSerializer(serializers.Serializer[Any]):
    """What is beyond chance, largest gain first; empty if nothing is."""

    coefficient = serializers.CharField(help_text="The coefficient that gains are measured by.")
    n_tested = serializers.IntegerField()
    found = FindingSerializer(many=True)
    are_raters_tested = serializers.BooleanField(
        help_text="False if there are too many labels to leave out each rater."
    )


class RaterVersusOthersSerializer(serializers.Serializer[Any]):
    """How close a rater's labels are to those of the others on the same items."""

    rater = serializers.CharField()
    n_items = serializers.IntegerField(help_text="Items that others labeled too.")
    value = serializers.FloatField(allow_null=True)
    ci_low = serializers.FloatField(allow_null=True)
    ci_high = serializers.FloatField(allow_null=True)
    difference = serializers.FloatField(
        allow_null=True,
        help_text="Difference from the others on the same items, for items with three labels or more.",
    )
    difference_ci_low = serializers.FloatField(allow_null=True)
    difference_ci_high = serializers.FloatField(allow_null=True)
    p_value = serializers.FloatField(
        allow_null=True, help_text="Test of no difference, adjusted by Holm's method; null if not tested."
    )


class RatersVersusOthersSerializer(serializers.Serializer[Any]):
    """Each rater compared with the others."""

    measure = serializers.ChoiceField(
        choices=["agreement", "difference"],
        help_text="agreement: share of agreement, with the weights of the question; MASI for sets. difference: mean "
        "absolute difference of numbers.",
    )
    n_tested = serializers.IntegerField()
    raters = RaterVersusOthersSerializer(many=True)
