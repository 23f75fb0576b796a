"""Cochran's Q."""

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import cochrans_q

from reports.agreement.overall.cochran import cochran_q
from reports.agreement.results import REASONS, Reason
from reports.agreement.sample import Sample
from tests.reports.agreement.samples import from_codes, from_lines, from_table, random_codes


def test_a_table_worked_by_hand():
    # Totals of raters 3, 2, 1; of items 3, 2, 1, 0: Q = 2 (3 (9 + 4 + 1) - 36) / (3 * 6 - 14) = 3.
    found = cochran_q(Sample(from_lines("yyyn", "yynn", "ynnn", categories="yn")))

    # p = exp(-3 / 2), chi-squared with 2 degrees of freedom.
    assert (found.statistic[0], found.df[0]) == (3.0, 2.0)
    assert found.p_value[0] == pytest.approx(np.exp(-1.5), abs=1e-15)


@pytest.mark.parametrize("n_raters", [2, 3, 7])
def test_it_is_that_of_statsmodels(n_raters):
    codes = random_codes(61, n_items=40, n_raters=n_raters, n_categories=2, share=1.0)
    peer = cochrans_q(codes)

    found = cochran_q(Sample(from_codes(codes, n_categories=2)))

    assert (found.statistic[0], found.p_value[0]) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-9)


def test_two_raters_have_mcnemars_test():
    # (10 - 5)^2 / (10 + 5).
    found = cochran_q(Sample(from_table([[80, 10], [5, 5]])))

    assert found.statistic[0] == pytest.approx(25 / 15, abs=1e-12)


def test_items_without_a_label_of_every_rater_are_left_out():
    found = cochran_q(Sample(from_lines("yyynyy", "yynnn.", "ynnn.n", categories="yn")))

    assert found.statistic[0] == 3.0


def test_raters_who_agree_on_every_item():
    found = cochran_q(Sample(from_lines("yyn", "yyn", "yyn", categories="yn")))

    assert (found.statistic[0], found.df[0], found.p_value[0]) == (0.0, 2.0, 1.0)


@pytest.mark.parametrize(
    ("lines", "categories", "reason"),
    [
        (["abc", "abc"], "abc", Reason.NOT_TWO_CATEGORIES),
        ([], "yn", Reason.NO_ITEMS),
        (["yyn"], "yn", Reason.NO_OVERLAP),
        (["yn..", "ny.y", "..yn"], "yn", Reason.NO_COMPLETE_ITEMS),
    ],
)
def test_undefined_cases(lines, categories, reason):
    found = cochran_q(Sample(from_lines(*lines, categories=categories)))

    assert REASONS[found.reason[0]] is reason
    assert np.isnan([found.statistic[0], found.df[0], found.p_value[0]]).all()
