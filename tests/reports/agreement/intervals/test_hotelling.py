"""One test that several dependent coefficients are equal."""

import numpy as np
import pytest
from scipy.special import fdtrc
from sklearn.metrics import cohen_kappa_score

from reports.agreement.intervals.difference import ComparedValue
from reports.agreement.intervals.hotelling import equality
from reports.agreement.intervals.pair_difference import pair_difference
from reports.agreement.intervals.pair_equality import MAX_CELLS, kappas_equality
from reports.agreement.ratings import DenseRatings
from reports.agreement.results import Reason
from reports.agreement.weights import weighting
from tests.sizes import only_in_full

UNWEIGHTED = weighting("unweighted", n_categories=3)


def ratings_of(
    seed: int, *, n_items: int, n_raters: int, right=(0.9, 0.8, 0.7, 0.6), missing=0.0
) -> DenseRatings:
    """Rater 0 is the reference; the others are right more and more seldom."""
    random = np.random.default_rng(seed)
    truth = random.choice(3, n_items, p=(0.5, 0.3, 0.2))
    columns = [truth]
    for place in range(n_raters - 1):
        is_right = random.uniform(size=n_items) < right[place]
        columns.append(np.where(is_right, truth, random.integers(0, 3, n_items)))
    codes = np.stack(columns, axis=1)
    codes[random.uniform(size=codes.shape) < missing] = 3
    return DenseRatings(codes.astype(np.uint8), 3, int((codes < 3).sum()))


def pairs_with_first(n_raters: int) -> list[tuple[int, int]]:
    return [(place, 0) for place in range(1, n_raters)]


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_of_two_it_is_the_square_of_the_paired_t(missing):
    ratings = ratings_of(1, n_items=60, n_raters=3, missing=missing)

    found = kappas_equality(ratings, [(1, 0), (2, 0)], UNWEIGHTED)
    paired = pair_difference(ratings, (1, 0), (2, 0), UNWEIGHTED)

    assert found.t_squared == pytest.approx(paired.statistic**2, rel=1e-10)
    assert (found.df1, found.df2) == (1, paired.df)
    assert found.p_value == pytest.approx(paired.p_value, rel=1e-9)


def test_the_p_value_of_the_depression_data():
    # Vanbelle & Albert 2008 in R's multiagree: two kappas of 50 patients, T-squared 2.248173, p .140188.
    t_squared, n, n_values = 2.248173, 50, 2

    assert fdtrc(1, 49, t_squared) == pytest.approx(0.140188, abs=1e-6)
    # The same from two means of 50 values, whose difference has this t.
    random = np.random.default_rng(2)
    first, noise = random.normal(size=n), random.normal(size=n)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    second = first - noise - np.sqrt(t_squared / n)
    values = [ComparedValue(value=float(each.mean()), item_values=each) for each in (first, second)]
    found = equality(values, np.ones(n, dtype=np.int64))
    assert found.n_values == n_values
    assert found.t_squared == pytest.approx(t_squared, abs=1e-9)
    assert found.p_value == pytest.approx(0.140188, abs=1e-6)


@only_in_full
def test_with_the_jackknife_it_is_nearly_the_same():
    """A second derivation: kappas by scikit-learn, their covariance by leaving out each item in turn."""
    ratings = ratings_of(3, n_items=300, n_raters=4)
    codes = ratings.codes.astype(int)
    n = len(codes)

    def kappas(keep):
        return np.array([cohen_kappa_score(codes[keep, place], codes[keep, 0]) for place in (1, 2, 3)])

    whole = kappas(np.ones(n, dtype=bool))
    left_out = np.stack([kappas(np.arange(n) != item) for item in range(n)])
    deviations = left_out - left_out.mean(axis=0)
    covariance = (n - 1) / n * deviations.T @ deviations
    contrast = np.array([[1, -1, 0], [0, 1, -1]])
    difference = contrast @ whole
    expected = difference @ np.linalg.inv(contrast @ covariance @ contrast.T) @ difference

    found = kappas_equality(ratings, pairs_with_first(4), UNWEIGHTED)

    assert found.t_squared == pytest.approx(expected, rel=0.03)
    assert (found.df1, found.df2, found.n_values, found.n_units) == (2, n - 2, 3, n)
    assert found.f == pytest.approx(found.t_squared * (n - 2) / ((n - 1) * 2))
    assert found.p_value == pytest.approx(fdtrc(2, n - 2, found.f))


def test_it_does_not_depend_on_the_order_of_the_raters():
    ratings = ratings_of(4, n_items=80, n_raters=5)
    pairs = pairs_with_first(5)

    found = [kappas_equality(ratings, some, UNWEIGHTED).t_squared for some in (pairs, pairs[::-1])]

    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_equal_raters_are_rejected_as_often_as_it_says():
    p_values = [
        kappas_equality(
            ratings_of(seed, n_items=150, n_raters=4, right=(0.8, 0.8, 0.8)), pairs_with_first(4), UNWEIGHTED
        ).p_value
        for seed in range(1000)
    ]

    assert 0.03 < np.mean(np.array(p_values) < 0.05) < 0.075


def test_of_a_good_and_bad_raters_it_knows():
    found = kappas_equality(ratings_of(5, n_items=200, n_raters=5), pairs_with_first(5), UNWEIGHTED)

    assert found.p_value < 0.001


@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        ([[0, 0]] * 9, Reason.TOO_FEW_COUNTED),
        ([[0, 0, 3]] * 9, Reason.NO_VARIATION),
        ([[0, 0, 3], [1, 1, 3], [2, 0, 3], [1, 0, 3]], Reason.NO_OVERLAP),
        ([[0, 0, 1, 0], [1, 0, 1, 1], [0, 1, 0, 1]], Reason.TOO_FEW_ITEMS),
        # Who never errs has no error of their own.
        ([[0, 0, 1], [1, 1, 1], [2, 2, 1], [0, 0, 0]], Reason.DEGENERATE_SE),
        # Two who always say the same do not differ.
        ([[0, 0, 0], [1, 1, 1], [2, 0, 0], [0, 1, 1], [0, 0, 0]], Reason.DEGENERATE_SE),
    ],
)
def test_without_a_test(codes, reason):
    array = np.array(codes, dtype=np.uint8)
    ratings = DenseRatings(array, 3, int((array < 3).sum()))

    found = kappas_equality(ratings, pairs_with_first(array.shape[1]), UNWEIGHTED)

    assert (found.reason, found.p_value) == (reason, None)


def test_a_rater_without_an_error_is_left_out():
    ratings = ratings_of(6, n_items=90, n_raters=4)
    perfect = np.column_stack([ratings.codes, ratings.codes[:, 0]])

    found = kappas_equality(DenseRatings(perfect, 3, perfect.size), pairs_with_first(5), UNWEIGHTED)
    without = kappas_equality(ratings, pairs_with_first(4), UNWEIGHTED)

    assert (found.n_values, found.n_left_out, without.n_left_out) == (3, 1, 0)
    assert found.t_squared == pytest.approx(without.t_squared)


def test_what_is_too_large_is_not_tested(monkeypatch):
    monkeypatch.setattr("reports.agreement.intervals.pair_equality.MAX_CELLS", 10)

    assert kappas_equality(ratings_of(1, n_items=6, n_raters=3), [(1, 0), (2, 0)], UNWEIGHTED).reason is (
        Reason.TOO_LARGE
    )
    assert MAX_CELLS > 10
