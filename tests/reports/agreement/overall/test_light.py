"""Light's kappa."""

import itertools

import numpy as np
import pytest

from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.overall import light
from reports.agreement.overall.light import LIGHT_KAPPA, light_kappa
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights, weighting
from tests.reports.agreement.published import ANXIETY, GWET_4_RATERS, HAYES_KRIPPENDORFF_2007
from tests.reports.agreement.samples import from_codes, from_lines, from_table, random_codes


@pytest.mark.parametrize(
    ("ratings", "value"),
    [
        # R irr, DescTools and psy, nltk.
        (ANXIETY, -0.0174788748697766),
        # Means over pairs of the items that both labeled.
        (GWET_4_RATERS, 0.700163),
        (HAYES_KRIPPENDORFF_2007, 0.485589),
    ],
)
def test_published_values(ratings, value):
    found = estimate(LIGHT_KAPPA, Sample(ratings), Scale(ratings.n_categories))

    assert found.value == pytest.approx(value, abs=6e-7)


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic", "bipolar"])
def test_two_raters_have_cohens_kappa_and_its_error(weights):
    table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
    cohen = cohen_kappa(np.array([table]), weighting(weights, n_categories=3))

    found = estimate(LIGHT_KAPPA, Sample(from_table(table)), Scale(3, weights=Weights(weights)))

    assert found.value == pytest.approx(cohen.kappa[0], abs=1e-12)
    # Errors over items divide by n - 1, those of a table by n.
    assert found.se == pytest.approx(cohen.se[0] * np.sqrt(200 / 199), abs=1e-12)


@pytest.mark.parametrize("weights", ["unweighted", "linear"])
def test_it_is_the_mean_over_pairs_with_gaps(weights):
    codes = random_codes(21, n_items=120, n_raters=6, n_categories=4, share=0.4)
    tables = np.array(
        [
            [[((codes[:, a] == k) & (codes[:, b] == m)).sum() for m in range(4)] for k in range(4)]
            for a, b in itertools.combinations(range(6), 2)
        ]
    )
    kappas = cohen_kappa(tables, weighting(weights, n_categories=4)).kappa

    found = estimate(
        LIGHT_KAPPA, Sample(from_codes(codes, n_categories=4)), Scale(4, weights=Weights(weights))
    )

    assert found.value == pytest.approx(kappas.mean(), abs=1e-12)
    assert found.method == f"{weights}, mean of 15 of 15 pairs"


def test_the_linearised_error_is_close_to_the_jackknife():
    sample = Sample(from_codes(random_codes(22, n_items=500, n_raters=5, n_categories=3), n_categories=3))

    found = estimate(LIGHT_KAPPA, sample, Scale(3))

    assert found.se == pytest.approx(jackknife(LIGHT_KAPPA, sample, Scale(3)).se, rel=0.02)
    assert found.interval_method == "t over items"


def test_pairs_without_a_kappa_are_counted_and_left_out():
    # The third rater shares no item with the first, and the second and third use one category only where they meet.
    found = estimate(LIGHT_KAPPA, Sample(from_lines("ynyn..", "yynnyy", "....yy", categories="yn")), Scale(2))

    assert found.value == pytest.approx(0, abs=1e-15)
    assert found.method == "unweighted, mean of 1 of 3 pairs"


@pytest.mark.parametrize(
    ("lines", "value", "reason"),
    [
        ([], None, Reason.NO_ITEMS),
        (["yyn"], None, Reason.NO_OVERLAP),
        (["yn..", "..yn"], None, Reason.NO_OVERLAP),
        (["yyyy", "yyyy"], None, Reason.NO_VARIATION),
        (["yyyy", "nnnn"], 0.0, Reason.DEGENERATE_MARGINS),
        (["ynyn", "yyyy"], 0.0, Reason.DEGENERATE_MARGINS),
        (["yynn", "yynn", "yynn"], 1.0, Reason.DEGENERATE_SE),
        (["y", "n"], 0.0, Reason.ONE_ITEM),
    ],
)
def test_undefined_and_degenerate_cases(lines, value, reason):
    found = estimate(LIGHT_KAPPA, Sample(from_lines(*lines, categories="yn")), Scale(2))

    assert (found.value, found.reason, found.ci_low) == (value, reason, None)


def test_too_much_work_is_refused(monkeypatch):
    monkeypatch.setattr(light, "MOST_COMPARISONS", 10)

    found = estimate(LIGHT_KAPPA, Sample(GWET_4_RATERS), Scale(5))

    assert (found.value, found.reason, found.method) == (None, Reason.TOO_LARGE, "unweighted")


def test_weights_on_items_and_blocks_change_nothing(monkeypatch):
    codes = random_codes(23, n_items=40, n_raters=5, n_categories=3, share=0.5)
    profiles = Sample(from_codes(codes, n_categories=3)).profiles
    weights = np.random.default_rng(23).poisson(1, (4, len(profiles.n_items))).astype(np.float64)
    values = light_kappa(profiles, Scale(3), weights)
    monkeypatch.setattr(light, "BLOCK_CELLS", 6)

    assert np.array_equal(light_kappa(profiles, Scale(3), weights), values)
    for row, value in zip(weights.astype(int), values, strict=True):
        drawn = np.where(profiles.is_labeled, profiles.codes.astype(int), -1).repeat(row, axis=0)
        found = estimate(LIGHT_KAPPA, Sample(from_codes(drawn, n_categories=3)), Scale(3))
        assert value == pytest.approx(found.value, abs=1e-12)


def test_raters_who_share_only_later_items_are_found(monkeypatch):
    codes = random_codes(22, n_items=80, n_raters=5, n_categories=3, share=0.5)
    codes[:40, 1] = -1
    sample = Sample(from_codes(codes, n_categories=3))
    at_once = estimate(LIGHT_KAPPA, sample, Scale(3))

    monkeypatch.setattr(light, "FEW_ITEMS", 1)

    assert estimate(LIGHT_KAPPA, Sample(from_codes(codes, n_categories=3)), Scale(3)) == at_once
