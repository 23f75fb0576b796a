"""Weights of disagreement: worked by hand from the definitions, published, and refused."""

import numpy as np
import pytest

from reports.agreement.overall.chance_corrected import GWET_AC
from reports.agreement.overall.statistic import estimate
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level, Weights, category_values, distances, weighting
from tests.reports.agreement.samples import from_lines

DECLARED = [weights for weights in Weights if weights is not Weights.CUSTOM]
# Similarities of ranks 1 to 4, upper triangle by rows: w12, w13, w14, w23, w24, w34; worked by hand.
BY_HAND = [
    ("unweighted", [0, 0, 0, 0, 0, 0]),
    ("linear", [2 / 3, 1 / 3, 0, 2 / 3, 1 / 3, 2 / 3]),
    ("quadratic", [8 / 9, 5 / 9, 0, 8 / 9, 5 / 9, 8 / 9]),
    # 1, 3 and 6 pairs of ranks between two that are 1, 2 and 3 apart.
    ("ordinal", [5 / 6, 1 / 2, 0, 5 / 6, 1 / 2, 5 / 6]),
    ("radical", [1 - 3**-0.5, 1 - (2 / 3) ** 0.5, 0, 1 - 3**-0.5, 1 - (2 / 3) ** 0.5, 1 - 3**-0.5]),
    # (1/3)^2, (2/4)^2, (3/5)^2, (1/5)^2, (2/6)^2, (1/7)^2, each over (3/5)^2.
    ("ratio", [56 / 81, 11 / 36, 0, 8 / 9, 56 / 81, 1 - 25 / 441]),
    # Sines of 45, 90 and 135 degrees: neighbors are half apart, the ends of the scale as near as neighbors.
    ("circular", [1 / 2, 0, 1 / 2, 1 / 2, 0, 1 / 2]),
    # 1/5, 4/8, 9/9, 1/9, 4/8, 1/5.
    ("bipolar", [4 / 5, 1 / 2, 0, 8 / 9, 1 / 2, 4 / 5]),
]


@pytest.mark.parametrize(("weights", "above"), BY_HAND)
def test_similarities_of_four_ranks(weights, above):
    expected = np.eye(4)
    expected[np.triu_indices(4, k=1)] = above
    expected = np.maximum(expected, expected.T)

    assert weighting(weights, n_categories=4).similarity == pytest.approx(expected, abs=1e-15)


# Gwet 2014, Handbook, table of four raters: AC2, from R and Python irrCAC alike.
GWET_4_RATERS = from_lines("123321412...", "1233224125..", ".33323422513", "12332441251.", categories="12345")


@pytest.mark.parametrize(
    ("weights", "ac2"),
    [
        ("unweighted", 0.775444),
        ("linear", 0.858739),
        ("quadratic", 0.914001),
        ("ordinal", 0.898940),
        ("radical", 0.819812),
        ("ratio", 0.857368),
        ("circular", 0.830195),
        ("bipolar", 0.900373),
    ],
)
def test_published_ac2_of_every_weighting(weights, ac2):
    found = estimate(GWET_AC, Sample(GWET_4_RATERS), Scale(n_categories=5, weights=Weights(weights)))

    assert found.value == pytest.approx(ac2, abs=6e-7)


@pytest.mark.parametrize(
    ("weights", "costs"),
    [
        ("linear", [2, 6, 4]),
        ("quadratic", [4, 36, 16]),
        ("radical", [2**0.5, 6**0.5, 2]),
        ("ratio", [(2 / 4) ** 2, (6 / 8) ** 2, (4 / 10) ** 2]),
        # Declared numbers are ranked first.
        ("ordinal", [1, 3, 1]),
    ],
)
def test_declared_values_take_the_place_of_ranks(weights, costs):
    found = weighting(weights, n_categories=3, values=[1, 3, 7])

    assert found.costs[np.triu_indices(3, k=1)] == pytest.approx(costs)
    assert found.unit == pytest.approx(max(costs))


def test_ranks_follow_the_values_and_not_the_order_of_declaration():
    found = weighting("ordinal", n_categories=3, values=[7, 1, 3])

    assert found.costs.tolist() == [[0, 3, 1], [3, 0, 1], [1, 1, 0]]


def test_ratio_weights_know_a_value_of_zero():
    # 0 to itself is no difference, 0 to anything else the largest.
    found = weighting("ratio", n_categories=3, values=[0, 1, 3])

    assert found.costs.tolist() == [[0, 1, 1], [1, 0, 0.25], [1, 0.25, 0]]
    assert (np.diagonal(found.similarity) == 1).all()


@pytest.mark.parametrize("weights", DECLARED)
@pytest.mark.parametrize("n_categories", [2, 3, 9])
def test_every_weighting_is_symmetric_with_nothing_beyond_its_unit(weights, n_categories):
    found = weighting(weights, n_categories=n_categories)

    assert (found.costs == found.costs.T).all()
    assert (np.diagonal(found.costs) == 0).all()
    assert found.costs.max() == found.unit
    assert (found.costs[~np.eye(n_categories, dtype=bool)] > 0).all()


@pytest.mark.parametrize("weights", DECLARED)
def test_two_categories_leave_nothing_to_weigh(weights):
    assert weighting(weights, n_categories=2).similarity.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("weights", DECLARED)
def test_one_category_costs_nothing(weights):
    found = weighting(weights, n_categories=1)

    assert (found.costs.tolist(), found.unit) == ([[0]], 1)


def test_a_custom_matrix():
    # Fleiss, Cohen & Everitt 1969, Psychological Bulletin 72, 323-327.
    similarity = [[1, 0, 0.4444], [0, 1, 0.6667], [0.4444, 0.6667, 1]]

    found = weighting("custom", n_categories=3, similarity=similarity)

    assert found.similarity == pytest.approx(np.array(similarity))
    assert found.unit == 1


@pytest.mark.parametrize(
    ("similarity", "message"),
    [
        (None, "need a matrix"),
        ([1, 0], "2 x 2"),
        ([[1, 0, 0], [0, 1, 0]], "2 x 2"),
        (np.eye(3), "2 x 2"),
        ([[1, 1.5], [1.5, 1]], "from 0 to 1"),
        ([[1, -0.5], [-0.5, 1]], "from 0 to 1"),
        ([[1, float("nan")], [float("nan"), 1]], "from 0 to 1"),
        ([[1, 0.5], [0.4, 1]], "symmetric"),
        ([[1, 0], [0, 0.9]], "1 on the diagonal"),
    ],
)
def test_an_invalid_matrix_is_refused(similarity, message):
    with pytest.raises(ValueError, match=message):
        weighting("custom", n_categories=2, similarity=similarity)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2], "3 finite numbers"),
        ([1, 2, float("inf")], "3 finite numbers"),
        ([1, 2, 2], "must differ"),
    ],
)
def test_invalid_values_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        category_values(3, values)


def test_ratios_of_negative_values_are_refused():
    with pytest.raises(ValueError, match="0 or more, got -1"):
        weighting("ratio", n_categories=2, values=[-1, 1])


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="cubic"):
        weighting("cubic", n_categories=2)


def test_krippendorffs_differences():
    # In a row of 6, 2 and 4 labels the middles lie at 3, 7 and 10.
    counts = np.array([6.0, 2.0, 4.0])
    above = np.triu_indices(3, k=1)

    assert distances("nominal", label_counts=counts)[above].tolist() == [1, 1, 1]
    assert distances("ordinal", label_counts=counts)[above].tolist() == [16, 49, 9]
    assert distances("interval", label_counts=counts)[above].tolist() == [1, 4, 1]
    assert distances("ratio", label_counts=counts)[above].tolist() == pytest.approx([1 / 9, 1 / 4, 1 / 25])


def test_krippendorffs_ordinal_difference_follows_the_values():
    one = distances("ordinal", label_counts=np.array([6.0, 2.0, 4.0]))

    other = distances("ordinal", label_counts=np.array([4.0, 6.0, 2.0]), values=[30, 10, 20])

    assert other[np.ix_([1, 2, 0], [1, 2, 0])].tolist() == one.tolist()


@pytest.mark.parametrize(
    "weights", [each for each in Weights if each not in {Weights.CUSTOM, Weights.CIRCULAR}]
)
@pytest.mark.parametrize("exponent", [-1060, -700, 700, 1020])
def test_values_near_the_ends_of_floats_have_the_same_similarities(weights, exponent):
    plain = np.array([1.0, 2.0, 3.5, 7.0])

    found = weighting(weights, n_categories=4, values=np.ldexp(plain, exponent).tolist())

    expected = weighting(weights, n_categories=4, values=plain.tolist())
    assert found.similarity == pytest.approx(expected.similarity, rel=1e-3, abs=1e-12)
    assert np.isfinite(found.costs).all()


@pytest.mark.parametrize("level", [Level.INTERVAL, Level.RATIO])
def test_differences_of_tiny_values_are_not_0(level):
    counts = np.array([2.0, 1.0, 1.0])

    found = distances(level, label_counts=counts, values=[1e-200, 2e-200, 4e-200])

    expected = distances(level, label_counts=counts, values=[1.0, 2.0, 4.0])
    assert found / found.max() == pytest.approx(expected / expected.max())
