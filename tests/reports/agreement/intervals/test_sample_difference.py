"""Differences between rounds and between groups of raters: shared, partly shared and separate items."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from reports.agreement.intervals.difference import WELCH
from reports.agreement.intervals.joint import join
from reports.agreement.intervals.sample_difference import (
    bootstrap_sample_difference,
    of_raters,
    sample_difference,
)
from reports.agreement.overall.chance_corrected import FLEISS_KAPPA, GWET_AC
from reports.agreement.overall.conger import CONGER_KAPPA
from reports.agreement.overall.kendall import KENDALL_W
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.overall.statistic import estimate
from reports.agreement.ratings import to_dense, to_sparse
from reports.agreement.results import Reason, Undefined
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level
from tests.reports.agreement.samples import from_codes, from_lines, random_codes
from tests.sizes import only_in_full, some

STATISTICS = [FLEISS_KAPPA, GWET_AC, KRIPPENDORFF_ALPHA, CONGER_KAPPA]
SCALE = Scale(3)


def sample_of(codes):
    return Sample(from_codes(codes, n_categories=3))


def value_of(statistic, codes):
    return estimate(statistic, sample_of(codes), SCALE).value


def of_groups(statistic, ratings, scale, first, second):
    """Two groups of raters of the same items."""
    items = np.arange(ratings.n_items)
    groups = (Sample(of_raters(ratings, raters)) for raters in (first, second))
    return sample_difference(statistic, *groups, scale, first_items=items, second_items=items)


def two_rounds(seed, *, shared):
    """Three raters of 150 items, of which the last are labeled again by three others in a round of 120 items."""
    codes = random_codes(seed, n_items=270 - shared, n_raters=6, n_categories=3, share=1)
    first, second = codes[:150, :3], codes[150 - shared :, 3:]
    return first, second, np.arange(150), np.arange(150 - shared, 270 - shared)


def jackknife_error(statistic, first, second, first_items, second_items):
    """Of the difference, leaving out one item of either round, or of both, at a time."""
    items = np.union1d(first_items, second_items)
    without = np.array(
        [
            value_of(statistic, first[first_items != item])
            - value_of(statistic, second[second_items != item])
            for item in items
        ]
    )
    return np.sqrt((len(items) - 1) * without.var())


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda each: each.name)
@pytest.mark.parametrize("shared", some([60, 0, 120], every=3))
def test_error_is_close_to_the_jackknife_of_the_difference(statistic, shared):
    first, second, first_items, second_items = two_rounds(1, shared=shared)

    found = sample_difference(
        statistic,
        sample_of(first),
        sample_of(second),
        SCALE,
        first_items=first_items,
        second_items=second_items,
    )

    assert found.value == pytest.approx(value_of(statistic, first) - value_of(statistic, second), abs=1e-12)
    assert (found.n_first, found.n_second, found.n_shared) == (150, 120, shared)
    # Of rounds without shared items, the next test but one has the degrees of freedom by Welch.
    assert not shared or found.df == 119
    expected = jackknife_error(statistic, first, second, first_items, second_items)
    assert found.se == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("shared", [0, 60, 120])
def test_bootstrap_error_is_close_to_the_linearised_one(shared):
    first, second, first_items, second_items = two_rounds(2, shared=shared)
    both = (KRIPPENDORFF_ALPHA, sample_of(first), sample_of(second), SCALE)
    items = {"first_items": first_items, "second_items": second_items}
    linearised = sample_difference(*both, **items)

    found = bootstrap_sample_difference(*both, seed=1, n_replicates=4_000, **items)

    assert found.se == pytest.approx(linearised.se, rel=0.06)
    assert (found.ci_low, found.ci_high) == pytest.approx((linearised.ci_low, linearised.ci_high), abs=0.025)
    assert found.p_value == pytest.approx(linearised.p_value, abs=0.05)
    assert found.n_shared == shared


def test_separate_rounds_are_compared_by_their_own_errors():
    first, second, _, _ = two_rounds(3, shared=0)
    a, b = (estimate(KRIPPENDORFF_ALPHA, sample_of(codes), SCALE) for codes in (first, second))

    found = sample_difference(KRIPPENDORFF_ALPHA, sample_of(first), sample_of(second), SCALE)

    error = np.hypot(a.se, b.se)
    assert found.method == WELCH
    assert (found.value, found.se) == pytest.approx((a.value - b.value, error))
    df = error**4 / (a.se**4 / (found.n_first - 1) + b.se**4 / (found.n_second - 1))
    assert found.df == int(df)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(a.value - b.value) / error, int(df)))


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda each: each.name)
def test_two_groups_of_raters_are_paired(statistic):
    codes = random_codes(4, n_items=160, n_raters=6, n_categories=3, share=0.8)
    # On every second item all raters agree.
    codes[::2] = np.where(codes[::2] >= 0, np.arange(80)[:, None] % 3, -1)
    codes = codes[(codes[:, :3] >= 0).sum(axis=1) >= 2]
    codes = codes[(codes[:, 3:] >= 0).sum(axis=1) >= 2]
    items = np.arange(len(codes))

    found = of_groups(statistic, from_codes(codes, n_categories=3), SCALE, [0, 1, 2], [3, 4, 5])

    assert found.n_shared == found.n_first == found.n_second == len(codes)
    expected = jackknife_error(statistic, codes[:, :3], codes[:, 3:], items, items)
    assert found.se == pytest.approx(expected, rel=0.03)
    first, second = (estimate(statistic, sample_of(some), SCALE).se for some in np.hsplit(codes, 2))
    # Items that are easy for one group are easy for the other.
    assert found.se < 0.9 * np.hypot(first, second)


def test_statistic_without_linearised_values_takes_the_jackknife():
    first, second, first_items, second_items = two_rounds(5, shared=60)
    items = {"first_items": first_items, "second_items": second_items}
    both = (sample_of(first), sample_of(second), SCALE)

    found = sample_difference(replace(FLEISS_KAPPA, item_values=None), *both, **items)

    assert found.se == pytest.approx(sample_difference(FLEISS_KAPPA, *both, **items).se, rel=0.03)


def test_items_are_matched_by_who_they_are():
    first, second, first_items, second_items = two_rounds(6, shared=60)
    mixed = np.random.default_rng(1).permutation(120)

    found = [
        sample_difference(
            GWET_AC,
            sample_of(first),
            Sample(keep(sample_of(second[order]).ratings)),
            SCALE,
            first_items=first_items * 7,
            second_items=second_items[order] * 7,
        )
        for order, keep in ((np.arange(120), to_dense), (mixed, to_dense), (mixed, to_sparse))
    ]

    assert found[0].se == pytest.approx(found[1].se, rel=1e-12)
    assert found[1] == found[2]


def test_items_that_a_statistic_leaves_out_are_left_out_of_the_difference():
    codes = random_codes(12, n_items=200, n_raters=6, n_categories=3, share=0.9)
    ratings, scale = from_codes(codes, n_categories=3), Scale(3, level=Level.ORDINAL)

    found = of_groups(KENDALL_W, ratings, scale, [0, 1, 2], [3, 4, 5])

    is_complete = [(some >= 0).all(axis=1) for some in np.hsplit(codes, 2)]
    assert (found.n_first, found.n_second) == (is_complete[0].sum(), is_complete[1].sum())
    assert found.n_shared == (is_complete[0] & is_complete[1]).sum()
    expected = estimate(KENDALL_W, Sample(of_raters(ratings, [0, 1, 2])), scale).value
    assert found.first == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n_categories", [2, 8, 9, 30])
def test_samples_keep_their_values_with_any_number_of_categories(n_categories):
    codes = random_codes(11, n_items=80, n_raters=6, n_categories=n_categories)
    ratings, scale = from_codes(codes, n_categories=n_categories), Scale(n_categories)

    for statistic in (KRIPPENDORFF_ALPHA, CONGER_KAPPA):
        found = of_groups(statistic, ratings, scale, [0, 1, 2, 3], [3, 4, 5])

        groups = (Sample(of_raters(ratings, raters)) for raters in ([0, 1, 2, 3], [3, 4, 5]))
        expected = [estimate(statistic, group, scale).value for group in groups]
        assert (found.first, found.second) == pytest.approx(tuple(expected), abs=1e-12)


def test_drawn_weights_are_those_of_both_samples():
    codes = random_codes(7, n_items=60, n_raters=4, n_categories=3, share=0.6)
    ratings = from_codes(codes, n_categories=3)
    samples = [Sample(of_raters(ratings, raters)) for raters in ([0, 1], [2, 3])]
    items = np.arange(ratings.n_items)
    joint = join(FLEISS_KAPPA, *samples, first_items=items, second_items=items)

    drawn = np.random.default_rng(2).integers(0, 4, (3, len(joint.n_items))).astype(float)

    for half, sample in zip((joint.first, joint.second), samples, strict=True):
        assert (half.weights(joint.n_items[None, :].astype(float))[0] == half.units.n_items).all()
        assert half.units.n_items.sum() == sample.size.n_items
        for kind in range(len(half.units.n_items)):
            assert (half.weights(drawn)[:, kind] == drawn[:, half.kinds == kind].sum(axis=1)).all()


@only_in_full
def test_intervals_cover_the_difference_of_two_groups():
    # Three raters who see the truth with a chance of 0.9, and three with 0.7; all guess otherwise.
    chances = np.repeat([[0.9], [0.7]], 3, axis=0)
    random = np.random.default_rng(8)

    def draw():
        truth = random.integers(0, 3, 80)
        codes = np.where(random.random((6, 80)) < chances, truth, random.integers(0, 3, (6, 80)))
        return of_groups(FLEISS_KAPPA, from_codes(codes.T, n_categories=3), SCALE, [0, 1, 2], [3, 4, 5])

    found = [draw() for _ in range(500)]

    # Kappa of two raters with the same chance is its square. The share has an error of 1%.
    is_covered = [each.ci_low <= 0.9**2 - 0.7**2 <= each.ci_high for each in found]
    assert 0.92 <= np.mean(is_covered) <= 0.98


@pytest.mark.parametrize(
    ("lines", "value", "reason"),
    [
        (("aabb", "abbb", "a...", ".b.."), None, Reason.NO_OVERLAP),
        (("aabb", "abbb", "aaaa", "aaaa"), None, Reason.NO_VARIATION),
        (("aabb", "abbb", "aaaa", "bbbb"), 7 / 15 + 1, Reason.DEGENERATE_MARGINS),
        (("aabb", "abbb", "abab", "abab"), 7 / 15 - 1, Reason.DEGENERATE_SE),
        (("aabb", "abbb", "a...", "b..."), 7 / 15 + 1, Reason.ONE_ITEM),
    ],
)
def test_differences_without_interval_say_why(lines, value, reason):
    ratings = from_lines(*lines, categories="ab")
    samples = [Sample(of_raters(ratings, raters)) for raters in ([0, 1], [2, 3])]
    items = {"first_items": range(4), "second_items": range(4)}

    for found in (
        sample_difference(FLEISS_KAPPA, *samples, Scale(2), **items),
        bootstrap_sample_difference(FLEISS_KAPPA, *samples, Scale(2), seed=1, n_replicates=100, **items),
    ):
        assert found.value == pytest.approx(value) if value is not None else found.value is None
        assert (found.reason, found.ci_low, found.p_value) == (reason, None, None)


def test_too_much_for_a_statistic_is_undefined_with_its_reason():
    def refuse(sample):
        raise Undefined(Reason.NO_VARIATION)

    sample = sample_of(random_codes(9, n_items=10, n_raters=2, n_categories=3))
    refused = replace(FLEISS_KAPPA, units=refuse)

    assert sample_difference(refused, sample, sample, SCALE).reason == Reason.NO_VARIATION
    assert bootstrap_sample_difference(refused, sample, sample, SCALE, seed=1).value is None


def test_items_must_be_one_for_each_row():
    sample = sample_of(random_codes(10, n_items=10, n_raters=2, n_categories=3, share=1))

    with pytest.raises(ValueError, match="10 different ones"):
        sample_difference(FLEISS_KAPPA, sample, sample, SCALE, first_items=range(10), second_items=[0] * 10)
