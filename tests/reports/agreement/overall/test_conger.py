"""Conger's kappa."""

import numpy as np
import pytest

from reports.agreement import profiles
from reports.agreement.overall.conger import CONGER_KAPPA, conger_kappa
from reports.agreement.overall.statistic import estimate
from reports.agreement.pairs.cohen import cohen_kappa
from reports.agreement.results import Reason
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Weights, weighting
from tests.reference.conventions import with_gwet_error
from tests.reference.rows import figures_of
from tests.reports.agreement.published import GWET_4_RATERS, HAYES_KRIPPENDORFF_2007, KRIPPENDORFF_2011
from tests.reports.agreement.samples import from_codes, from_lines, from_table, random_codes

COHEN_1960_EXAMPLE_2 = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]


@pytest.mark.parametrize(
    ("ratings", "value", "se"),
    # R irrCAC 1.4 and Python irrCAC 0.4.4.
    [
        (GWET_4_RATERS, 0.762817441303306, 0.149168152480174),
        (KRIPPENDORFF_2011, 0.762067, 0.150109),
        (HAYES_KRIPPENDORFF_2007, 0.472608, 0.068782),
    ],
)
def test_published_values(ratings, value, se):
    found = estimate(CONGER_KAPPA, Sample(ratings), Scale(ratings.n_categories))

    sample, scale = Sample(ratings), Scale(ratings.n_categories)
    gwet = with_gwet_error(figures_of(found), CONGER_KAPPA, sample, scale)
    assert (found.value, gwet.se) == pytest.approx((value, se), abs=6e-7)


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic", "radical"])
def test_two_raters_have_cohens_kappa(weights):
    scale = Scale(3, weights=Weights(weights))
    cohen = cohen_kappa(np.array([COHEN_1960_EXAMPLE_2]), weighting(weights, n_categories=3))

    found = estimate(CONGER_KAPPA, Sample(from_table(COHEN_1960_EXAMPLE_2)), scale)

    assert found.value == pytest.approx(cohen.kappa[0], abs=1e-12)
    # Errors over items divide by n - 1, those of a table by n.
    assert found.se == pytest.approx(cohen.se[0] * np.sqrt(200 / 199), abs=1e-12)


def test_items_with_one_label_count_in_the_margins():
    # Section "3 shared + 1 single": irrCAC .3333.
    found = estimate(CONGER_KAPPA, Sample(from_lines("yynn", "ynn.", categories="yn")), Scale(2))

    assert found.value == pytest.approx(1 / 3, abs=1e-12)
    assert (found.used.n_items, found.left_out.n_items) == (4, 0)


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
        (["y", "y"], None, Reason.NO_VARIATION),
    ],
)
def test_undefined_and_degenerate_cases(lines, value, reason):
    found = estimate(CONGER_KAPPA, Sample(from_lines(*lines, categories="yn")), Scale(2))

    assert (found.value, found.reason, found.ci_low) == (value, reason, None)


def test_too_many_items_and_raters_are_refused(monkeypatch):
    monkeypatch.setattr(profiles, "MOST_CELLS", 47)

    found = estimate(CONGER_KAPPA, Sample(GWET_4_RATERS), Scale(5))

    assert (found.value, found.reason) == (None, Reason.TOO_LARGE)


def test_a_rater_without_items_in_a_sample_is_left_out_of_it():
    sample = Sample(from_lines("ynyn.", "yynn.", "....y", "nnnny", categories="yn"))
    without = Sample(from_lines("ynyn", "yynn", "nnnn", categories="yn"))
    weights = sample.profiles.is_labeled[:, 0] * sample.profiles.n_items

    value = conger_kappa(sample.profiles, Scale(2), weights[None, :].astype(np.float64))

    assert value == pytest.approx([estimate(CONGER_KAPPA, without, Scale(2)).value], abs=1e-12)


def test_blocks_of_items_change_nothing(monkeypatch):
    ratings = from_codes(random_codes(4, n_items=50, n_raters=5, n_categories=3), n_categories=3)
    whole = estimate(CONGER_KAPPA, Sample(ratings), Scale(3))
    monkeypatch.setattr(profiles, "BLOCK_CELLS", 30)

    assert estimate(CONGER_KAPPA, Sample(ratings), Scale(3)) == whole
