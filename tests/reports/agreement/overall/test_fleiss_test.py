"""The test of Fleiss' kappa = 0."""

import numpy as np
import pytest

from reports.agreement.overall.fleiss_test import fleiss_zero, fleiss_zero_by_category
from reports.agreement.results import REASONS, Reason
from reports.agreement.sample import Sample
from tests.reports.agreement.published import ANXIETY, FLEISS_1971, GWET_4_RATERS, WIKIPEDIA
from tests.reports.agreement.samples import from_lines


@pytest.mark.parametrize(
    ("ratings", "kappa", "null_se"),
    # R irr 0.84.1 and DescTools.
    [
        (FLEISS_1971, 0.430244520060141, 0.0243739320994112),
        (WIKIPEDIA, 0.209930704421955, 0.0169650692243931),
        (ANXIETY, -0.0410764872521247, 0.0647738940432227),
    ],
)
def test_published_null_errors(ratings, kappa, null_se):
    found = fleiss_zero(Sample(ratings))

    assert found.statistic == pytest.approx([kappa / null_se], rel=1e-9)
    assert np.isnan(found.df).all()


def test_the_p_value_is_two_sided():
    found = fleiss_zero(Sample(ANXIETY))

    # z = -.634152; 2 (1 - Phi(.634152)), Phi of a table: .7370.
    assert found.statistic == pytest.approx([-0.634152], abs=1e-6)
    assert found.p_value == pytest.approx([0.526], abs=5e-4)


def test_published_null_errors_of_categories():
    found = fleiss_zero_by_category(Sample(FLEISS_1971))

    # R irr 0.84.1: kappas of the diagnoses over .047140.
    kappas = np.array([0.244755244755245, 0.244755244755245, 0.52, 0.471127272727273, 0.566117806823969])
    assert found.statistic == pytest.approx(kappas / 0.0471404520791032, rel=1e-9)


@pytest.mark.parametrize("test", [fleiss_zero, fleiss_zero_by_category])
@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], Reason.NO_ITEMS),
        (["yyn"], Reason.NO_OVERLAP),
        (["yyn", "yn."], Reason.UNEQUAL_LABELS),
        (["yyy", "yyy"], Reason.NO_VARIATION),
    ],
)
def test_undefined_cases(lines, reason, test):
    found = test(Sample(from_lines(*lines, categories="yn")))

    assert REASONS[found.reason[0]] is reason
    assert np.isnan(found.statistic).all()
    assert np.isnan(found.p_value).all()


def test_items_with_different_numbers_of_labels_are_not_tested():
    assert REASONS[fleiss_zero(Sample(GWET_4_RATERS)).reason[0]] is Reason.UNEQUAL_LABELS


def test_a_category_that_nobody_used_is_undefined():
    found = fleiss_zero_by_category(Sample(from_lines("aab", "aba", categories="abc")))

    assert [REASONS[position] for position in found.reason] == [
        Reason.NONE,
        Reason.NONE,
        Reason.CATEGORY_UNUSED,
    ]
    assert np.isnan(found.statistic[2])
