"""Differences of Cohen's kappa between pairs that share items and raters."""

import numpy as np
import pytest
from scipy import stats

from reports.agreement.intervals.difference import INDEPENDENT
from reports.agreement.intervals.pair_difference import bootstrap_pair_difference, pair_difference
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import Reason
from reports.agreement.weights import weighting
from tests.reports.agreement.samples import from_codes, from_lines, random_codes
from tests.sizes import size

UNWEIGHTED = weighting("unweighted", n_categories=3)


def kappa(codes, pair, weights=UNWEIGHTED):
    return cohen_kappa(table(codes, pair)[None], weights)


def table(codes, pair):
    rows, columns = codes[(codes[:, pair] >= 0).all(axis=1)][:, pair].T
    found = np.zeros((3, 3), dtype=int)
    np.add.at(found, (rows, columns), 1)
    return found


def jackknife_error(codes, first, second, weights):
    """Of the difference, leaving out one item of both pairs at a time."""
    used = codes[(codes[:, first] >= 0).all(axis=1) | (codes[:, second] >= 0).all(axis=1)]
    without = np.array(
        [
            kappa(some, first, weights).kappa[0] - kappa(some, second, weights).kappa[0]
            for some in (np.delete(used, item, axis=0) for item in range(len(used)))
        ]
    )
    return np.sqrt((len(used) - 1) * without.var())


@pytest.mark.parametrize("weights", ["unweighted", "quadratic"])
@pytest.mark.parametrize("share", [1, 0.7])
@pytest.mark.parametrize(("first", "second"), [((0, 1), (2, 3)), ((0, 1), (0, 2)), ((1, 0), (2, 0))])
def test_error_is_close_to_the_jackknife_of_the_difference(first, second, share, weights):
    codes = random_codes(1, n_items=size(600, 250), n_raters=4, n_categories=3, share=share)
    costs = weighting(weights, n_categories=3)

    found = pair_difference(from_codes(codes, n_categories=3), first, second, costs)

    expected = kappa(codes, first, costs).kappa[0] - kappa(codes, second, costs).kappa[0]
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.se == pytest.approx(jackknife_error(codes, first, second, costs), rel=0.015)
    enters = [(codes[:, pair] >= 0).all(axis=1) for pair in (first, second)]
    assert (found.n_first, found.n_second) == (enters[0].sum(), enters[1].sum())
    assert found.n_shared == (enters[0] & enters[1]).sum()


def test_pairs_without_shared_items_are_independent():
    codes = random_codes(2, n_items=200, n_raters=4, n_categories=3, share=1)
    codes[:120, 2:] = -1
    codes[120:, :2] = -1
    first, second = kappa(codes, (0, 1)), kappa(codes, (2, 3))
    error = np.hypot(first.se[0], second.se[0])

    found = pair_difference(from_codes(codes, n_categories=3), (0, 1), (2, 3), UNWEIGHTED)

    assert (found.n_first, found.n_second, found.n_shared, found.method) == (120, 80, 0, INDEPENDENT)
    gap = first.kappa[0] - second.kappa[0]
    assert (found.value, found.se) == pytest.approx((gap, error))
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(gap) / error))


@pytest.mark.parametrize("shared", [0, 60, 200])
def test_bootstrap_error_is_close_to_the_linearised_one(shared):
    codes = random_codes(3, n_items=400 - shared, n_raters=4, n_categories=3, share=1)
    codes[: 200 - shared, 2:] = -1
    codes[200:, :2] = -1
    ratings = from_codes(codes, n_categories=3)
    linearised = pair_difference(ratings, (0, 1), (2, 3), UNWEIGHTED)

    found = bootstrap_pair_difference(ratings, (0, 1), (2, 3), UNWEIGHTED, seed=1, n_replicates=4_000)

    assert found.n_shared == linearised.n_shared == shared
    assert found.se == pytest.approx(linearised.se, rel=0.05)
    assert (found.ci_low, found.ci_high) == pytest.approx((linearised.ci_low, linearised.ci_high), abs=0.02)
    assert found == bootstrap_pair_difference(ratings, (0, 1), (2, 3), UNWEIGHTED, seed=1, n_replicates=4_000)


def test_bootstrap_draws_items_of_both_pairs_together():
    # Two pairs that always agree with each other: every draw must leave no difference.
    codes = random_codes(4, n_items=50, n_raters=2, n_categories=3, share=1)
    ratings = from_codes(np.hstack([codes, codes]), n_categories=3)

    found = bootstrap_pair_difference(ratings, (0, 1), (2, 3), UNWEIGHTED, seed=2, n_replicates=100)

    assert (found.value, found.se, found.reason) == (0, 0, Reason.DEGENERATE_SE)


def test_intervals_cover_the_difference_of_two_pairs_with_a_rater_in_common():
    # Rater 0 sees the truth; raters 1 and 2 see it with chances of 0.8 and 0.65, else they guess.
    def draw(random, n):
        truth = random.integers(0, 2, n)
        seen = random.random((2, n)) < [[0.8], [0.65]]
        return np.vstack([truth, np.where(seen, truth, random.integers(0, 2, (2, n)))]).T

    costs = weighting("unweighted", n_categories=2)
    random = np.random.default_rng(5)

    found = [
        pair_difference(from_codes(draw(random, 100), n_categories=2), (0, 1), (0, 2), costs)
        for _ in range(1_000)
    ]

    # With even categories kappa is the chance to see the truth. The share has an error of 0.7%.
    is_covered = [each.ci_low <= 0.8 - 0.65 <= each.ci_high for each in found]
    assert 0.93 <= np.mean(is_covered) <= 0.97


@pytest.mark.parametrize(
    ("lines", "value", "reason"),
    [
        (("aabb..", "abbb..", "....a.", ".....b"), None, Reason.NO_OVERLAP),
        (("aabb", "abbb", "aaaa", "aaaa"), None, Reason.NO_VARIATION),
        (("aabb", "abbb", "aaaa", "aaab"), 0.5, Reason.DEGENERATE_MARGINS),
        (("aabb", "abbb", "abab", "abab"), -0.5, Reason.DEGENERATE_SE),
        (("aabb", "abbb", "a...", "b..."), 0.5, Reason.ONE_ITEM),
    ],
)
def test_differences_without_interval_say_why(lines, value, reason):
    ratings, costs = from_lines(*lines, categories="ab"), weighting("unweighted", n_categories=2)

    for found in (
        pair_difference(ratings, (0, 1), (2, 3), costs),
        bootstrap_pair_difference(ratings, (0, 1), (2, 3), costs, seed=1, n_replicates=100),
    ):
        assert (found.value, found.reason, found.ci_low, found.p_value) == (value, reason, None, None)
