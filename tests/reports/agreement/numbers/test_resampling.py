"""Statistics of numbers on weighted items: what the bootstrap and the jackknife are made of."""

from typing import cast

import numpy as np
import pytest

from reports.agreement.intervals.jackknife import jackknife
from reports.agreement.numbers.alpha import number_alpha, number_alpha_statistic
from reports.agreement.numbers.icc import icc_statistics, intraclass_correlations
from reports.agreement.numbers.matrix import NumberSample
from reports.agreement.overall.krippendorff import KRIPPENDORFF_ALPHA
from reports.agreement.patterns import ItemPatterns
from reports.agreement.sample import Sample, Scale
from reports.agreement.weights import Level
from reports.analysis.kinds.numeric import with_intervals
from reports.analysis.options import IntervalMethod, Options
from tests.reports.agreement.numbers.published import ANXIETY
from tests.reports.agreement.numbers.test_alpha import FOUR_OBSERVERS

TIMES = np.random.default_rng(3).multinomial(20, np.full(20, 1 / 20), size=6)


def test_weighted_items_are_repeated_items_for_the_correlations():
    for statistic in icc_statistics(NumberSample(ANXIETY)):
        units = statistic.units(cast(Sample, None))

        values = statistic.values(units, Scale(1), TIMES.astype(np.float64))

        for value, times in zip(values, TIMES, strict=True):
            repeated = intraclass_correlations(NumberSample(np.repeat(ANXIETY, times, axis=0)))
            assert value == pytest.approx(repeated[statistic.name].value, abs=1e-12)


@pytest.mark.parametrize("level", [Level.NOMINAL, Level.INTERVAL, Level.RATIO])
def test_weighted_items_are_repeated_items_for_alpha(level):
    values = np.where(np.random.default_rng(1).random(ANXIETY.shape) < 0.2, np.nan, ANXIETY)
    pairable = (~np.isnan(values)).sum(axis=1) >= 2
    statistic = number_alpha_statistic(NumberSample(values), level)
    units = statistic.units(cast(Sample, None))

    found = statistic.values(units, Scale(1), TIMES[:, pairable].astype(np.float64))

    for value, times in zip(found, TIMES, strict=True):
        repeated = number_alpha(NumberSample(np.repeat(values, times, axis=0)), level)
        assert value == pytest.approx(repeated.value, abs=1e-12)


def test_the_jackknife_error_of_the_interval_alpha():
    """Python: krippendorff.alpha, leaving out each of the eleven pairable units in turn."""
    sample = NumberSample(FOUR_OBSERVERS)
    statistic = number_alpha_statistic(sample, Level.INTERVAL)

    found = jackknife(statistic, cast(Sample, sample), Scale(1))

    assert found.se == pytest.approx(0.14083983138127631, abs=1e-9)


def test_samples_of_one_number_have_no_alpha():
    statistic = number_alpha_statistic(NumberSample([[0.1, 0.1], [0.1, 0.1], [0.3, 0.7]]), Level.INTERVAL)
    units = statistic.units(cast(Sample, None))

    found = statistic.values(units, Scale(1), np.array([[1.0, 1, 0], [1, 1, 1]]))

    assert np.isnan(found[0])
    assert found[1] == pytest.approx(number_alpha(NumberSample([[0.1, 0.1], [0.1, 0.1], [0.3, 0.7]])).value)


def test_ordinal_alpha_ranks_the_labels_of_each_replicate():
    """As of a single choice among the same five numbers."""
    values = [(1, 1), (2, 3), (3, 3), (5, 4), (1, 2), (4, 4), (2, 2), (5, 3)]
    counts = [[row.count(number) for number in range(1, 6)] for row in values]
    weights = np.random.default_rng(5).multinomial(8, [1 / 8] * 8, size=500).astype(np.float64)
    statistic = number_alpha_statistic(NumberSample(values), Level.ORDINAL)
    patterns = ItemPatterns(np.array(counts, dtype=np.uint32), np.ones(8, dtype=np.int64))

    found = statistic.values(statistic.units(NumberSample(values)), Scale(1), weights)

    assert found == pytest.approx(
        KRIPPENDORFF_ALPHA.values(patterns, Scale(5, Level.ORDINAL), weights), nan_ok=True
    )


@pytest.mark.parametrize("level", ["ordinal", "ratio"])
def test_every_level_has_the_interval_that_is_asked_for(level):
    values = [(1, 1), (2, 3), (3, 3), (5, 4), (1, 2), (4, 4), (2, 2), (5, 3)]
    options = Options(interval=IntervalMethod.PERCENTILE, replicates=1000, seed=1)
    sample = NumberSample(values)
    alpha = {"krippendorff_alpha": number_alpha(sample, level)}

    found = with_intervals(sample, Level(level), alpha, options)["krippendorff_alpha"]

    assert found.interval_method == "percentile bootstrap"
