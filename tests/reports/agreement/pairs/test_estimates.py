"""Estimates of stacks: block by block, and with their intervals."""

import numpy as np
import pytest

from reports.agreement.pairs.chance_corrected import brennan_prediger, gwet_ac, scott_pi
from reports.agreement.pairs.confusion_matrices import PairTables
from reports.agreement.pairs.estimates import BLOCK_CELLS, reasons, wilson_estimates
from reports.agreement.pairs.krippendorff import krippendorff_alpha
from reports.agreement.results import REASONS, Estimates, Reason
from reports.agreement.sample import Scale
from reports.agreement.weights import Level, weighting

LINEAR = weighting("linear", n_categories=4)


def alpha(tables: PairTables) -> Estimates:
    return krippendorff_alpha(tables.counts, Scale(4, Level.ORDINAL))


@pytest.mark.parametrize("statistic", [scott_pi, brennan_prediger, gwet_ac, alpha])
def test_many_tables_at_once_are_the_same_as_one_by_one(statistic):
    n = BLOCK_CELLS // 16 + 100
    random = np.random.default_rng(3)
    counts = random.integers(0, 9, (n, 4, 4)) * (random.random((n, 4, 4)) < 0.4)

    together = statistic(PairTables(counts, LINEAR))

    assert len(together.value) == n
    for position in (*range(0, n, 500), n - 1):
        alone = statistic(PairTables(counts[position : position + 1], LINEAR))
        assert together.at(position) == alone.at(0)


def test_the_first_reason_that_holds_is_given():
    found = reasons(
        (3,),
        (np.array([True, False, False]), Reason.NO_OVERLAP),
        (np.array([True, True, False]), Reason.ONE_ITEM),
    )

    assert [REASONS[each] for each in found] == [Reason.NO_OVERLAP, Reason.ONE_ITEM, Reason.NONE]


def test_published_wilson_intervals():
    # Newcombe 1998, Statistics in Medicine 17, 857-872, table I: method 3.
    successes, trials = np.array([81.0, 15.0, 0.0, 1.0]), np.array([263.0, 148.0, 20.0, 29.0])

    found = wilson_estimates(successes, trials, undefined=np.zeros(4, dtype=np.uint8), confidence=0.95)

    assert found.ci_low == pytest.approx([0.2553, 0.0624, 0.0, 0.0061], abs=5e-5)
    assert found.ci_high == pytest.approx([0.3662, 0.1605, 0.1611, 0.1718], abs=5e-5)
