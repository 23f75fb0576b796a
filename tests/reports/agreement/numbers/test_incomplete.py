"""ICC(A,1), ICC(A,k), ICC(C,1), and ICC(C,k) where not every rater labeled every item."""

import numpy as np
import pytest

from reports.agreement.numbers.icc import intraclass_correlations
from reports.agreement.numbers.incomplete import NAMES, incomplete_correlations
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.numbers.reml import reml_components
from reports.agreement.results import Reason
from tests.reports.agreement.numbers.test_reml import PENICILLIN, rotation

NAN = np.nan


def test_without_empty_cells_they_are_those_of_analysis_of_variance():
    sample = NumberSample(PENICILLIN)

    found, complete = incomplete_correlations(sample), intraclass_correlations(sample)

    for name in NAMES:
        mine, theirs = found[name], complete[name.removesuffix("_reml")]
        assert mine.value == pytest.approx(theirs.value, abs=1e-8)
        # Theirs is Satterthwaite's approximation for ICC(A), and exact for ICC(C).
        near = 0.002 if "_c_" in name else 0.02
        assert (mine.ci_low, mine.ci_high) == pytest.approx((theirs.ci_low, theirs.ci_high), abs=near)


def test_they_are_shares_of_the_components():
    """Three items by two raters each and one by four: k = 4 / (3 / 2 + 1 / 4) = 16 / 7."""
    x = [
        [9, 7, NAN, NAN],
        [NAN, 5, 6, NAN],
        [NAN, NAN, 2, 1],
        [7, 8, 7, 6],
    ]
    sample, k = NumberSample(x), 16 / 7
    components = reml_components(sample)
    i, r, e = components.items, components.raters, components.residual

    found = incomplete_correlations(sample)

    assert found["icc_a_1_reml"].value == pytest.approx(i / (i + r + e))
    assert found["icc_c_1_reml"].value == pytest.approx(i / (i + e))
    assert found["icc_a_k_reml"].value == pytest.approx(i / (i + (r + e) / k))
    assert found["icc_c_k_reml"].value == pytest.approx(i / (i + e / k))
    assert found["icc_a_k_reml"].method == "two-way random effects by REML, k = 2.286"
    assert found["icc_a_1_reml"].method == "two-way random effects by REML"


def test_items_with_one_label_are_left_out():
    x = np.array(PENICILLIN, dtype=float)
    x[::2, ::2] = NAN
    more = np.full((3, 6), NAN)
    more[:, 1] = (90, 10, 50)

    found = incomplete_correlations(NumberSample(np.vstack((x, more))))["icc_a_1_reml"]

    assert found.value == incomplete_correlations(NumberSample(x))["icc_a_1_reml"].value
    assert (found.used.n_items, found.left_out.n_items) == (24, 3)


def test_means_of_more_labels_are_stepped_up():
    """Spearman and Brown's formula holds for the value and both limits."""
    found = incomplete_correlations(rotation(40, 8, 3))

    for one, mean in (("icc_a_1_reml", "icc_a_k_reml"), ("icc_c_1_reml", "icc_c_k_reml")):
        for of in ("value", "ci_low", "ci_high"):
            r = getattr(found[one], of)
            assert getattr(found[mean], of) == pytest.approx(3 * r / (1 + 2 * r), abs=2e-4)


def test_a_higher_confidence_widens():
    sample = rotation(40, 8, 3)

    usual, wide = (incomplete_correlations(sample, confidence=each)["icc_a_1_reml"] for each in (0.95, 0.99))

    assert wide.ci_low < usual.ci_low < usual.value < usual.ci_high < wide.ci_high


def test_items_that_do_not_vary_have_0_and_an_interval():
    found = incomplete_correlations(NumberSample([[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 3, NAN]]))[
        "icc_a_1_reml"
    ]

    assert found.value == found.ci_low == 0
    assert 0 < found.ci_high < 1


def test_raters_who_agree_have_1_without_interval():
    found = incomplete_correlations(NumberSample([[1, 1, NAN], [2, NAN, 2], [5, 5, 5]]))

    for each in found.values():
        assert each.value == pytest.approx(1)
        assert (each.ci_low, each.reason) == (None, Reason.DEGENERATE_SE)


def test_raters_who_differ_by_a_constant():
    """Items 1, 2, and 6, raters 0, 1, and 5: variances 7 and 7, no residual."""
    found = incomplete_correlations(NumberSample([[1, 2, NAN], [2, NAN, 7], [6, 7, 11]]))

    assert found["icc_a_1_reml"].value == pytest.approx(0.5)
    assert 0 < found["icc_a_1_reml"].ci_low < 0.5 < found["icc_a_1_reml"].ci_high < 1
    assert found["icc_c_1_reml"].value == pytest.approx(1)
    assert found["icc_c_1_reml"].reason is Reason.DEGENERATE_SE


def test_raters_who_each_give_one_number():
    found = incomplete_correlations(NumberSample([[1, 2, NAN], [1, NAN, 7], [1, 2, 7]]))

    assert found["icc_a_1_reml"].value == 0
    assert (found["icc_a_1_reml"].ci_low, found["icc_a_1_reml"].reason) == (None, Reason.DEGENERATE_MARGINS)
    assert (found["icc_c_1_reml"].value, found["icc_c_1_reml"].reason) == (None, Reason.NO_ITEM_VARIATION)


def test_groups_of_raters_without_a_shared_item():
    x = [[1, 2, NAN, NAN], [3, 4, NAN, NAN], [NAN, NAN, 5, 7], [NAN, NAN, 8, 6]]

    found = incomplete_correlations(NumberSample(x))

    assert {(each.value, each.reason) for each in found.values()} == {(None, Reason.NOT_CONNECTED)}


def test_many_items_are_quick():
    """The largest system is raters by raters: 40 of them and 10,000 items take about half a second."""
    found = incomplete_correlations(rotation(10_000, 40, 3))["icc_a_1_reml"]

    assert found.value == pytest.approx(4 / 5.49, abs=0.04)
